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
const bearer = { authorization: 'Bearer ${key}' };
const isBearer = ({ headers }: Sent): boolean => headers['authorization'] === `Bearer ${secret}`;

/** What follows has tokens that the service counts itself. */
const scrolls = new Map<string, number>();

export const moreHeldOut = {
  /** The token is left out at the end. */
  X: {
    service: { headers: bearer },
    key: secret,
    operation: {
      get: '/2/tweets/search/all',
      params: { query: needed, max_results: count },
      response: { 'data?': row, meta: { result_count: 'integer', 'next_token?': 'string' } },
      rows: 'data',
      query: { next_token: '${cursor}' },
      next: 'meta.next_token',
    },
    query: { query: 'tea', max_results: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer(sent) {
      if (!isBearer(sent)) return { status: 401, body: { title: 'Unauthorized' } };
      const from = Number(sent.p['next_token']?.slice(4) ?? 0);
      const data = rows(from, 50);
      const next = from + size < 50 && { next_token: `b26v${from + size}` };
      return ok(
        { data, meta: { result_count: data.length, ...next } },
        { 'x-rate-limit-remaining': '299', 'x-rate-limit-reset': '4102444800' },
      );
    },
  },
  /** The next page is a link among others. */
  FHIR: {
    operation: {
      get: '/fhir/Patient',
      query: { _count: '${count}' },
      params: { name: text, count: { type: 'integer' } },
      response: {
        resourceType: '=Bundle',
        link: [{ relation: '=self|next|previous', url: 'string' }],
        'entry?': [{ resource: { id: 'string' } }],
      },
      rows: 'entry[].resource',
      headers: { accept: 'application/fhir+json' },
      next: 'link[relation=next].url',
    },
    query: { name: 'smith', count: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p, self, headers }) {
      if (headers['accept'] !== 'application/fhir+json') return undefined;
      const from = Number(p['_getpagesoffset'] ?? 0);
      const link = [{ relation: 'self', url: `${self}/fhir/Patient?name=smith` }];
      if (from > 0) link.push({ relation: 'previous', url: `${self}/fhir/Patient?_getpages=b5&_getpagesoffset=${from - size}` });
      if (from + size < 50) link.push({ relation: 'next', url: `${self}/fhir/Patient?_getpages=b5&_getpagesoffset=${from + size}` });
      return ok({ resourceType: 'Bundle', link, entry: rows(from, 50).map((resource) => ({ resource })) });
    },
  },
  /** The sort values of the last hit, and a point in time. */
  Elasticsearch: {
    service: { headers: { authorization: 'ApiKey ${key}' } },
    key: secret,
    operation: {
      post: '/_search',
      body: {
        sort: [{ date: 'asc' }, { _shard_doc: 'asc' }],
        track_total_hits: false,
        pit: { id: '${pit}' },
        search_after: '${last.sort}',
      },
      params: {
        query: { type: 'object', required: true },
        size: count,
        pit: { type: 'string', required: true },
        after: { type: 'array' },
      },
      response: { pit_id: 'string', hits: { hits: [{ _id: 'string', sort: 'array' }] } },
      rows: 'hits.hits',
    },
    query: { query: { match_all: {} }, size, pit: '46ToAwMDaWR5' },
    id: '_id',
    total: 50,
    needed: 4,
    answer({ b, headers }) {
      if (headers['authorization'] !== `ApiKey ${secret}` || b['pit']?.id === undefined || b['query']?.match_all === undefined)
        return undefined;
      const from = b['search_after'] === undefined ? 0 : Number(b['search_after'][1]) + 1;
      const hits = rows(from, 50).map(({ id }, nth) => ({ _id: id, sort: [1_700_000_000_000, from + nth] }));
      return ok({ pit_id: `46ToAwMDaWR5${from}`, hits: { hits } });
    },
  },
  /** The next address is relative, and begins with another path. */
  Confluence: {
    service: { baseUrl: '/wiki/rest/api', headers: { authorization: 'Basic ${basic}' } },
    key: `me@example.com:${secret}`,
    operation: {
      get: '/content/search',
      params: { cql: needed, limit: count },
      response: { results: row, size: 'integer', _links: { base: 'string', 'next?': 'string' } },
      rows: 'results',
      next: '_links.next',
    },
    query: { cql: 'space=DOC', limit: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p, self, headers }) {
      if (headers['authorization'] !== `Basic ${Buffer.from(`me@example.com:${secret}`).toString('base64')}`)
        return { status: 401, body: {} };
      const from = Number(p['cursor']?.slice(6) ?? 0);
      const next = from + size < 50 && { next: `/wiki/rest/api/content/search?cql=space%3DDOC&limit=20&cursor=_sa_WS${from + size}` };
      return ok({ results: rows(from, 50), size, _links: { base: `${self}/wiki`, ...next } });
    },
  },
  /** An empty token at the end, and more rows than it says remain. */
  Kubernetes: {
    service: { headers: bearer },
    key: secret,
    operation: {
      get: '/api/v1/namespaces/${namespace}/pods',
      params: { namespace: needed, limit: count },
      response: {
        kind: 'string',
        metadata: { continue: 'string', 'remainingItemCount?': 'integer' },
        items: [{ metadata: { uid: 'string' } }],
      },
      rows: 'items',
      query: { continue: '${cursor}' },
      next: 'metadata.continue',
    },
    query: { namespace: 'default', limit: size },
    id: 'metadata.uid',
    total: 50,
    needed: 3,
    answer(sent) {
      if (!isBearer(sent)) return { status: 401, body: { kind: 'Status', message: 'Unauthorized' } };
      const from = Number(sent.p['continue']?.slice(3) ?? 0);
      const rest = from + size < 50;
      const items = rows(from, 50).map(({ id }) => ({ metadata: { uid: id } }));
      return ok({
        kind: 'PodList',
        metadata: { continue: rest ? `eyJ${from + size}` : '', ...(rest && { remainingItemCount: 9 }) },
        items,
      });
    },
  },
  Square: {
    service: { headers: { ...bearer, 'square-version': '2024-01-18' }, envelope: { error: 'errors', message: 'errors.0.detail' } },
    key: secret,
    operation: {
      post: '/v2/orders/search',
      body: { return_entries: false, location_ids: '${locations}', cursor: '${cursor}' },
      params: { locations: { type: 'strings', required: true }, limit: count },
      response: { 'orders?': row, 'cursor?': 'string' },
      rows: 'orders',
      next: 'cursor',
    },
    query: { locations: ['L1', 'L2'], limit: size },
    id: 'id',
    total: 40,
    needed: 2,
    answer(sent) {
      if (!isBearer(sent) || sent.headers['square-version'] === undefined) return { status: 401, body: { errors: [{ detail: 'no' }] } };
      if (!Array.isArray(sent.b['location_ids']) || sent.b['return_entries'] !== false) return ok({ errors: [{ detail: 'no locations' }] });
      const from = Number(sent.b['cursor']?.slice(1) ?? 0);
      return ok({ orders: rows(from, 40), ...(from + size < 40 && { cursor: `c${from + size}` }) });
    },
  },
  /** The token of the last page is followed by an empty one. */
  'Steam reviews': {
    operation: {
      get: '/appreviews/${app}',
      query: { json: 1, filter: 'recent', cursor: '${cursor:*}' },
      params: { app: needed, num_per_page: count },
      response: {
        success: 'integer',
        query_summary: { num_reviews: 'integer' },
        reviews: [{ recommendationid: 'string' }],
        cursor: 'string|null',
      },
      rows: 'reviews',
      next: 'cursor',
    },
    query: { app: '440', num_per_page: size },
    id: 'recommendationid',
    total: 50,
    needed: 4,
    answer({ p }) {
      if (p['json'] !== '1' || p['cursor'] === undefined) return undefined;
      const from = p['cursor'] === '*' ? 0 : Number(p['cursor'].slice(4, -2));
      const reviews = rows(from, 50).map(({ id }) => ({ recommendationid: id }));
      const cursor = reviews.length === 0 ? p['cursor'] : `AoJ+${from + reviews.length}==`;
      return ok({ success: 1, query_summary: { num_reviews: reviews.length }, reviews, cursor });
    },
  },
  TMDB: {
    service: { query: { api_key: '${key}' } },
    key: secret,
    operation: {
      get: '/3/search/movie',
      params: { query: needed },
      response: { page: 'integer', results: row, total_pages: 'integer', total_results: 'integer' },
      rows: 'results',
      id: 'id',
      query: { page: '${page:1}' },
      pages: 'total_pages',
      total: 'total_results',
    },
    query: { query: 'rain' },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ p }) {
      if (p['api_key'] !== secret) return { status: 401, body: { status_code: 7, status_message: 'Invalid API key' } };
      const page = Number(p['page'] ?? 1);
      if (page > 3) return { status: 422, body: { errors: ['page must be less than or equal to 3'] } };
      return ok({ page, results: rows((page - 1) * size, 60), total_pages: 3, total_results: 60 });
    },
  },
  Twilio: {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: `AC123:${secret}`,
    operation: {
      get: '/2010-04-01/Accounts/${account}/Messages.json',
      query: { PageSize: '${size}' },
      params: { account: needed, size: { type: 'integer' } },
      response: { messages: [{ sid: 'string' }], next_page_uri: 'string|null', page: 'integer' },
      rows: 'messages',
      next: 'next_page_uri',
    },
    query: { account: 'AC123', size },
    id: 'sid',
    total: 50,
    needed: 3,
    answer({ p, path, headers }) {
      if (headers['authorization'] !== `Basic ${Buffer.from(`AC123:${secret}`).toString('base64')}`)
        return { status: 401, body: { code: 20003 } };
      const page = Number(p['Page'] ?? 0);
      const messages = rows(page * size, 50).map(({ id }) => ({ sid: id }));
      const next = (page + 1) * size < 50 ? `${path}?PageSize=20&Page=${page + 1}&PageToken=PA${page}` : null;
      return ok({ messages, next_page_uri: next, page });
    },
  },
  /** A query in the body, and what it costs in each response. */
  'GitHub GraphQL': {
    service: {
      headers: bearer,
      envelope: { error: 'errors', message: 'errors.0.message' },
      limits: { default: { at: 'data.rateLimit', remaining: 'remaining', reset: 'resetAt' } },
    },
    key: secret,
    operation: {
      post: '/graphql',
      body: {
        query: 'query($q: String!, $after: String) { search(query: $q, after: $after, type: REPOSITORY, first: 20) { … } rateLimit { … } }',
        variables: { q: '${q}', after: '${cursor}' },
      },
      params: { q: { type: 'string', required: true } },
      response: {
        data: {
          search: { repositoryCount: 'integer', pageInfo: { endCursor: 'string|null', hasNextPage: 'boolean' }, nodes: row },
          rateLimit: { cost: 'integer', remaining: 'integer', resetAt: 'string' },
        },
      },
      rows: 'data.search.nodes',
      next: 'data.search.pageInfo.endCursor',
      more: 'data.search.pageInfo.hasNextPage',
    },
    query: { q: 'rain stars:>10' },
    id: 'id',
    total: 60,
    needed: 3,
    answer(sent) {
      if (!isBearer(sent)) return { status: 401, body: { message: 'Bad credentials' } };
      const from = Number(sent.b['variables']?.after?.slice(7) ?? 0);
      const rateLimit = { cost: 1, remaining: 4900 - from, resetAt: new Date(Date.now() + 60_000).toISOString() };
      const pageInfo = { endCursor: `Y3Vyc29${from + size}`, hasNextPage: from + size < 60 };
      return ok({ data: { search: { repositoryCount: 60, pageInfo, nodes: rows(from, 60) }, rateLimit } });
    },
  },
  NVD: {
    service: { headers: { apikey: '${key}' } },
    key: secret,
    operation: {
      get: '/rest/json/cves/2.0',
      params: { keywordSearch: needed, resultsPerPage: count },
      response: { resultsPerPage: 'integer', startIndex: 'integer', totalResults: 'integer', vulnerabilities: [{ cve: { id: 'string' } }] },
      rows: 'vulnerabilities[].cve',
      query: { startIndex: '${offset}' },
      total: 'totalResults',
    },
    query: { keywordSearch: 'tea', resultsPerPage: size },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ p, headers }) {
      if (headers['apikey'] !== secret) return { status: 403, body: '' };
      const startIndex = Number(p['startIndex'] ?? 0);
      const vulnerabilities = rows(startIndex, 60).map((cve) => ({ cve }));
      return ok({ resultsPerPage: vulnerabilities.length, startIndex, totalResults: 60, vulnerabilities });
    },
  },
  /** `isLast`, and no token then. */
  'Jira Cloud': {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: `me@example.com:${secret}`,
    operation: {
      post: '/rest/api/3/search/jql',
      params: { jql: needed, maxResults: count, fields: { type: 'strings' } },
      response: { issues: [{ key: 'string', id: 'string' }], 'nextPageToken?': 'string', isLast: 'boolean' },
      rows: 'issues',
      body: { nextPageToken: '${cursor}' },
      next: 'nextPageToken',
    },
    query: { jql: 'project = TEA', maxResults: size, fields: ['summary'] },
    id: 'id',
    total: 40,
    needed: 2,
    answer({ b }) {
      if (b['jql'] === undefined || !Array.isArray(b['fields'])) return undefined;
      const from = Number(b['nextPageToken']?.slice(2) ?? 0);
      const isLast = from + size >= 40;
      return ok({
        issues: rows(from, 40).map(({ id }) => ({ id, key: `TEA-${id}` })),
        isLast,
        ...(!isLast && { nextPageToken: `Ch${from + size}` }),
      });
    },
  },
  /** It counts the pages of a token itself, and leaves the token out at the end. */
  'a scroll that ends without a token': {
    operation: {
      get: '/export',
      params: { q: needed },
      response: { rows: row, 'scroll?': 'string' },
      rows: 'rows',
      query: { scroll: '${cursor}' },
      next: 'scroll',
      repeats: true,
    },
    query: { q: 'tea' },
    id: 'id',
    total: 60,
    needed: 3,
    counts: true,
    answer({ p }) {
      const scroll = p['scroll'] ?? `s${scrolls.size + 1}`;
      const from = p['scroll'] === undefined ? 0 : (scrolls.get(scroll) ?? Infinity);
      if (from >= 60) return { status: 404, body: { message: 'no search context found' } };
      scrolls.set(scroll, from + size);
      return ok({ rows: rows(from, 60), ...(from + size < 60 && { scroll }) });
    },
  },
} as const satisfies { readonly [name: string]: HeldOut };
