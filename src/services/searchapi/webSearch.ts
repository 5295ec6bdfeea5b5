import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { answered, byPage, hasNext, ofDomain, organic, sentPage, sentTime, sentToDomain, time } from './shared.ts';

/** What the pages of a desktop and of a phone have. */
export const web = {
  get: '/search',
  params: { ...ofDomain, ...time, kgmid: shared.kgmid },
  response: {
    'search_information?': { 'total_results?': 'integer', 'query_displayed?': 'string' },
    'organic_results?': [organic as typeof organic],
    'ai_overview?': { ...answered, 'page_token?': 'string: for aiOverview, within a minute' },
    'knowledge_graph?': 'object',
    'answer_box?': 'object',
    'local_results?': 'unknown',
    'related_questions?': 'array',
    'related_searches?': 'array',
    'top_stories?': 'unknown',
    'ads?': 'array',
    ...hasNext,
  },
  rows: 'organic_results',
  columns: { page_rank: 'position' },
  estimates: 'search_information.total_results',
  answer: { blocks: 'ai_overview.text_blocks', references: 'ai_overview.reference_links' },
  ...byPage,
} as const;

export const webSearch = madeOperation({
  ...web,
  about: 'Web pages.',
  query: { engine: 'google', ...sentToDomain, ...sentTime, ...sentPage },
});
