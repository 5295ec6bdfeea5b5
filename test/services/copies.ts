import { Buffer } from 'node:buffer';
import { named, refused, type CopiedRequest, type CopiedResponse, type Copy } from './Copy.ts';

const numberOf = (text: string | null, otherwise: number): number => (text === null ? otherwise : Number(text));
/** What the bodies of these services have. */
interface SentBody {
  readonly q?: string;
  readonly page?: number;
  readonly textQuery?: string;
  readonly pageToken?: string;
  readonly pageSize?: number;
  readonly filter?: { readonly property?: string };
  readonly start_cursor?: string;
  readonly page_size?: number;
  readonly search_after?: readonly [number, string];
  readonly size?: number;
  readonly sort?: readonly object[];
}
const jsonOf = ({ body }: CopiedRequest): SentBody => JSON.parse(body === '' ? '{}' : body) as SentBody;
const basic = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
/** The rows of a page, and whether there are more after it. */
const cut = <T>(rows: readonly T[], from: number, size: number): { rows: readonly T[]; more: boolean } => ({
  rows: rows.slice(from, from + size),
  more: from + size < rows.length,
});

const github: Copy = {
  service: 'github',
  source: 'docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api, 2026-11',
  apiKey: 'github-secret-token',
  queries: [
    { operation: 'searchIssues', query: { q: 'rate', per_page: 10 }, id: 'id', rows: named('', 25).map((_, i) => `${i}`), needed: 3 },
    { operation: 'issues', query: { owner: 'a', repo: 'b', per_page: 10 }, id: 'id', rows: named('', 30).map((_, i) => `${i}`), needed: 4 }, // the full last page twice
  ],
  answer({ url, headers }) {
    if (headers.authorization !== 'Bearer github-secret-token') return refused(401, { message: 'Bad credentials' });
    if (headers['user-agent'] === undefined) return refused(403, { message: 'Request forbidden by administrative rules.' });
    const search = url.pathname === '/search/issues';
    // The pages of a repository are linked by its number.
    if (!search && url.pathname !== '/repos/a/b/issues' && url.pathname !== '/repositories/7/issues')
      return refused(404, { message: 'Not Found' });
    const page = numberOf(url.searchParams.get('page'), 1);
    const size = numberOf(url.searchParams.get('per_page'), 30);
    const total = search ? 25 : 30;
    const all = Array.from({ length: total }, (_, id) => ({
      id,
      number: id,
      title: `Issue ${id}`,
      state: 'open',
      html_url: '',
      created_at: '2026-01-01',
    }));
    const { rows, more } = cut(all, (page - 1) * size, size);
    const next = new URL(search ? '/search/issues' : '/repositories/7/issues', url);
    next.search = url.search;
    next.searchParams.set('page', `${page + 1}`);
    return {
      headers: more ? { link: `<${next.href}>; rel="next", <${next.href}>; rel="last"` } : {},
      body: search ? { total_count: total, incomplete_results: false, items: rows } : rows,
    };
  },
};

const openalex: Copy = {
  service: 'openalex',
  source: 'docs.openalex.org/how-to-use-the-api/get-lists-of-entities/paging, 2026-11',
  apiKey: 'openalex-secret-key',
  queries: [{ operation: 'works', query: { search: 'rain', 'per-page': 20 }, id: 'id', rows: named('W', 60), needed: 3 }],
  answer({ url }) {
    const { searchParams } = url;
    if (searchParams.get('api_key') !== 'openalex-secret-key') return refused(401, { error: 'Unauthorized', message: 'Invalid key' });
    const cursor = searchParams.get('cursor');
    if (cursor === null) return refused(400, { error: 'Bad request', message: 'This copy knows cursors only.' });
    const from = cursor === '*' ? 0 : Number(Buffer.from(cursor, 'base64').toString());
    const size = numberOf(searchParams.get('per-page'), 25);
    const { rows } = cut(named('W', 60), from, size);
    // The page after the last one is empty, and only it has no cursor.
    const next = rows.length === 0 ? null : Buffer.from(`${from + size}`).toString('base64');
    const results = rows.map((id) => ({ id, doi: null, title: `On ${id}`, publication_year: 2024 }));
    return { body: { meta: { count: 60, per_page: size, next_cursor: next }, results } };
  },
};

/** Crossref keeps its place on the server: the cursor stays, the rows go on. */
const crossrefPlaces = new Map<string, number>();
const crossref: Copy = {
  service: 'crossref',
  source: 'github.com/CrossRef/rest-api-doc, 2026-11',
  keepsPlace: true,
  queries: [{ operation: 'works', query: { query: 'rain', rows: 20 }, id: 'DOI', rows: named('10.1', 50), needed: 3 }],
  answer({ url }) {
    const cursor = url.searchParams.get('cursor')!;
    const size = numberOf(url.searchParams.get('rows'), 20);
    const from = cursor === '*' ? 0 : crossrefPlaces.get(cursor)!;
    const token = cursor === '*' ? `DnF1ZXJ5${crossrefPlaces.size}` : cursor;
    crossrefPlaces.set(token, from + size);
    const items = cut(named('10.1', 50), from, size).rows.map((DOI) => ({ DOI, title: [`On ${DOI}`], type: 'journal-article' }));
    return { body: { status: 'ok', 'message-type': 'work-list', message: { 'total-results': 50, 'next-cursor': token, items } } };
  },
};

const hackerNews: Copy = {
  service: 'hackerNews',
  source: 'hn.algolia.com/api, 2026-11',
  queries: [{ operation: 'search', query: { query: 'rxjs', hitsPerPage: 20 }, id: 'objectID', rows: named('hn', 60), needed: 3 }],
  answer({ url }) {
    const page = numberOf(url.searchParams.get('page'), 0);
    const size = numberOf(url.searchParams.get('hitsPerPage'), 20);
    const hits = cut(named('hn', 60), page * size, size).rows.map((objectID) => ({ objectID, created_at: '2026-01-01', author: 'pg' }));
    return { body: { hits, nbHits: 60, nbPages: 3, page } };
  },
};

const googlePlaces: Copy = {
  service: 'googlePlaces',
  source: 'developers.google.com/maps/documentation/places/web-service/text-search, 2026-11',
  apiKey: 'places-secret-key',
  queries: [
    {
      operation: 'searchText',
      query: { textQuery: 'coffee in Berlin', fields: 'places.id,nextPageToken' },
      id: 'id',
      rows: named('ChIJ', 50),
      needed: 3,
    },
  ],
  answer(request) {
    const failed = (code: number, status: string, message: string) => refused(code, { error: { code, message, status } });
    if (request.headers['x-goog-api-key'] !== 'places-secret-key') return failed(403, 'PERMISSION_DENIED', 'The key is not valid.');
    if (request.headers['x-goog-fieldmask'] === undefined) return failed(400, 'INVALID_ARGUMENT', 'FieldMask is a required parameter.');
    const { textQuery, pageToken, pageSize = 20 } = jsonOf(request);
    if (textQuery === undefined) return failed(400, 'INVALID_ARGUMENT', 'Empty text_query.');
    const from = pageToken === undefined ? 0 : Number(pageToken.slice(1));
    const { rows, more } = cut(named('ChIJ', 50), from, pageSize);
    return { body: { places: rows.map((id) => ({ id })), ...(more && { nextPageToken: `t${from + pageSize}` }) } };
  },
};

const notion: Copy = {
  service: 'notion',
  source: 'developers.notion.com/reference/query-a-data-source, 2026-11',
  apiKey: 'notion-secret-key',
  queries: [
    {
      operation: 'query',
      query: { data_source_id: 'd1', filter: { property: 'Done', checkbox: { equals: true } }, page_size: 20 },
      id: 'id',
      rows: named('page', 60),
      needed: 3,
    },
  ],
  answer(request) {
    const failed = (status: number, code: string, message: string) => refused(status, { object: 'error', status, code, message });
    if (request.headers.authorization !== 'Bearer notion-secret-key') return failed(401, 'unauthorized', 'API token is invalid.');
    if (request.headers['notion-version'] === undefined) return failed(400, 'missing_version', 'Notion-Version header failed validation');
    if (request.method !== 'POST' || request.url.pathname !== '/v1/data_sources/d1/query')
      return failed(404, 'object_not_found', 'Could not find it');
    const { filter, start_cursor, page_size = 100, ...others } = jsonOf(request);
    if (filter?.property === undefined) return failed(400, 'validation_error', 'filter');
    if (Object.keys(others).length > 0) return failed(400, 'validation_error', `${Object.keys(others).join(', ')} should be not present`);
    const from = start_cursor === undefined ? 0 : Number(start_cursor.slice(1));
    const { rows, more } = cut(named('page', 60), from, page_size);
    return {
      body: {
        object: 'list',
        results: rows.map((id) => ({ object: 'page', id })),
        has_more: more,
        next_cursor: more ? `c${from + page_size}` : null,
      },
    };
  },
};

const stripe: Copy = {
  service: 'stripe',
  source: 'docs.stripe.com/api/pagination, 2026-11',
  apiKey: 'sk_test_secret',
  secrets: [basic('sk_test_secret', '').slice('Basic '.length)],
  queries: [
    { operation: 'customers', query: { limit: 20 }, id: 'id', rows: named('cus', 60), needed: 3 },
    { operation: 'charges', query: {}, id: 'id', rows: named('ch', 25), needed: 3 },
  ],
  answer({ url, headers }) {
    const failed = (status: number, message: string) => refused(status, { error: { type: 'invalid_request_error', message } });
    if (headers.authorization !== basic('sk_test_secret', '')) return failed(401, 'Invalid API Key provided');
    const all = url.pathname === '/v1/customers' ? named('cus', 60) : url.pathname === '/v1/charges' ? named('ch', 25) : undefined;
    if (all === undefined) return failed(404, 'Unrecognized request URL');
    const after = url.searchParams.get('starting_after');
    if (after !== null && !all.includes(after)) return failed(400, `No such row: '${after}'`);
    const { rows, more } = cut(all, after === null ? 0 : all.indexOf(after) + 1, numberOf(url.searchParams.get('limit'), 10));
    const data = rows.map((id) => ({ id, created: 1, email: null, amount: 5, currency: 'eur' }));
    return { body: { object: 'list', data, has_more: more, url: url.pathname } };
  },
};

let lagged = 0;
const mediaWiki: Copy = {
  service: 'mediaWiki',
  source: 'mediawiki.org/wiki/API:Continue, mediawiki.org/wiki/Manual:Maxlag_parameter, 2026-11',
  queries: [{ operation: 'pages', query: { gsrsearch: 'rain', gsrlimit: 20 }, id: 'title', rows: named('Rain', 50), needed: 3 }],
  failsFirst: 1,
  answer({ url, headers }) {
    const p = url.searchParams;
    const failed = (code: string, info: string) => ({ body: { error: { code, info }, servedby: 'mw1' } });
    if (!headers['user-agent']?.includes('@')) return refused(403, { error: { code: 'ua', info: 'Set a user agent.' } });
    if (p.get('action') !== 'query' || p.get('generator') !== 'search' || p.get('format') !== 'json')
      return failed('badvalue', 'Unrecognized value');
    // The first request of all meets a server that lags behind.
    if (lagged++ === 0) return { headers: { 'retry-after': '0' }, ...failed('maxlag', 'Waiting for a database: 6 seconds lagged.') };
    const from = numberOf(p.get('gsroffset'), 0);
    if (from > 0 && p.get('continue') !== 'gsroffset||') return failed('badcontinue', 'Invalid continue param.');
    const size = numberOf(p.get('gsrlimit'), 10);
    const { rows, more } = cut(named('Rain', 50), from, size);
    const pages = Object.fromEntries(rows.map((title, i) => [`${from + i + 1}`, { pageid: from + i + 1, ns: 0, title, length: 100 }]));
    return {
      body: { ...(more ? { continue: { gsroffset: from + size, continue: 'gsroffset||' } } : { batchcomplete: '' }), query: { pages } },
    };
  },
};

const reddit: Copy = {
  service: 'reddit',
  source: 'www.reddit.com/dev/api, github.com/reddit-archive/reddit/wiki/OAuth2, 2026-11',
  apiKey: 'app-id:app-secret-words',
  secrets: ['reddit-access-token', basic('app-id', 'app-secret-words').slice('Basic '.length), 'app-secret-words'],
  queries: [{ operation: 'posts', query: { subreddit: 'typescript', limit: 20 }, id: 'id', rows: named('t3', 60), needed: 5 }], // a token first, and the full last page twice
  answer(request) {
    const { url, headers } = request;
    if (!headers['user-agent']?.startsWith('node:')) return refused(429, { message: 'Too Many Requests', error: 429 });
    if (url.pathname === '/api/v1/access_token') {
      const asked = headers.authorization === basic('app-id', 'app-secret-words') && request.body.includes('grant_type=client_credentials');
      if (request.method !== 'POST' || !asked) return refused(401, { message: 'Unauthorized', error: 401 });
      return { body: { access_token: 'reddit-access-token', token_type: 'bearer', expires_in: 86_400, scope: '*' } };
    }
    if (headers.authorization !== 'Bearer reddit-access-token') return refused(401, { message: 'Unauthorized', error: 401 });
    if (url.pathname !== '/r/typescript/new') return refused(404, { message: 'Not Found', error: 404 });
    const after = url.searchParams.get('after');
    const all = named('t3', 60);
    const { rows, more } = cut(all, after === null ? 0 : all.indexOf(after) + 1, numberOf(url.searchParams.get('limit'), 25));
    const children = rows.map((id) => ({ kind: 't3', data: { id, title: id, author: 'a', created_utc: 1.5, permalink: `/r/${id}` } }));
    return {
      headers: { 'x-ratelimit-remaining': '90.0', 'x-ratelimit-used': '10', 'x-ratelimit-reset': '300' },
      body: { kind: 'Listing', data: { children, after: more ? rows.at(-1) : null, before: null } },
    };
  },
};

const openSearch: Copy = {
  service: 'openSearch',
  source: 'docs.opensearch.org/latest/search-plugins/searching-data/paginate, 2026-11',
  apiKey: 'reader:opensearch-secret',
  secrets: ['opensearch-secret', basic('reader', 'opensearch-secret').slice('Basic '.length)],
  queries: [
    {
      operation: 'search',
      query: { index: 'docs', query: { match_all: {} }, sort: [{ at: 'asc' }, { _id: 'asc' }], size: 20 },
      id: '_id',
      rows: named('doc', 60),
      needed: 3,
    },
  ],
  answer(request) {
    const failed = (status: number, type: string, reason: string) => refused(status, { error: { type, reason }, status });
    if (request.headers.authorization !== basic('reader', 'opensearch-secret'))
      return failed(401, 'security_exception', 'unable to authenticate');
    if (request.url.pathname !== '/docs/_search') return failed(404, 'index_not_found_exception', 'no such index');
    const { search_after, size = 10, sort } = jsonOf(request);
    if (!Array.isArray(sort)) return failed(400, 'parsing_exception', 'sort must be there');
    if (search_after !== undefined && (!Array.isArray(search_after) || search_after.length !== sort.length)) {
      return failed(400, 'illegal_argument_exception', 'search_after has not as many values as sort');
    }
    const { rows } = cut(named('doc', 60), search_after === undefined ? 0 : search_after[0] + 1, size);
    const all = named('doc', 60);
    const hits = rows.map((_id) => ({ _index: 'docs', _id, _source: { title: _id }, sort: [all.indexOf(_id), _id] }));
    return { body: { took: 1, timed_out: false, hits: { total: { value: 60, relation: 'eq' }, max_score: null, hits } } };
  },
};

const youtube: Copy = {
  service: 'youtube',
  source: 'developers.google.com/youtube/v3/docs/search/list, developers.google.com/youtube/v3/docs/videos/list, 2026-11',
  apiKey: 'youtube-secret-key',
  queries: [{ operation: 'search', query: { q: 'rain' }, id: 'id.videoId', rows: named('vid', 120), needed: 3 }],
  answer({ url }): CopiedResponse {
    const p = url.searchParams;
    const failed = (code: number, reason: string) => refused(code, { error: { code, message: reason, errors: [{ reason }] } });
    if (p.get('key') !== 'youtube-secret-key') return failed(400, 'keyInvalid');
    if (p.get('part') === null) return failed(400, 'missingRequiredParameter');
    if (url.pathname === '/youtube/v3/videos') {
      const ids = p.get('id')!.split(',');
      if (ids.length > 50) return failed(400, 'invalidFilters');
      const items = ids.map((id) => ({ id, snippet: { title: id, publishedAt: '2026-01-01' }, statistics: { viewCount: '7' } }));
      return { body: { items: items.filter(({ id }) => id !== 'vid-7') } }; // one video was taken down
    }
    const token = p.get('pageToken');
    const from = token === null ? 0 : Number(token.slice(1));
    const { rows, more } = cut(named('vid', 120), from, 50);
    const items = rows.map((videoId) => ({ id: { kind: 'youtube#video', videoId }, snippet: { title: videoId } }));
    return { body: { items, ...(more && { nextPageToken: `P${from + 50}` }) } };
  },
};

export const copies: readonly Copy[] = [
  github,
  openalex,
  crossref,
  hackerNews,
  googlePlaces,
  notion,
  stripe,
  mediaWiki,
  reddit,
  openSearch,
  youtube,
];
