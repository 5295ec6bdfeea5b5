import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import type { TypeOf } from '../../contract/Shape.ts';

const article = {
  title: 'string',
  link: 'string',
  thumbnail: 'string: may be empty',
  source: 'string',
  icon: 'string',
  authors: ['string'],
  date: 'string: ISO 8601',
  rank: 'integer',
} as const;

const spec = {
  name: 'newsSearch',
  title: 'News search',
  group: 'Media and news',
  get: '/news/search',
  about: 'News articles. Some are grouped under one story.',
  params: {
    query: { type: 'string', required: true, about: 'what to search for' },
    country: shared.country,
    language: shared.language,
    topic_token: { type: 'string', from: 'menu_links', about: 'a topic' },
    publication_token: { type: 'string', from: 'an earlier response', about: 'one publication' },
    section_token: { type: 'string', from: 'an earlier response', about: 'a part of a topic or publication' },
    so: {
      type: 'string',
      known: ['0', '1'],
      default: '0',
      about: 'order: by relevance (0) or date (1). It works only with a story_token, but the interface lists no such parameter',
    },
  },
  response: {
    menu_links: [{ title: 'string', topic_token: 'string' }],
    news_results: [{ $oneOf: [article as typeof article, { title: 'string', stories: [article as typeof article] }] }],
  },
  rows: 'news_results',
} as const;

export const newsSearch: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type NewsSearchQuery = QueryOf<typeof spec>;
export type NewsSearchData = DataOf<typeof spec>;
/** An article, or several under one story: tell them apart by `'stories' in result`. */
export type NewsResult = RowOf<typeof spec>;
export type NewsArticle = TypeOf<typeof article>;
