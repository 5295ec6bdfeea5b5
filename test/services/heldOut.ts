import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { connectorHeldOut } from './connectorHeldOut.ts';
import { moreHeldOut } from './moreHeldOut.ts';
import { strangeHeldOut } from './strangeHeldOut.ts';

/** A request as a service reads it. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  /** The parameters of the address. */
  readonly p: { readonly [name: string]: string };
  readonly headers: { readonly [name: string]: string | undefined };
  /** The body: JSON, or the fields of a form. */
  readonly b: { readonly [name: string]: any }; // oxlint-disable-line typescript/no-explicit-any -- a service doesn't know what it is sent
  /** The server's own address. */
  readonly self: string;
}
/** A good response, or `{ status, headers, body }`. A body that is a text or bytes is sent as it is. */
export type Reply = { readonly status?: number; readonly headers?: object; readonly body: unknown };

/** A service, described and copied in a few lines from what its documentation says of its pages. */
export interface HeldOut {
  readonly service?: object;
  readonly operation: object;
  readonly key?: string;
  readonly secrets?: { readonly [name: string]: string };
  readonly query: object;
  /** Where a row has its id: `r0`, `r1` … */
  readonly id: string;
  readonly total: number;
  /** The requests that a perfect client needs. */
  readonly needed: number;
  /** The service itself counts the pages of a token, and nothing says so. */
  readonly counts?: true;
  answer(sent: Sent): Reply | undefined;
}

const size = 20;
const secret = 'held-out-secret-key';
const ids = (from: number, total: number, per = size): readonly string[] =>
  Array.from({ length: Math.max(0, Math.min(per, total - from)) }, (_, nth) => `r${from + nth}`);
const rows = (from: number, total: number, per = size): readonly { readonly id: string }[] => ids(from, total, per).map((id) => ({ id }));
const ok = (body: unknown, headers: object = {}): Reply => ({ body, headers });
const text = { type: 'string' };
const count = { type: 'integer' };
const q = { type: 'string', required: true };
const row = [{ id: 'string' }];
const bearer = { authorization: 'Bearer ${key}' };
const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
const after = (id: string | undefined): number => (id === undefined ? 0 : Number(id.slice(1)) + 1);

const bulk = {
  /** The mark of the page after the last one is that of its own request. */
  Solr: {
    operation: {
      get: '/solr/docs/select',
      query: { sort: 'id asc', wt: 'json', cursorMark: '${cursor:*}' },
      params: { q, rows: count },
      response: { response: { numFound: 'integer', docs: row }, nextCursorMark: 'string' },
      rows: 'response.docs',
      next: 'nextCursorMark',
    },
    query: { q: '*:*', rows: size },
    id: 'id',
    total: 50,
    needed: 4,
    answer({ p }) {
      if (p['sort'] !== 'id asc' || p['cursorMark'] === undefined) return undefined;
      const from = p['cursorMark'] === '*' ? 0 : Number(p['cursorMark'].slice(4));
      const docs = rows(from, 50);
      return ok({ response: { numFound: 50, docs }, nextCursorMark: docs.length === 0 ? p['cursorMark'] : `AoE=${from + docs.length}` });
    },
  },
  Algolia: {
    service: { headers: { 'x-algolia-api-key': '${key}', 'x-algolia-application-id': 'APP' } },
    key: secret,
    operation: {
      post: '/1/indexes/${index}/browse',
      params: { index: q, query: text, hitsPerPage: count },
      response: { hits: [{ objectID: 'string' }], 'cursor?': 'string' },
      rows: 'hits',
      body: { cursor: '${cursor}' },
      next: 'cursor',
    },
    query: { index: 'docs', hitsPerPage: size },
    id: 'objectID',
    total: 60,
    needed: 3,
    answer({ path, headers, b }) {
      if (path !== '/1/indexes/docs/browse' || headers['x-algolia-application-id'] !== 'APP' || b['index'] !== undefined) return undefined;
      const from = b['cursor'] === undefined ? 0 : Number(b['cursor'].slice(1));
      return ok({ hits: ids(from, 60).map((objectID) => ({ objectID })), ...(from + size < 60 && { cursor: `c${from + size}` }) });
    },
  },
  Shopify: {
    service: { headers: { 'x-shopify-access-token': '${key}' }, envelope: { error: 'errors', message: 'errors.0.message' } },
    key: secret,
    operation: {
      post: '/admin/api/graphql.json',
      body: {
        query: 'query($first: Int!, $after: String) { products(first: $first, after: $after) { edges { node { id } } } }',
        variables: { first: '${first}', after: '${cursor}' },
      },
      params: { first: { type: 'integer' } },
      response: {
        data: { products: { edges: [{ node: { id: 'string' } }], pageInfo: { hasNextPage: 'boolean', endCursor: 'string|null' } } },
      },
      rows: 'data.products.edges[].node',
      next: 'data.products.pageInfo.endCursor',
      more: 'data.products.pageInfo.hasNextPage',
    },
    query: { first: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ b }) {
      if (b['query'] === undefined || b['variables']?.first === undefined) return ok({ errors: [{ message: 'no variables' }] });
      const from = after(b['variables'].after);
      const nodes = rows(from, 50);
      const pageInfo = { hasNextPage: from + size < 50, endCursor: nodes.at(-1)?.id ?? null };
      return ok({ data: { products: { edges: nodes.map((node) => ({ node })), pageInfo } } });
    },
  },
  Twitch: {
    service: {
      headers: { authorization: 'Bearer ${token}', 'client-id': 'app' },
      token: {
        post: '/oauth2/token',
        form: { grant_type: 'client_credentials', client_id: '${secret.clientId}', client_secret: '${secret.clientSecret}' },
        at: 'access_token',
        expires: 'expires_in',
      },
    },
    secrets: { clientId: 'app', clientSecret: secret },
    key: `app:${secret}`,
    operation: {
      get: '/helix/clips',
      params: { broadcaster_id: q, first: count },
      response: { data: row, pagination: { 'cursor?': 'string' } },
      rows: 'data',
      query: { after: '${cursor}' },
      next: 'pagination.cursor',
    },
    query: { broadcaster_id: '1', first: size },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ path, p, b, headers }) {
      if (path === '/oauth2/token')
        return b['client_secret'] === secret ? ok({ access_token: 'twitch-token', expires_in: 5000 }) : undefined;
      if (headers['authorization'] !== 'Bearer twitch-token' || headers['client-id'] !== 'app') return { status: 401, body: {} };
      const from = p['after'] === undefined ? 0 : Number(Buffer.from(p['after'], 'base64').toString());
      return ok({ data: rows(from, 60), pagination: from + size < 60 ? { cursor: Buffer.from(`${from + size}`).toString('base64') } : {} });
    },
  },
  Spotify: {
    service: {
      headers: { authorization: 'Bearer ${token}' },
      token: {
        post: '/api/token',
        headers: { authorization: 'Basic ${basic}' },
        form: { grant_type: 'client_credentials' },
        at: 'access_token',
        expires: 'expires_in',
      },
    },
    key: `app:${secret}`,
    operation: {
      get: '/v1/search',
      query: { type: 'artist' },
      params: { q, limit: count },
      response: { artists: { href: 'string', total: 'integer', next: 'string|null', items: row } },
      rows: 'artists.items',
      id: 'id',
      next: 'artists.next',
      total: 'artists.total',
    },
    query: { q: 'rain', limit: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ path, p, headers, self }) {
      if (path === '/api/token')
        return headers['authorization'] === basic(`app:${secret}`) ? ok({ access_token: 'spotify-token', expires_in: 3600 }) : undefined;
      if (headers['authorization'] !== 'Bearer spotify-token' || p['type'] !== 'artist') return { status: 401, body: {} };
      const from = Number(p['offset'] ?? 0);
      const next = from + size < 50 ? `${self}/v1/search?type=artist&q=${p['q']}&limit=20&offset=${from + size}` : null;
      return ok({ artists: { href: self, total: 50, next, items: rows(from, 50) } });
    },
  },
  HubSpot: {
    service: { headers: bearer },
    key: secret,
    operation: {
      get: '/crm/v3/objects/contacts',
      query: { properties: '${properties:comma}', after: '${cursor}' },
      params: { limit: count, properties: { type: 'strings' } },
      response: {
        results: [{ id: 'string', properties: { $map: 'string|null' } }],
        'paging?': { next: { after: 'string', link: 'string' } },
      },
      rows: 'results',
      next: 'paging.next.after',
    },
    query: { limit: size, properties: ['email', 'name'] },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p }) {
      if (p['properties'] !== 'email,name') return undefined;
      const from = Number(p['after'] ?? 0);
      const results = rows(from, 50).map((each) => ({ ...each, properties: { email: `${each.id}@a.example`, name: null } }));
      return ok({ results, ...(from + size < 50 && { paging: { next: { after: String(from + size), link: '' } } }) });
    },
  },
  Airtable: {
    service: { headers: bearer },
    key: secret,
    operation: {
      get: '/v0/${base}/${table}',
      query: { fields: '${fields:brackets}', offset: '${cursor}' },
      params: { base: q, table: q, pageSize: count, fields: { type: 'strings' } },
      response: { records: [{ id: 'string', fields: 'object' }], 'offset?': 'string' },
      rows: 'records',
      next: 'offset',
    },
    query: { base: 'app1', table: 'My tasks', pageSize: size, fields: ['Name'] },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ path, p }) {
      if (path !== '/v0/app1/My%20tasks' || p['fields[]'] !== 'Name') return undefined;
      const from = p['offset'] === undefined ? 0 : Number(p['offset'].split('/')[1]);
      const records = rows(from, 60).map((each) => ({ ...each, fields: { Name: each.id } }));
      return ok({ records, ...(from + size < 60 && { offset: `itr/${from + size}` }) });
    },
  },
  Zendesk: {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: `jo@a.example/token:${secret}`,
    operation: {
      get: '/api/v2/tickets.json',
      query: { 'page[size]': '${size}', 'page[after]': '${cursor}' },
      params: { size: { type: 'integer' } },
      response: { tickets: row, meta: { has_more: 'boolean', after_cursor: 'string|null' }, links: 'object' },
      rows: 'tickets',
      next: 'meta.after_cursor',
      more: 'meta.has_more',
    },
    query: { size },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ p, headers }) {
      if (headers['authorization'] !== basic(`jo@a.example/token:${secret}`)) return { status: 401, body: {} };
      const from = p['page[after]'] === undefined ? 0 : Number(p['page[after]'].slice(0, -2));
      // The last page has a cursor, too.
      return p['page[size]'] === '20'
        ? ok({ tickets: rows(from, 60), meta: { has_more: from + size < 60, after_cursor: `${from + size}==` }, links: {} })
        : undefined;
    },
  },
  GitLab: {
    service: { headers: { 'private-token': '${key}' } },
    key: secret,
    operation: {
      get: '/api/v4/projects',
      query: { pagination: 'keyset', order_by: 'id' },
      params: { per_page: count },
      response: row,
      rows: '',
      next: 'header:link',
    },
    query: { per_page: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p, self }) {
      if (p['pagination'] !== 'keyset') return undefined;
      const from = after(p['id_after']);
      const page = rows(from, 50);
      const next = `<${self}/api/v4/projects?pagination=keyset&order_by=id&per_page=20&id_after=${page.at(-1)?.id}>; rel="next"`;
      return ok(page, from + size < 50 ? { link: next } : {});
    },
  },
  Jira: {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: `jo@a.example:${secret}`,
    operation: {
      post: '/rest/api/3/search/jql',
      params: { jql: q, maxResults: count, fields: { type: 'strings' } },
      response: { issues: [{ key: 'string', fields: 'object' }], isLast: 'boolean', 'nextPageToken?': 'string' },
      rows: 'issues',
      body: { nextPageToken: '${cursor}' },
      next: 'nextPageToken',
    },
    query: { jql: 'order by key', maxResults: size, fields: ['summary'] },
    id: 'key',
    total: 60,
    needed: 3,
    answer({ b }) {
      if (!Array.isArray(b['fields'])) return undefined;
      const from = b['nextPageToken'] === undefined ? 0 : Number(b['nextPageToken'].slice(2));
      const isLast = from + size >= 60;
      return ok({
        issues: ids(from, 60).map((key) => ({ key, fields: {} })),
        isLast,
        ...(!isLast && { nextPageToken: `t:${from + size}` }),
      });
    },
  },
  Slack: {
    service: {
      headers: bearer,
      failures: [
        { status: 200, at: 'error', is: 'ratelimited', means: 'throttled' },
        { status: 200, at: 'error', is: ['invalid_auth', 'not_authed'], means: 'auth' },
      ],
      envelope: { error: 'error' },
    },
    key: secret,
    operation: {
      post: '/api/conversations.list',
      form: { cursor: '${cursor}' },
      params: { limit: count },
      response: { ok: 'boolean', channels: row, response_metadata: { next_cursor: 'string' } },
      rows: 'channels',
      next: 'response_metadata.next_cursor',
    },
    query: { limit: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ b, headers }) {
      if (headers['authorization'] !== `Bearer ${secret}`) return ok({ ok: false, error: 'invalid_auth' });
      if (b['limit'] !== '20') return ok({ ok: false, error: 'invalid_limit' });
      const from = Number((b['cursor'] ?? 'dGVhbTo=0').split('=')[1]);
      return ok({
        ok: true,
        channels: rows(from, 50),
        response_metadata: { next_cursor: from + size < 50 ? `dGVhbTo=${from + size}` : '' },
      });
    },
  },
  Discord: {
    service: { headers: { authorization: 'Bot ${key}' } },
    key: secret,
    operation: {
      get: '/api/v10/channels/${channel}/messages',
      params: { channel: q, limit: count },
      response: [{ id: 'string', content: 'string' }],
      rows: '',
      query: { before: '${last.id}' },
    },
    query: { channel: '7', limit: size },
    id: 'id',
    total: 50,
    needed: 4,
    answer({ p }) {
      const page = rows(after(p['before']), 50).map((each) => ({ ...each, content: 'hello' }));
      return ok(page, { 'x-ratelimit-remaining': '4', 'x-ratelimit-reset-after': '0.1', 'x-ratelimit-bucket': 'abc' });
    },
  },
  Intercom: {
    service: { headers: { ...bearer, 'intercom-version': '2.11' } },
    key: secret,
    operation: {
      post: '/conversations/search',
      body: { pagination: { per_page: '${per_page}', starting_after: '${cursor}' } },
      params: {
        query: { type: 'object', required: true },
        per_page: { type: 'integer' },
      },
      response: {
        conversations: row,
        total_count: 'integer',
        pages: { 'next?': { $nullable: { starting_after: 'string', page: 'integer' } } },
      },
      rows: 'conversations',
      id: 'id',
      next: 'pages.next.starting_after',
      total: 'total_count',
    },
    query: { query: { field: 'open', operator: '=', value: true }, per_page: size },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ b, headers }) {
      if (b['query']?.value !== true || b['pagination']?.per_page !== size || headers['intercom-version'] !== '2.11') return undefined;
      const from = Number(b['pagination'].starting_after?.slice(1) ?? 0);
      const next = from + size < 60 ? { starting_after: `W${from + size}`, page: from / size + 2 } : null;
      return ok({ conversations: rows(from, 60), total_count: 60, pages: { next } });
    },
  },
} as const satisfies { readonly [name: string]: HeldOut };

const more = {
  Mailchimp: {
    service: { headers: { authorization: 'Basic ${basic}' } },
    key: `any:${secret}`,
    operation: {
      get: '/3.0/lists/${list}/members',
      params: { list: q, count },
      response: { members: row, total_items: 'integer' },
      rows: 'members',
      query: { offset: '${offset}' },
      total: 'total_items',
    },
    query: { list: 'l1', count: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p, headers }) {
      if (headers['authorization'] !== basic(`any:${secret}`)) return { status: 401, body: { title: 'API Key Invalid' } };
      return ok({ members: rows(Number(p['offset'] ?? 0), 50), total_items: 50 });
    },
  },
  Trello: {
    service: { query: { token: '${key}', key: 'app-key' } },
    key: secret,
    operation: {
      get: '/1/boards/${board}/actions',
      params: { board: q, limit: count },
      response: row,
      rows: '',
      query: { before: '${last.id}' },
    },
    query: { board: 'b1', limit: size },
    id: 'id',
    total: 60,
    needed: 4,
    answer({ p }) {
      if (p['token'] !== secret || p['key'] !== 'app-key') return { status: 401, body: 'invalid key' };
      return ok(rows(after(p['before']), 60));
    },
  },
  'Europe PMC': {
    operation: {
      get: '/europepmc/webservices/rest/search',
      query: { format: 'json', cursorMark: '${cursor:*}' },
      params: { query: q, pageSize: count },
      response: { hitCount: 'integer', 'nextCursorMark?': 'string', resultList: { result: row } },
      rows: 'resultList.result',
      id: 'id',
      next: 'nextCursorMark',
      total: 'hitCount',
    },
    query: { query: 'malaria', pageSize: size },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ p }) {
      const from = p['cursorMark'] === '*' ? 0 : Number(p['cursorMark']!.slice(3));
      const result = rows(from, 60);
      return ok({ hitCount: 60, nextCursorMark: `AoJ${from + result.length}`, resultList: { result } });
    },
  },
  'Semantic Scholar': {
    service: { headers: { 'x-api-key': '${key}' } },
    key: secret,
    operation: {
      get: '/graph/v1/paper/search/bulk',
      query: { fields: '${fields:comma}', token: '${cursor}' },
      params: { query: q, fields: { type: 'strings' } },
      response: { total: 'integer', token: 'string|null', data: [{ paperId: 'string', title: 'string' }] },
      rows: 'data',
      estimates: 'total',
      next: 'token',
    },
    query: { query: 'tea', fields: ['title', 'year'] },
    id: 'paperId',
    total: 60,
    needed: 3,
    answer({ p }) {
      const from = Number(p['token']?.slice(1) ?? 0);
      const data = ids(from, 60).map((paperId) => ({ paperId, title: 'On tea' }));
      return ok({ total: 58, token: from + size < 60 ? `T${from + size}` : null, data });
    },
  },
  PubMed: {
    operation: {
      get: '/entrez/eutils/efetch.fcgi',
      format: 'xml',
      query: { db: 'pubmed', retmode: 'xml', retstart: '${offset}' },
      params: { WebEnv: q, retmax: count },
      response: { PubmedArticleSet: { PubmedArticle: [{ MedlineCitation: { PMID: 'string', Article: { ArticleTitle: 'string' } } }] } },
      rows: 'PubmedArticleSet.PubmedArticle',
      size: size,
    },
    query: { WebEnv: 'MCID_1', retmax: size },
    id: 'MedlineCitation.PMID',
    total: 50,
    needed: 4,
    answer({ p }) {
      const articles = ids(Number(p['retstart'] ?? 0), 50).map(
        (id) =>
          `<PubmedArticle><MedlineCitation><PMID>${id}</PMID><Article><ArticleTitle>On &lt;${id}&gt;</ArticleTitle></Article></MedlineCitation></PubmedArticle>`,
      );
      const body = `<?xml version="1.0"?><PubmedArticleSet>${articles.join('')}</PubmedArticleSet>`;
      return { headers: { 'content-type': 'text/xml' }, body };
    },
  },
  CKAN: {
    service: { envelope: { data: 'result', error: 'error', message: 'error.message' } },
    operation: {
      get: '/api/3/action/package_search',
      params: { q, rows: count, fq: { type: 'strings' } },
      response: { count: 'integer', results: [{ id: 'string', resources: ['object'] }] },
      rows: 'results',
      query: { start: '${offset}' },
      size: size,
      total: 'count',
    },
    query: { q: 'water', rows: size, fq: ['res_format:CSV'] },
    id: 'id',
    total: 60,
    needed: 3,
    answer({ p }) {
      if (p['fq'] !== 'res_format:CSV') return { status: 409, body: { success: false, error: { message: 'Search Query is invalid' } } };
      const results = rows(Number(p['start'] ?? 0), 60).map((each) => ({ ...each, resources: [] }));
      return ok({ help: '', success: true, result: { count: 60, results } });
    },
  },
  Socrata: {
    service: { headers: { 'x-app-token': '${key}' } },
    key: secret,
    operation: {
      get: '/resource/${id}.json',
      query: { $limit: '${limit}', $offset: '${offset}', $where: '${where}' },
      params: {
        id: q,
        limit: { type: 'integer' },
        where: { type: 'string' },
      },
      response: row,
      rows: '',
      size: size,
    },
    query: { id: 'abcd-1234', limit: size, where: "name like 'a%'" },
    id: 'id',
    total: 60,
    needed: 4,
    answer({ path, p }) {
      if (path !== '/resource/abcd-1234.json' || p['$where'] !== "name like 'a%'" || p['$limit'] !== '20') return undefined;
      return ok(rows(Number(p['$offset'] ?? 0), 60));
    },
  },
  Mastodon: {
    service: { headers: bearer },
    key: secret,
    operation: {
      get: '/api/v1/timelines/tag/${tag}',
      params: { tag: q, limit: count },
      response: row,
      rows: '',
      next: 'header:link',
    },
    query: { tag: 'rain', limit: size },
    id: 'id',
    total: 40,
    needed: 3,
    answer({ p, self }) {
      const page = rows(after(p['max_id']), 40);
      const link = (rel: string, param: string, id?: string): string =>
        `<${self}/api/v1/timelines/tag/rain?limit=20&${param}=${id}>; rel="${rel}"`;
      // A full last page leads to one that is empty, and has no link.
      return ok(
        page,
        page.length === 0 ? {} : { link: `${link('next', 'max_id', page.at(-1)!.id)}, ${link('prev', 'min_id', page[0]!.id)}` },
      );
    },
  },
  'Microsoft Graph': {
    service: { headers: bearer },
    key: secret,
    operation: {
      get: '/v1.0/users',
      query: { $top: '${top}' },
      params: { top: { type: 'integer' } },
      response: { '@odata.context': 'string', '@odata.nextLink?': 'string', value: row },
      rows: 'value',
      next: '@odata.nextLink',
    },
    query: { top: size },
    id: 'id',
    total: 50,
    needed: 3,
    answer({ p, self }) {
      const from = Number(p['$skiptoken']?.slice(1) ?? 0);
      const next = from + size < 50 && { '@odata.nextLink': `${self}/v1.0/users?$top=20&$skiptoken=X${from + size}` };
      return ok({ '@odata.context': `${self}/v1.0/$metadata#users`, ...next, value: rows(from, 50) });
    },
  },
  'OAI-PMH': {
    operation: {
      get: '/oai',
      format: 'xml',
      query: { verb: 'ListRecords', resumptionToken: '${cursor}' },
      params: { metadataPrefix: text },
      response: { 'OAI-PMH': { ListRecords: { record: [{ header: { identifier: 'string' } }], 'resumptionToken?': 'unknown' } } },
      rows: 'OAI-PMH.ListRecords.record',
      next: 'OAI-PMH.ListRecords.resumptionToken.#text',
      alone: true,
    },
    query: { metadataPrefix: 'oai_dc' },
    id: 'header.identifier',
    total: 41,
    needed: 3,
    answer({ p }) {
      if (p['verb'] !== 'ListRecords' || (p['resumptionToken'] !== undefined) === (p['metadataPrefix'] !== undefined)) return undefined;
      const from = Number(p['resumptionToken']?.slice(2) ?? 0);
      const records = ids(from, 41).map((id) => `<record><header><identifier>${id}</identifier></header></record>`);
      const token = `<resumptionToken completeListSize="41" cursor="${from}">${from + size < 41 ? `t/${from + size}` : ''}</resumptionToken>`;
      const body = `<OAI-PMH><ListRecords>${records.join('')}${token}</ListRecords></OAI-PMH>`;
      return { headers: { 'content-type': 'text/xml' }, body };
    },
  },
  Contentful: {
    service: { headers: bearer },
    key: secret,
    operation: {
      get: '/spaces/${space}/entries',
      query: { content_type: '${type}', skip: '${offset}' },
      params: { space: q, limit: count, type: { type: 'string' } },
      response: { total: 'integer', skip: 'integer', limit: 'integer', items: [{ sys: { id: 'string' }, fields: 'object' }] },
      rows: 'items',
      id: 'sys.id',
      size: size,
      total: 'total',
    },
    query: { space: 's', limit: size, type: 'post' },
    id: 'sys.id',
    total: 50,
    needed: 3,
    answer({ p }) {
      const skip = Number(p['skip'] ?? 0);
      return ok({ total: 50, skip, limit: size, items: ids(skip, 50).map((id) => ({ sys: { id }, fields: { title: { de: id } } })) });
    },
  },
  Salesforce: {
    service: { headers: bearer, baseUrl: '/services/data/v60.0' },
    key: secret,
    operation: {
      get: '/query',
      params: { q },
      response: { totalSize: 'integer', done: 'boolean', 'nextRecordsUrl?': 'string', records: [{ Id: 'string', attributes: 'object' }] },
      rows: 'records',
      next: 'nextRecordsUrl',
    },
    query: { q: 'SELECT Id FROM Account' },
    id: 'Id',
    total: 60,
    needed: 3,
    answer({ path, p }) {
      if (!path.startsWith('/services/data/v60.0/query')) return undefined;
      const from = Number(path.split('-')[1] ?? 0);
      if (from === 0 && p['q'] === undefined) return { status: 400, body: [{ errorCode: 'MALFORMED_QUERY' }] };
      const next = from + size < 60 && { nextRecordsUrl: `/services/data/v60.0/query/01gD-${from + size}` };
      return ok({ totalSize: 60, done: !next, ...next, records: ids(from, 60).map((Id) => ({ Id, attributes: {} })) });
    },
  },
  'Stack Exchange': {
    service: { query: { key: '${key}' } },
    key: secret,
    operation: {
      get: '/2.3/questions',
      query: { site: 'stackoverflow', page: '${page:1}' },
      params: { pagesize: count, tagged: text },
      response: { items: [{ question_id: 'string' }], has_more: 'boolean', quota_remaining: 'integer', 'backoff?': 'integer' },
      rows: 'items',
      more: 'has_more',
    },
    query: { tagged: 'rxjs', pagesize: size },
    id: 'question_id',
    total: 60,
    needed: 3,
    answer({ p }) {
      const from = (Number(p['page'] ?? 1) - 1) * size;
      const items = ids(from, 60).map((question_id) => ({ question_id }));
      const body = gzipSync(JSON.stringify({ items, has_more: from + size < 60, quota_remaining: 99 }));
      return { headers: { 'content-encoding': 'gzip' }, body }; // whatever was asked for
    },
  },
  DynamoDB: {
    service: { headers: { authorization: '${key}' } },
    key: secret,
    operation: {
      post: '/',
      headers: { 'x-amz-target': 'DynamoDB_20120810.Scan' },
      params: { TableName: q, Limit: count, ExclusiveStartKey: { type: 'object' } },
      response: { Items: [{ id: { S: 'string' } }], Count: 'integer', 'LastEvaluatedKey?': { id: { S: 'string' } } },
      rows: 'Items',
      body: { ExclusiveStartKey: '${cursor}' },
      next: 'LastEvaluatedKey',
    },
    query: { TableName: 'books', Limit: size },
    id: 'id.S',
    total: 50,
    needed: 3,
    answer({ b, headers }) {
      if (headers['x-amz-target'] !== 'DynamoDB_20120810.Scan' || b['TableName'] !== 'books') return undefined;
      const from = after(b['ExclusiveStartKey']?.id.S);
      const Items = ids(from, 50).map((S) => ({ id: { S } }));
      return ok({ Items, Count: Items.length, ...(from + size < 50 && { LastEvaluatedKey: Items.at(-1) }) });
    },
  },
} as const satisfies { readonly [name: string]: HeldOut };

/** Services that no part of trawler was written for. */
export const heldOut: { readonly [name: string]: HeldOut } = { ...bulk, ...more, ...moreHeldOut, ...strangeHeldOut, ...connectorHeldOut };
