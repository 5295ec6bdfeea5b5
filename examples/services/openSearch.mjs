// OpenSearch or Elasticsearch: the documents of an index, sorted, each page after the last row of the one before.
import { defineOperation, defineService } from 'trawler';

export default defineService({
  name: 'openSearch',
  headers: { authorization: 'Basic ${basic}' },
  envelope: { error: 'error', message: 'error.reason' },
  failures: [{ status: 429, means: 'throttled' }],
  operations: {
    search: defineOperation({
      post: '/${index}/_search',
      about: 'Documents that a query finds.',
      body: { track_total_hits: true, search_after: '${last.sort}' },
      params: {
        index: { type: 'string', required: true, about: 'the index' },
        query: { type: 'object', about: 'such as {"match": {"title": "rain"}}' },
        sort: { type: 'array', required: true, about: 'must end with a field that is unique' },
        size: { type: 'integer', min: 1, max: 10_000, about: 'rows of a page' },
      },
      rows: 'hits.hits',
      row: { _id: 'string', _source: {}, sort: ['number|string'] },
      id: '_id',
      total: 'hits.total.value',
    }),
  },
});
