// Notion: the pages of a data source, and a search over everything that the integration may see.
import { defineOperation, defineService } from 'trawler';

const pages = {
  page_size: { type: 'integer', min: 1, max: 100, about: 'rows of a page' },
  start_cursor: { type: 'string', about: 'the next page' },
};
const found = {
  response: { results: [{ object: 'string', id: 'string', 'url?': 'string' }], has_more: 'boolean', next_cursor: 'string|null' },
  list: 'results',
  id: 'id',
  paging: { kind: 'cursor', param: 'start_cursor', at: ['next_cursor'], more: 'has_more' },
};

export default defineService({
  name: 'notion',
  basePath: '/v1',
  headers: { authorization: 'Bearer ${key}', 'notion-version': '2025-09-03' },
  envelope: { message: 'message' },
  operations: {
    query: defineOperation({
      ...found,
      post: '/data_sources/${data_source_id}/query',
      about: 'Pages of a data source.',
      params: { data_source_id: { type: 'string', required: true }, filter: { type: 'object' }, sorts: { type: 'array' }, ...pages },
    }),
    search: defineOperation({
      ...found,
      post: '/search',
      about: 'Pages and data sources by title.',
      params: { query: { type: 'string' }, filter: { type: 'object' }, sort: { type: 'object' }, ...pages },
    }),
  },
});
