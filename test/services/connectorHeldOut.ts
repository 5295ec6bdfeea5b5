import type { HeldOut, Reply, Sent } from './heldOut.ts';

/**
 * Sources of well-known connectors, from what their documentation says. Each needs nothing but data: none has a function for its
 * key, for its token or for its rows.
 */
const size = 20;
const secret = 'connector-secret-key';
const total = 50;
const pair = `app:${secret}`;
const indices = (from: number, per = size): readonly number[] =>
  Array.from({ length: Math.max(0, Math.min(per, total - from)) }, (_, nth) => from + nth);
const rows = (from: number, per = size): readonly { readonly id: string }[] => indices(from, per).map((nth) => ({ id: `r${nth}` }));
const ok = (body: unknown, headers: object = {}): Reply => ({ body, headers });
const denied: Reply = { status: 401, body: { message: 'not authorized' } };
const text = { type: 'string' };
const count = { type: 'integer' };
const row = [{ id: 'string' }];
const basic = (user: string): string => `Basic ${Buffer.from(user).toString('base64')}`;
const has = (sent: Sent, header: string, value: string): boolean => sent.headers[header] === value;
const whole = { id: 'id', total, needed: 3 } as const;

/** A token lives for so many requests for rows. */
const life = 2;

/** Gives tokens, and takes each of them twice. */
function tokens(name: string) {
  let given = 0;
  let left = 0;
  return {
    give: (): string => {
      left = life;
      return `${name}-token-${++given}`;
    },
    takes: (token: string | undefined): boolean => token === `${name}-token-${given}` && left-- > 0,
  };
}
const marketo = tokens('marketo');
const zoom = tokens('zoom');
const auth0 = tokens('auth0');
const metabase = tokens('metabase');
const salesforce = tokens('salesforce');

export const connectorHeldOut = {
  'Jira JQL': {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: pair,
    operation: {
      post: '/rest/api/3/search/jql',
      params: { jql: { ...text, required: true }, maxResults: count, fields: { type: 'strings' } },
      response: { issues: [{ id: 'string', 'fields?': 'object' }], 'nextPageToken?': 'string', isLast: 'boolean' },
      rows: 'issues',
      body: { nextPageToken: '${cursor}' },
      next: 'nextPageToken',
    },
    query: { jql: 'order by updated', maxResults: size, fields: ['summary'] },
    ...whole,
    answer(sent) {
      const { jql, fields, nextPageToken } = sent.b;
      if (!has(sent, 'authorization', basic(pair))) return denied;
      if (jql !== 'order by updated' || fields?.[0] !== 'summary') return undefined;
      const from = Number(nextPageToken?.slice(1) ?? 0);
      const isLast = from + size >= total;
      return ok({ issues: rows(from), ...(!isLast && { nextPageToken: `t${from + size}` }), isLast });
    },
  },
  /** The last page has a token, too. It leads to an empty page. */
  'Zendesk incremental': {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: `jo@a.example/token:${secret}`,
    operation: {
      get: '/api/v2/incremental/tickets/cursor.json',
      params: { start_time: count, per_page: count },
      response: { tickets: row, after_cursor: 'string', end_of_stream: 'boolean' },
      rows: 'tickets',
      query: { cursor: '${cursor}' },
      next: 'after_cursor',
    },
    query: { start_time: 0, per_page: size },
    ...whole,
    needed: 4,
    answer(sent) {
      if (!has(sent, 'authorization', basic(`jo@a.example/token:${secret}`))) return denied;
      const from = Number(sent.p['cursor']?.slice(1) ?? 0);
      const to = Math.min(total, from + size);
      return ok({ tickets: rows(from), after_cursor: `c${to}`, end_of_stream: to === total });
    },
  },
  Klaviyo: {
    service: { headers: { authorization: 'Klaviyo-API-Key ${key}', revision: '2024-10-15' } },
    key: secret,
    operation: {
      get: '/api/profiles',
      params: { 'page[size]': count },
      response: { data: [{ id: 'string', 'attributes?': 'object' }], links: { next: 'string|null' } },
      rows: 'data',
      next: 'links.next',
    },
    query: { 'page[size]': size },
    ...whole,
    answer(sent) {
      if (!has(sent, 'authorization', `Klaviyo-API-Key ${secret}`) || !has(sent, 'revision', '2024-10-15')) return denied;
      const from = Number(sent.p['page[cursor]'] ?? 0);
      const next = from + size < total ? `${sent.self}/api/profiles?page%5Bsize%5D=${size}&page%5Bcursor%5D=${from + size}` : null;
      return ok({ data: rows(from), links: { next } });
    },
  },
  Chargebee: {
    service: { baseUrl: '/api/v2', headers: { authorization: 'Basic ${basic}' } },
    key: secret,
    operation: {
      get: '/customers',
      params: { limit: count },
      response: { list: [{ customer: { id: 'string' }, 'card?': 'object' }], 'next_offset?': 'string' },
      rows: 'list[].customer',
      outer: ['card'],
      query: { offset: '${cursor}' },
      next: 'next_offset',
    },
    query: { limit: size },
    ...whole,
    answer(sent) {
      if (!has(sent, 'authorization', basic(`${secret}:`))) return denied;
      const from = Number(JSON.parse(sent.p['offset'] ?? '["0"]')[0]);
      const list = rows(from).map((customer) => ({ customer, card: { last4: '4242' } }));
      return ok({ list, ...(from + size < total && { next_offset: JSON.stringify([String(from + size)]) }) });
    },
  },
  /** OAuth 2, whose tokens don't say how long they last. */
  'Salesforce OAuth': {
    service: {
      baseUrl: '/services',
      headers: { authorization: 'Bearer ${token}' },
      token: {
        post: '/services/oauth2/token',
        form: { grant_type: 'client_credentials', client_id: '${secret.clientId}', client_secret: '${secret.clientSecret}' },
        at: 'access_token',
        expires: 'expires_in',
      },
    },
    secrets: { clientId: 'app', clientSecret: secret },
    key: pair,
    operation: {
      get: '/data/v60.0/query',
      params: { q: { ...text, required: true } },
      response: { totalSize: 'integer', done: 'boolean', records: [{ Id: 'string' }], 'nextRecordsUrl?': 'string' },
      rows: 'records',
      next: 'nextRecordsUrl',
      total: 'totalSize',
    },
    query: { q: 'SELECT Id FROM Account' },
    ...whole,
    id: 'Id',
    answer({ path, b, p, headers }) {
      if (path.endsWith('token')) return b['client_secret'] === secret ? ok({ access_token: salesforce.give() }) : denied;
      if (!salesforce.takes(headers['authorization']?.slice('Bearer '.length))) return denied;
      const later = /\/query\/01g-(\d+)$/.exec(path);
      if (later === null && p['q'] !== 'SELECT Id FROM Account') return undefined;
      const from = Number(later?.[1] ?? 0);
      const done = from + size >= total;
      const records = rows(from).map(({ id }) => ({ Id: id }));
      return ok({ totalSize: total, done, records, ...(!done && { nextRecordsUrl: `/services/data/v60.0/query/01g-${from + size}` }) });
    },
  },
  PagerDuty: {
    service: { headers: { authorization: 'Token token=${key}' } },
    key: secret,
    operation: {
      get: '/incidents',
      params: { limit: count },
      response: { incidents: row, limit: 'integer', offset: 'integer', more: 'boolean', total: 'integer|null' },
      rows: 'incidents',
      query: { offset: '${offset}' },
      size: size,
      more: 'more',
    },
    query: { limit: size },
    ...whole,
    answer(sent) {
      if (!has(sent, 'authorization', `Token token=${secret}`)) return denied;
      const offset = Number(sent.p['offset'] ?? 0);
      return ok({ incidents: rows(offset), limit: size, offset, more: offset + size < total, total: null });
    },
  },
  /** An export: JSON on each line. */
  Iterable: {
    service: { headers: { 'api-key': '${key}' } },
    key: secret,
    operation: {
      get: '/api/export/data.json',
      params: { dataTypeName: { ...text, required: true }, range: text },
      format: 'ndjson',
      response: row,
      rows: '',
    },
    query: { dataTypeName: 'emailSend', range: 'All' },
    ...whole,
    needed: 1,
    answer(sent) {
      if (!has(sent, 'api-key', secret) || sent.p['dataTypeName'] !== 'emailSend') return denied;
      return ok(
        rows(0, total)
          .map((one) => JSON.stringify(one))
          .join('\n'),
      );
    },
  },
  Harvest: {
    service: { baseUrl: '/v2', headers: { authorization: 'Bearer ${key}', 'Harvest-Account-Id': '17' } },
    key: secret,
    operation: {
      get: '/time_entries',
      params: { per_page: count },
      response: { time_entries: row, total_pages: 'integer', total_entries: 'integer', page: 'integer', next_page: 'integer|null' },
      rows: 'time_entries',
      query: { page: '${page:1}' },
      pages: 'total_pages',
      total: 'total_entries',
    },
    query: { per_page: size },
    ...whole,
    answer(sent) {
      if (!has(sent, 'authorization', `Bearer ${secret}`) || !has(sent, 'harvest-account-id', '17')) return denied;
      const page = Number(sent.p['page'] ?? 1);
      const next_page = page * size < total ? page + 1 : null;
      return ok({ time_entries: rows((page - 1) * size), total_pages: 3, total_entries: total, page, next_page });
    },
  },
  /** A query without rows is a 404. */
  Gong: {
    service: { baseUrl: '/v2', headers: { authorization: 'Basic ${basic}' }, failures: [{ status: 404, means: 'empty' }] },
    key: pair,
    operation: {
      get: '/calls',
      params: { fromDateTime: text },
      response: { requestId: 'string', records: { totalRecords: 'integer', 'cursor?': 'string' }, calls: row },
      rows: 'calls',
      query: { cursor: '${cursor}' },
      next: 'records.cursor',
      total: 'records.totalRecords',
    },
    query: { fromDateTime: '2024-01-01T00:00:00Z' },
    ...whole,
    answer(sent) {
      if (!has(sent, 'authorization', basic(pair))) return denied;
      const from = Number(sent.p['cursor'] ?? 0);
      const cursor = from + size < total && { cursor: String(from + size) };
      return ok({ requestId: 'q1', records: { totalRecords: total, ...cursor }, calls: rows(from) });
    },
  },
  /** The token is requested by GET with the key in the address, and an expired one is an error with HTTP 200. */
  Marketo: {
    service: {
      headers: { authorization: 'Bearer ${token}' },
      token: {
        get: '/identity/oauth/token',
        query: { grant_type: 'client_credentials', client_id: '${secret.id}', client_secret: '${secret.secret}' },
        at: 'access_token',
        expires: 'expires_in',
      },
      envelope: { code: { at: 'success', is: true }, message: 'errors.0.message' },
    },
    secrets: { id: 'app', secret },
    operation: {
      get: '/rest/v1/lists.json',
      params: { batchSize: count },
      response: { 'result?': row, 'nextPageToken?': 'string', success: 'boolean' },
      rows: 'result',
      query: { nextPageToken: '${cursor}' },
      next: 'nextPageToken',
    },
    query: { batchSize: size },
    ...whole,
    answer({ path, p, headers }) {
      if (path.endsWith('token')) {
        const knows = p['client_id'] === 'app' && p['client_secret'] === secret && p['grant_type'] === 'client_credentials';
        return knows ? ok({ access_token: marketo.give(), token_type: 'bearer', expires_in: 3599 }) : denied;
      }
      if (!marketo.takes(headers['authorization']?.slice('Bearer '.length))) return denied;
      const from = Number(p['nextPageToken']?.slice(1) ?? 0);
      return ok({ success: true, result: rows(from), ...(from + size < total && { nextPageToken: `N${from + size}` }) });
    },
  },
  /** OAuth 2 with a grant and a parameter of its own, and HTTP Basic. */
  Zoom: {
    service: {
      baseUrl: '/v2',
      headers: { authorization: 'Bearer ${token}' },
      token: {
        post: '/oauth/token',
        form: { grant_type: 'account_credentials', account_id: 'acc-7' },
        headers: { authorization: 'Basic ${basic}' },
        at: 'access_token',
        expires: 'expires_in',
      },
    },
    key: pair,
    operation: {
      get: '/users',
      params: { page_size: count },
      response: { users: row, next_page_token: 'string', total_records: 'integer' },
      rows: 'users',
      query: { next_page_token: '${cursor}' },
      next: 'next_page_token',
    },
    query: { page_size: size },
    ...whole,
    answer({ path, b, p, headers }) {
      if (path.endsWith('token')) {
        const knows = headers['authorization'] === basic(pair) && b['grant_type'] === 'account_credentials' && b['account_id'] === 'acc-7';
        return knows ? ok({ access_token: zoom.give(), expires_in: 3599 }) : denied;
      }
      if (!zoom.takes(headers['authorization']?.slice('Bearer '.length))) return denied;
      const from = Number(p['next_page_token']?.slice(1) ?? 0);
      return ok({ users: rows(from), next_page_token: from + size < total ? `z${from + size}` : '', total_records: total });
    },
  },
  /** OAuth 2 with JSON and an audience. */
  Auth0: {
    service: {
      baseUrl: '/api/v2',
      headers: { authorization: 'Bearer ${token}' },
      token: {
        post: '/oauth/token',
        body: {
          grant_type: 'client_credentials',
          client_id: '${secret.id}',
          client_secret: '${secret.secret}',
          audience: 'https://a.example/api/v2/',
        },
        at: 'access_token',
        expires: 'expires_in',
      },
    },
    secrets: { id: 'app', secret },
    operation: {
      get: '/users',
      query: { include_totals: true, page: '${page}' },
      params: { per_page: count },
      response: { start: 'integer', limit: 'integer', total: 'integer', users: [{ user_id: 'string' }] },
      rows: 'users',
      total: 'total',
    },
    query: { per_page: size },
    ...whole,
    id: 'user_id',
    answer({ path, b, p, headers }) {
      if (path.endsWith('token')) {
        const isRight = headers['content-type'] === 'application/json' && b['audience'] === 'https://a.example/api/v2/';
        return isRight && b['client_secret'] === secret ? ok({ access_token: auth0.give(), expires_in: 86_400 }) : denied;
      }
      if (!auth0.takes(headers['authorization']?.slice('Bearer '.length))) return denied;
      if (p['include_totals'] !== 'true') return undefined;
      const start = Number(p['page'] ?? 0) * size;
      return ok({ start, limit: size, total, users: rows(start).map(({ id }) => ({ user_id: id })) });
    },
  },
  /** A login with a user and a password. Its response is a list, or one object where there is one. */
  Metabase: {
    service: {
      baseUrl: '/api',
      headers: { 'x-metabase-session': '${token}' },
      token: { post: '/api/session/token', body: { username: '${secret.id}', password: '${secret.secret}' }, at: 'id' },
    },
    secrets: { id: 'app', secret },
    operation: {
      get: '/card',
      params: { f: text },
      response: { $oneOf: [[{ id: 'string' }], { id: 'string' }] },
      rows: '',
    },
    query: { f: 'one' },
    ...whole,
    total: 1,
    needed: 1,
    answer({ path, b, p, headers }) {
      if (path.endsWith('token')) return b['username'] === 'app' && b['password'] === secret ? ok({ id: metabase.give() }) : denied;
      if (!metabase.takes(headers['x-metabase-session'])) return denied;
      return ok(p['f'] === 'one' ? { id: 'r0' } : rows(0, total));
    },
  },
  /** A list of texts. */
  Mixpanel: {
    service: { baseUrl: '/api/2.0', headers: { authorization: 'Basic ${basic}' } },
    key: pair,
    operation: {
      get: '/events/names',
      params: { type: text, limit: count },
      response: ['string'],
      rows: '',
      id: 'value',
    },
    query: { type: 'general', limit: total },
    ...whole,
    id: 'value',
    needed: 1,
    answer(sent) {
      return has(sent, 'authorization', basic(pair)) ? ok(rows(0, total).map(({ id }) => id)) : denied;
    },
  },
  /** The token stands beside the last row: the service has no `endCursor`. */
  'Shopify edges': {
    service: { headers: { 'x-shopify-access-token': '${key}' }, envelope: { error: 'errors', message: 'errors.0.message' } },
    key: secret,
    operation: {
      post: '/admin/api/2020-01/graphql.json',
      body: {
        query: 'query($first: Int!, $after: String) { orders(first: $first, after: $after) { edges { cursor node { id } } } }',
        variables: { first: '${first}', after: '${last.cursor}' },
      },
      params: { first: { type: 'integer' } },
      response: { data: { orders: { edges: [{ cursor: 'string', node: { id: 'string' } }], pageInfo: { hasNextPage: 'boolean' } } } },
      rows: 'data.orders.edges[].node',
      outer: ['cursor'],
      more: 'data.orders.pageInfo.hasNextPage',
    },
    query: { first: size },
    ...whole,
    answer(sent) {
      if (!has(sent, 'x-shopify-access-token', secret) || sent.b['query'] === undefined) return denied;
      const after = sent.b['variables'].after as string | undefined;
      const from = after === undefined ? 0 : Number(after.slice(2)) + 1;
      const edges = indices(from).map((nth) => ({ cursor: `cu${nth}`, node: { id: `r${nth}` } }));
      return ok({ data: { orders: { edges, pageInfo: { hasNextPage: from + size < total } } } });
    },
  },
} as const satisfies { readonly [name: string]: HeldOut };
