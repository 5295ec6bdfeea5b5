import { madeOperation } from '../../contract/madeOperation.ts';
import { newsSearch as ours } from '../../search/operations/newsSearch.ts';
import { news } from './shared.ts';

const { topic_token, publication_token, section_token } = ours.params;

/** A request with one of these tokens has no words. */
export const newsTopic = madeOperation({
  ...news,
  get: '/search.json',
  about: 'The news of one topic, publication or story.',
  query: { engine: 'google_news', gl: '${country}', hl: '${language}' },
  params: {
    ...news.params,
    topic_token,
    publication_token,
    section_token,
    story_token: { type: 'string', from: 'an earlier response', about: 'one story' },
    so: { type: 'string', oneOf: ['0', '1'], about: 'order of a section or a story: by relevance (0) or date (1)' },
  },
});
