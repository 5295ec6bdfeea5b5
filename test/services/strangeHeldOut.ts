import type { HeldOut, Reply, Sent } from './heldOut.ts';

const size = 20;
const secret = 'held-out-secret-key';
const rows = (from: number, total: number, per = size): readonly { readonly id: string }[] =>
  Array.from({ length: Math.max(0, Math.min(per, total - from)) }, (_, nth) => ({ id: `r${from + nth}` }));
const ok = (body: unknown, headers: object = {}): Reply => ({ body, headers });
const text = { type: 'string' };
const count = { type: 'integer' };
const needed = { type: 'string', required: true };
const row = [{ id: 'string' }];
const isBearer = ({ headers }: Sent): boolean => headers['authorization'] === `Bearer ${secret}`;

/** Where each scroll stands. */
const scrolls = new Map<string, number>();

/** Services whose pages lead on in strange ways. */
export const strangeHeldOut = {
  /** A further page is asked for with its token and the size only: what else a link has is refused. */
  'Shopify REST': {
    service: { headers: { 'x-shopify-access-token': '${key}' } },
    key: secret,
    operation: {
      get: '/admin/api/2024-10/products.json',
      params: { limit: count, status: text },
      response: { products: [{ id: 'string' }] },
      rows: 'products',
      next: 'header:link',
    },
    query: { limit: size, status: 'active' },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p, self, headers }) {
      if (headers['x-shopify-access-token'] !== secret) return { status: 401, body: { errors: 'Unauthorized' } };
      if (p['page_info'] !== undefined && p['status'] !== undefined) return { status: 400, body: { errors: 'status cannot be used' } };
      const from = Number(p['page_info']?.slice(3) ?? 0);
      const at = (to: number, rel: string): string => `<${self}/admin/api/2024-10/products.json?limit=20&page_info=eyJ${to}>; rel="${rel}"`;
      const links = [...(from > 0 ? [at(from - size, 'previous')] : []), ...(from + size < 50 ? [at(from + size, 'next')] : [])];
      return ok({ products: rows(from, 50) }, { link: links.join(', '), 'x-shopify-shop-api-call-limit': '1/40' });
    },
  },
  /** The address of the next page has the key in it. */
  'Facebook Graph': {
    service: { query: { access_token: '${key}' }, envelope: { error: 'error', message: 'error.message' } },
    key: secret,
    operation: {
      get: '/v21.0/${page_id}/feed',
      query: { fields: '${fields:comma}' },
      params: { page_id: needed, limit: count, fields: { type: 'strings' } },
      response: {
        data: row,
        'paging?': { cursors: { before: 'string', after: 'string' }, 'next?': 'string', 'previous?': 'string' },
      },
      rows: 'data',
      next: 'paging.next',
    },
    query: { page_id: 'me', limit: size, fields: ['id', 'message'] },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p, self }) {
      if (p['access_token'] !== secret) return { status: 400, body: { error: { message: 'Invalid OAuth access token.', code: 190 } } };
      if (p['fields'] !== 'id,message') return { status: 400, body: { error: { message: 'fields', code: 100 } } };
      const from = Number(p['after']?.slice(2) ?? 0);
      const next = `${self}/v21.0/me/feed?access_token=${secret}&limit=20&fields=id%2Cmessage&after=QV${from + size}`;
      return ok({
        data: rows(from, 50),
        paging: { cursors: { before: `QV${from}`, after: `QV${from + size}` }, ...(from + size < 50 && { next }) },
      });
    },
  },
  /** `next` is always there; a page without rows is the end. */
  Mailgun: {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: `api:${secret}`,
    operation: {
      get: '/v3/${domain}/events',
      params: { domain: needed, limit: count },
      response: { items: row, paging: { next: 'string', previous: 'string', first: 'string', last: 'string' } },
      rows: 'items',
      next: 'paging.next',
    },
    query: { domain: 'example.com', limit: size },
    id: 'id',
    total: 50,
    needed: 4,
    answer({ path, self }) {
      const from = Number(/\/events\/W3Is(\d+)$/.exec(path)?.[1] ?? 0);
      const at = (to: number): string => `${self}/v3/example.com/events/W3Is${to}`;
      const items = rows(from, 50);
      const paging = { next: at(from + items.length), previous: at(Math.max(0, from - size)), first: at(0), last: at(40) };
      return ok({ items, paging });
    },
  },
  /** The page after the last one is an error. */
  WordPress: {
    service: { failures: [{ status: 400, at: 'code', is: 'rest_post_invalid_page_number', means: 'empty' }] },
    operation: {
      get: '/wp-json/wp/v2/posts',
      params: { search: text, per_page: count },
      response: row,
      rows: '',
      query: { page: '${page:1}' },
    },
    query: { search: 'tea', per_page: size },
    id: 'id',
    total: 60,
    needed: 4,
    answer({ p }) {
      const page = Number(p['page'] ?? 1);
      if (page > 3)
        return {
          status: 400,
          body: { code: 'rest_post_invalid_page_number', message: 'larger than the number of pages', data: { status: 400 } },
        };
      return ok(rows((page - 1) * size, 60), { 'x-wp-total': '60', 'x-wp-totalpages': '3' });
    },
  },
  /** XML with namespaces, and a number with attributes. */
  arXiv: {
    operation: {
      get: '/api/query',
      format: 'xml',
      params: { search_query: needed, max_results: count },
      response: {
        feed: {
          'opensearch:totalResults': { '#text': 'string' },
          entry: [{ id: 'string', title: 'string', author: [{ name: 'string' }] }],
        },
      },
      rows: 'feed.entry',
      query: { start: '${offset}' },
      total: 'feed.opensearch:totalResults.#text',
    },
    query: { search_query: 'all:tea', max_results: size },
    id: 'id',
    total: 41,
    needed: 3,
    answer({ p }) {
      const from = Number(p['start'] ?? 0);
      const entries = rows(from, 41).map(({ id }) => `<entry><id>${id}</id><title>On ${id}</title><author><name>A</name></author></entry>`);
      const total = '<opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">41</opensearch:totalResults>';
      const body = `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">${total}${entries.join('')}</feed>`;
      return { headers: { 'content-type': 'application/atom+xml; charset=UTF-8' }, body };
    },
  },
  /** The total is a text, and the list has the operation's name. */
  ActiveCampaign: {
    service: { headers: { 'api-token': '${key}' } },
    key: secret,
    operation: {
      get: '/api/3/contacts',
      query: { 'orders[id]': '${orders}', offset: '${offset}' },
      params: { limit: count, orders: { type: 'string' } },
      response: { contacts: row, meta: { total: 'string' } },
      rows: 'contacts',
      size: size,
      total: 'meta.total',
    },
    query: { limit: size, orders: 'ASC' },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ p, headers }) {
      if (headers['api-token'] !== secret || p['orders[id]'] !== 'ASC') return { status: 403, body: { message: 'No.' } };
      return ok({ contacts: rows(Number(p['offset'] ?? 0), 60), meta: { total: '60' } });
    },
  },
  /** The page number stands in an object of the body, beside how many there are. */
  'App Search': {
    service: { headers: { authorization: 'Bearer ${key}' } },
    key: secret,
    operation: {
      post: '/api/as/v1/engines/${engine}/search',
      body: { page: { current: '${page:1}', size: '${size}' } },
      params: {
        engine: needed,
        query: needed,
        size: { type: 'integer' },
        filters: { type: 'object' },
      },
      response: {
        meta: { page: { current: 'integer', total_pages: 'integer', total_results: 'integer' } },
        results: [{ id: { raw: 'string' } }],
      },
      rows: 'results',
      id: 'id.raw',
      pages: 'meta.page.total_pages',
      total: 'meta.page.total_results',
    },
    query: { engine: 'docs', query: 'tea', size, filters: { all: [{ kind: 'green' }] } },
    id: 'id.raw',
    total: 50,
    needed: 3,
    answer(sent) {
      const { current = 1, size: per } = sent.b['page'] ?? {};
      if (!isBearer(sent) || per !== size || sent.b['filters']?.all === undefined || sent.b['engine'] !== undefined) return undefined;
      if (current > 3) return { status: 400, body: { errors: ['page'] } };
      const results = rows((current - 1) * size, 50).map(({ id }) => ({ id: { raw: id } }));
      return ok({ meta: { page: { current, total_pages: 3, total_results: 50 } }, results });
    },
  },
  /** A token with nothing beside it, and rows below another name. */
  'Amazon SP-API': {
    service: { headers: { 'x-amz-access-token': '${key}' }, envelope: { error: 'errors', message: 'errors.0.message' } },
    key: secret,
    operation: {
      get: '/orders/v0/orders',
      query: { MarketplaceIds: '${MarketplaceIds:comma}', NextToken: '${cursor}' },
      params: { MarketplaceIds: { type: 'strings', required: true }, MaxResultsPerPage: count },
      response: { payload: { Orders: [{ AmazonOrderId: 'string' }], 'NextToken?': 'string' } },
      rows: 'payload.Orders',
      next: 'payload.NextToken',
      alone: ['MarketplaceIds'],
    },
    query: { MarketplaceIds: ['A1', 'A2'], MaxResultsPerPage: size },
    id: 'AmazonOrderId',
    total: 50,
    needed: 3,
    answer({ p, headers }) {
      if (headers['x-amz-access-token'] !== secret || p['MarketplaceIds'] !== 'A1,A2')
        return { status: 403, body: { errors: [{ message: 'no' }] } };
      if (p['NextToken'] !== undefined && p['MaxResultsPerPage'] !== undefined)
        return { status: 400, body: { errors: [{ message: 'alone' }] } };
      const from = Number(p['NextToken']?.slice(5) ?? 0);
      const Orders = rows(from, 50).map(({ id }) => ({ AmazonOrderId: id }));
      return ok(
        { payload: { Orders, ...(from + size < 50 && { NextToken: `2YgY+${from + size}` }) } },
        { 'x-amzn-ratelimit-limit': '0.0167' },
      );
    },
  },
  /** The last page has neither rows nor a token, and its list is left out. */
  'X lists': {
    service: { headers: { authorization: 'Bearer ${key}' } },
    key: secret,
    operation: {
      get: '/2/lists/${list}/tweets',
      params: { list: needed, max_results: count },
      response: { 'data?': row, meta: { result_count: 'integer', 'next_token?': 'string' } },
      rows: 'data',
      query: { pagination_token: '${cursor}' },
      next: 'meta.next_token',
    },
    query: { list: '84839422', max_results: size },
    id: 'id',
    total: 50,
    needed: 4,
    answer(sent) {
      if (!isBearer(sent)) return { status: 401, body: { title: 'Unauthorized' } };
      const from = Number(sent.p['pagination_token']?.slice(3) ?? 0);
      const data = rows(from, 50);
      if (data.length === 0) return ok({ meta: { result_count: 0 } });
      return ok({ data, meta: { result_count: data.length, next_token: `7dg${from + size}` } });
    },
  },
  /** The list of a page beyond the last is null. */
  Bing: {
    service: { headers: { 'ocp-apim-subscription-key': '${key}' } },
    key: secret,
    operation: {
      get: '/v7.0/search',
      params: { q: needed, count },
      response: { _type: 'string', 'webPages?': { totalEstimatedMatches: 'integer', value: { $nullable: row } } },
      rows: 'webPages.value',
      query: { offset: '${offset}' },
    },
    query: { q: 'tea', count: size },
    id: 'id',
    total: 50,
    needed: 4,
    answer({ p, headers }) {
      if (headers['ocp-apim-subscription-key'] !== secret) return { status: 401, body: { error: { code: '401' } } };
      const value = rows(Number(p['offset'] ?? 0), 50);
      return ok({ _type: 'SearchResponse', ...(value.length > 0 && { webPages: { totalEstimatedMatches: 1_230_000, value } }) });
    },
  },
  /** OData 2: everything is in `d`, and parameters begin with a dollar. */
  SAP: {
    service: {
      headers: { authorization: 'Basic ${basic}' },
      envelope: { data: 'd', error: 'error', message: 'error.message.value' },
      query: { $format: 'json' },
    },
    key: `user:${secret}`,
    operation: {
      get: "/sap/opu/odata/sap/API_PRODUCT/Products(type='${type}')/Items",
      params: { type: needed, $top: count, $filter: text },
      response: { results: row, '__next?': 'string' },
      rows: 'results',
      next: '__next',
    },
    query: { type: 'tea & co', $top: size, $filter: "color eq 'green'" },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p, path, self }) {
      if (decodeURIComponent(path) !== "/sap/opu/odata/sap/API_PRODUCT/Products(type='tea & co')/Items") return undefined;
      if (p['$format'] !== 'json' || p['$filter'] !== "color eq 'green'") return undefined;
      const from = Number(p['$skiptoken'] ?? 0);
      const next = `${self}${path}?$format=json&$top=20&$filter=color%20eq%20%27green%27&$skiptoken=${from + size}`;
      return ok({ d: { results: rows(from, 50), ...(from + size < 50 && { __next: next }) } });
    },
  },
  /** Later pages have a path of their own, and a token that the service counts. */
  'Elasticsearch scroll': {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: `reader:${secret}`,
    operation: {
      post: '/${index}/_search',
      query: { scroll: '${scroll}' },
      params: { index: needed, query: { type: 'object' }, size: count, scroll: { type: 'string' } },
      response: { _scroll_id: 'string', hits: { hits: [{ _id: 'string' }] } },
      rows: 'hits.hits',
      body: { scroll_id: '${cursor}' },
      next: '_scroll_id',
      alone: ['scroll'],
      nextPath: '/_search/scroll',
      repeats: true,
    },
    query: { index: 'docs', query: { match_all: {} }, size, scroll: '1m' },
    id: '_id',
    total: 60,
    needed: 4,
    counts: true,
    answer({ path, p, b }) {
      const hits = (from: number, _scroll_id: string): Reply => {
        scrolls.set(_scroll_id, from + size);
        return ok({ _scroll_id, hits: { hits: rows(from, 60).map(({ id }) => ({ _id: id })) } });
      };
      if (p['scroll'] !== '1m') return undefined;
      if (path === '/docs/_search')
        return b['query']?.match_all === undefined || b['size'] !== size ? undefined : hits(0, `DXF1ZXJ5${scrolls.size}`);
      const isAlone = path === '/_search/scroll' && Object.keys(b).join() === 'scroll_id';
      const from = isAlone ? scrolls.get(b['scroll_id']) : undefined;
      return from === undefined
        ? { status: 404, body: { error: { type: 'search_context_missing_exception' } } }
        : hits(from, b['scroll_id']);
    },
  },
  /** The same with a token for each page. */
  Dropbox: {
    service: { baseUrl: '/2', headers: { authorization: 'Bearer ${key}' } },
    key: secret,
    operation: {
      post: '/files/list_folder',
      params: { path: needed, recursive: { type: 'boolean' }, limit: count },
      response: { entries: row, cursor: 'string', has_more: 'boolean' },
      rows: 'entries',
      body: { cursor: '${cursor}' },
      next: 'cursor',
      more: 'has_more',
      alone: true,
      nextPath: '/files/list_folder/continue',
    },
    query: { path: '/tea', recursive: true, limit: size },
    id: 'id',
    total: 60,
    needed: 3,
    answer(sent) {
      const { path, b } = sent;
      if (!isBearer(sent)) return { status: 401, body: { error_summary: 'invalid_access_token/' } };
      const isLater = path === '/2/files/list_folder/continue' && Object.keys(b).join() === 'cursor';
      if (!isLater && (path !== '/2/files/list_folder' || b['path'] !== '/tea' || b['recursive'] !== true || b['cursor'] !== undefined))
        return undefined;
      const from = Number(b['cursor']?.slice(3) ?? 0);
      return ok({ entries: rows(from, 60), cursor: `AAF${from + size}`, has_more: from + size < 60 });
    },
  },
} as const satisfies { readonly [name: string]: HeldOut };
