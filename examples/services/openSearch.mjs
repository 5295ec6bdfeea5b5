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
      body: { track_total_hits: true },
      params: {
        index: { type: 'string', required: true, about: 'the index' },
        query: { type: 'object', about: 'such as {"match": {"title": "rain"}}' },
        sort: { type: 'array', required: true, about: 'must end with a field that is unique' },
        size: { type: 'integer', min: 1, max: 10_000, about: 'rows of a page' },
        search_after: { type: 'array', about: 'the sort values of the row before the page' },
      },
      response: {
        timed_out: 'boolean',
        hits: { total: { value: 'integer', relation: 'string' }, hits: [{ _id: 'string', _source: {}, sort: ['number|string'] }] },
      },
      list: 'hits.hits',
      id: '_id',
      claims: { at: 'hits.total.value' },
      paging: { kind: 'last', param: 'search_after', from: 'sort' },
    }),
  },
});
