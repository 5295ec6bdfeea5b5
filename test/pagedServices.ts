/** One operation as a documentation says that it pages: what describes it, and what it responds. */
export interface PagedOperation {
  readonly params: { readonly [param: string]: { readonly type: string; readonly [field: string]: unknown } };
  /** What every query has besides `q`. */
  readonly given?: { readonly [param: string]: unknown };
  readonly response: object;
  readonly list: string;
  readonly paging: { readonly kind: string; readonly [field: string]: unknown };
  readonly more?: { readonly [field: string]: unknown };
  readonly post?: true;
  /** undefined: it refuses the request. */
  reply(sent: Sent, rows: readonly PagedRow[]): object | undefined;
}
/** The parameters as they arrive: from the address as texts, or from the body. */
export interface Sent {
  readonly [param: string]: unknown;
}
export interface PagedRow {
  readonly id: string;
  readonly rank: number;
  readonly sort: readonly [number, string];
  readonly at: { readonly rank: number };
}

export const total = 25;
const size = 10;
export const rowsOf = (q: string): readonly PagedRow[] =>
  Array.from({ length: total }, (_, rank) => ({ id: `${q}-${rank}`, rank, sort: [rank, `${q}-${rank}`], at: { rank } }));

const names = (sent: Sent): string => Object.keys(sent).sort().join();
const pageFrom = (rows: readonly PagedRow[], from: number): readonly PagedRow[] => rows.slice(from, from + size);
const row = { id: 'string', rank: 'integer', sort: ['unknown'], at: { rank: 'integer' } };
const text = { type: 'string' };
/** The row after the one that has this field. */
const after = (rows: readonly PagedRow[], has: (row: PagedRow) => boolean): number => rows.findIndex(has) + 1;

export const pagedOperations: { readonly [name: string]: PagedOperation } = {
  // Crossref, OpenAlex: without cursor=* there is no token at all.
  firstToken: {
    params: { cursor: text },
    response: { items: [row], 'next?': 'string|null' },
    list: 'items',
    paging: { kind: 'cursor', param: 'cursor', at: ['next'], first: '*' },
    reply(sent, rows) {
      const from = sent['cursor'] === '*' ? 0 : Number(sent['cursor']);
      if (names(sent) !== 'cursor,q') return undefined;
      return { items: pageFrom(rows, from), next: from + size < total ? String(from + size) : null };
    },
  },
  // Notion, Slack: the last page has a token too, or the flag is the only sign of an end.
  flag: {
    params: { start: text },
    response: { results: [row], next: 'string', has_more: 'boolean' },
    list: 'results',
    paging: { kind: 'cursor', param: 'start', at: ['next'], more: 'has_more' },
    reply(sent, rows) {
      const from = Number(sent['start'] ?? 0);
      if (from >= total) return undefined;
      return { results: pageFrom(rows, from), next: String(from + size), has_more: from + size < total };
    },
  },
  // OAI-PMH: a resumption token is an exclusive argument.
  alone: {
    params: { token: text, limit: text },
    given: { limit: '10' },
    response: { records: [row], 'token?': 'string' },
    list: 'records',
    paging: { kind: 'cursor', param: 'token', at: ['token'], alone: true },
    reply: (sent) => tokenAlone(sent, 'token'),
  },
  aloneWithLimit: {
    params: { token: text, limit: text },
    given: { limit: '10' },
    response: { records: [row], 'token?': 'string' },
    list: 'records',
    paging: { kind: 'cursor', param: 'token', at: ['token'], alone: ['limit'] },
    reply: (sent) => tokenAlone(sent, 'limit,token'),
  },
  numberToken: {
    params: { offset: { type: 'integer' } },
    response: { items: [row], 'next?': 'integer' },
    list: 'items',
    paging: { kind: 'cursor', param: 'offset', at: ['next'] },
    reply(sent, rows) {
      const from = Number(sent['offset'] ?? 0);
      return { items: pageFrom(rows, from), ...(from + size < total ? { next: from + size } : {}) };
    },
  },
  // DynamoDB: the key to start after is an object.
  objectToken: {
    params: { startKey: { type: 'object' } },
    response: { items: [row], 'lastKey?': 'unknown' },
    list: 'items',
    paging: { kind: 'cursor', param: 'startKey', at: ['lastKey'] },
    post: true,
    reply(sent, rows) {
      const key = sent['startKey'] as { readonly at: { readonly rank: number } } | undefined;
      const from = key === undefined ? 0 : key.at.rank + 1;
      return { items: pageFrom(rows, from), ...(from + size < total ? { lastKey: { at: { rank: from + size - 1 } } } : {}) };
    },
  },
  // Stripe.
  lastId: {
    params: { starting_after: text },
    response: { data: [row], has_more: 'boolean' },
    list: 'data',
    paging: { kind: 'last', param: 'starting_after', from: 'id', more: 'has_more' },
    reply(sent, rows) {
      const from = after(rows, ({ id }) => id === sent['starting_after']);
      if (sent['starting_after'] !== undefined && from === 0) return undefined;
      return { data: pageFrom(rows, from), has_more: from + size < total };
    },
  },
  lastRankAlone: {
    params: { since: { type: 'integer' }, limit: text },
    given: { limit: '10' },
    response: { data: [row] },
    list: 'data',
    paging: { kind: 'last', param: 'since', from: 'at.rank', alone: ['limit', 'q'] },
    reply(sent, rows) {
      if (names(sent) !== (sent['since'] === undefined ? 'limit,q' : 'limit,q,since')) return undefined;
      return {
        data: pageFrom(
          rows,
          after(rows, ({ rank }) => String(rank) === sent['since']),
        ),
      };
    },
  },
  // Elasticsearch.
  searchAfter: {
    params: { search_after: { type: 'array' } },
    response: { hits: { hits: [row] } },
    list: 'hits.hits',
    paging: { kind: 'last', param: 'search_after', from: 'sort' },
    post: true,
    reply: searchAfter,
  },
  searchAfterFields: {
    params: { search_after: { type: 'array' } },
    response: { hits: { hits: [row] } },
    list: 'hits.hits',
    paging: { kind: 'last', param: 'search_after', from: ['rank', 'id'] },
    post: true,
    reply: searchAfter,
  },
  // MediaWiki: some of what continues is declared, some isn't. It stands beside the data.
  merged: {
    params: { gapfrom: text },
    response: { pages: { $map: row } },
    list: 'pages',
    paging: { kind: 'merge', at: 'continue' },
    more: { keyed: 'page', envelope: { data: 'query' }, query: { action: 'query' } },
    reply(sent, rows) {
      const from = Number(sent['gapfrom'] ?? 0);
      if (names(sent) !== (from === 0 ? 'action,q' : 'action,continue,gapfrom,q')) return undefined;
      const query = { pages: Object.fromEntries(pageFrom(rows, from).map((one) => [`p${one.rank}`, one])) };
      return { ...(from + size < total ? { continue: { gapfrom: from + size, continue: 'gapfrom||' } } : { batchcomplete: true }), query };
    },
  },
  mergedAlone: {
    params: {},
    response: { rows: [row], more: { next: 'unknown' } },
    list: 'rows',
    paging: { kind: 'merge', at: 'more.next', alone: true },
    post: true,
    reply(sent) {
      const { from = 0, of = sent['q'] } = sent as { readonly from?: number; readonly of?: string };
      if (names(sent) !== (sent['from'] === undefined ? 'q' : 'from,of')) return undefined;
      return { rows: pageFrom(rowsOf(of as string), from), more: { next: from + size < total ? { from: from + size, of } : null } };
    },
  },
  // Algolia.
  numberOfPages: {
    params: { page: { type: 'integer' } },
    response: { hits: [row], nbPages: 'integer' },
    list: 'hits',
    paging: { kind: 'offset', param: 'page', step: 1, pages: 'nbPages' },
    reply(sent, rows) {
      const page = Number(sent['page'] ?? 0);
      return page > 2 ? undefined : { hits: pageFrom(rows, page * size), nbPages: 3 };
    },
  },
  numberOfPagesAlone: {
    params: { page: { type: 'integer' }, limit: text },
    given: { limit: '10' },
    response: { hits: [row], pages: 'string' },
    list: 'hits',
    paging: { kind: 'offset', param: 'page', first: 1, step: 1, pages: 'pages', alone: ['q'] },
    reply(sent, rows) {
      const page = Number(sent['page'] ?? 1);
      if (page > 3 || names(sent) !== (page === 1 ? 'limit,q' : 'page,q')) return undefined;
      return { hits: pageFrom(rows, (page - 1) * size), pages: '3' };
    },
  },
  // It always has a token, and refuses what is behind the last row.
  claimed: {
    params: { after: text },
    response: { rows: [row], next: 'string', total: 'integer' },
    list: 'rows',
    paging: { kind: 'cursor', param: 'after', at: ['next'] },
    more: { claims: { at: 'total' }, id: 'id' },
    reply(sent, rows) {
      const from = Number(sent['after'] ?? 0);
      return from >= total ? undefined : { rows: pageFrom(rows, from), next: String(from + size), total };
    },
  },
};

/** The pages of a scroll: the service itself counts how many of them were requested. */
const scrolls = new Map<string, { readonly q: string; pages: number }>();

/** Operations whose token is the same for all pages of a walk. */
export const scrolledOperations: { readonly [name: string]: PagedOperation } = {
  // Elasticsearch's scroll.
  scroll: {
    params: { scroll: text },
    response: { hits: [row], scroll: 'string' },
    list: 'hits',
    paging: { kind: 'cursor', param: 'scroll', at: ['scroll'], repeats: true, alone: true },
    reply: (sent) => scrolled(sent, 'scroll'),
  },
};

function scrolled(sent: Sent, later: string): object | undefined {
  if (names(sent) !== (sent['scroll'] === undefined ? 'q' : later)) return undefined;
  const id = (sent['scroll'] as string | undefined) ?? `scroll ${scrolls.size}`;
  if (sent['scroll'] === undefined) scrolls.set(id, { q: sent['q'] as string, pages: 0 });
  const walk = scrolls.get(id);
  if (walk === undefined) return undefined;
  const hits = pageFrom(rowsOf(walk.q), size * walk.pages);
  walk.pages += 1;
  return { hits, scroll: id };
}

function tokenAlone(sent: Sent, beside: string): object | undefined {
  const token = sent['token'] as string | undefined;
  if (names(sent) !== (token === undefined ? 'limit,q' : beside)) return undefined;
  const [q, from] = token === undefined ? [sent['q'] as string, 0] : [token.split(':')[0]!, Number(token.split(':')[1])];
  return { records: pageFrom(rowsOf(q), from), ...(from + size < total ? { token: `${q}:${from + size}` } : {}) };
}

function searchAfter(sent: Sent, rows: readonly PagedRow[]): object | undefined {
  const sort = sent['search_after'] as PagedRow['sort'] | undefined;
  if (sort !== undefined && (sort.length !== 2 || typeof sort[0] !== 'number')) return undefined;
  return { hits: { hits: pageFrom(rows, sort === undefined ? 0 : after(rows, ({ id }) => id === sort[1])) } };
}

/** A module that describes them all, for processes of their own. */
export function pagedModule(dist: string): string {
  const operations = Object.entries({ ...pagedOperations, ...scrolledOperations }).map(
    ([name, { params, response, list, paging, more, post }]) => {
      const spec = {
        [post === true ? 'post' : 'get']: `/${name}`,
        list,
        params: { q: { type: 'string', required: true }, ...params },
        response,
        paging,
        ...more,
      };
      return `${name}: defineOperation(${JSON.stringify(spec)}),`;
    },
  );
  return `
import { defineOperation, defineService } from '${dist}/bundle/index.js';
export default defineService({ name: 'paged', operations: {
${operations.join('\n')}
} });
`;
}
