import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { block, hasNext, ofDomain, organic, reference, sentToDomain, tens } from './shared.ts';

/** What the pages of a desktop and of a phone have. */
export const web = {
  get: '/search.json',
  params: {
    ...ofDomain,
    cr: shared.cr,
    ludocid: shared.ludocid,
    lsig: shared.lsig,
    kgmid: shared.kgmid,
    si: shared.si,
    ibp: shared.ibp,
    uds: shared.uds,
    tbs: shared.tbs,
  },
  response: {
    'search_information?': { 'total_results?': 'integer', 'query_displayed?': 'string', 'organic_results_state?': 'string' },
    'organic_results?': [organic as typeof organic],
    'ai_overview?': {
      'text_blocks?': [block as typeof block],
      'references?': [reference as typeof reference],
      'page_token?': 'string: for aiOverview, within about a minute',
    },
    'knowledge_graph?': 'object',
    'answer_box?': 'object',
    'local_results?': 'object',
    'related_questions?': 'array',
    'related_searches?': 'array',
    'top_stories?': 'array',
    'ads?': 'array',
    ...hasNext,
  },
  rows: 'organic_results',
  columns: { page_rank: 'position' },
  estimates: 'search_information.total_results',
  answer: { blocks: 'ai_overview.text_blocks', references: 'ai_overview.references' },
  ...tens,
} as const;

export const webSearch = madeOperation({ ...web, about: 'Web pages.', query: { engine: 'google', ...sentToDomain, start: '${offset}' } });
