// Notion: the pages of a data source, and a search over everything that the integration may see.
import { defineOperation, defineService } from 'trawler';

const page_size = { type: 'integer', min: 1, max: 100, about: 'rows of a page' };
const found = {
  response: { results: [{ object: 'string', id: 'string', 'url?': 'string' }], has_more: 'boolean', next_cursor: 'string|null' },
  rows: 'results',
  id: 'id',
  body: { start_cursor: '${cursor}' },
  next: 'next_cursor',
  more: 'has_more',
};

export default defineService({
  name: 'notion',
  baseUrl: '/v1',
  headers: { authorization: 'Bearer ${key}', 'notion-version': '2025-09-03' },
  envelope: { message: 'message' },
  operations: {
    query: defineOperation({
      ...found,
      post: '/data_sources/${data_source_id}/query',
      about: 'Pages of a data source.',
      params: { data_source_id: { type: 'string', required: true }, filter: { type: 'object' }, sorts: { type: 'array' }, page_size },
    }),
    search: defineOperation({
      ...found,
      post: '/search',
      about: 'Pages and data sources by title.',
      params: { query: { type: 'string' }, filter: { type: 'object' }, sort: { type: 'object' }, page_size },
    }),
  },
});
