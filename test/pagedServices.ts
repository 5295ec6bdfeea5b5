/** One operation as a documentation says that it pages: what describes it, and what it responds. */
export interface PagedOperation {
  /** What every query has besides `q`. */
  readonly given?: { readonly [param: string]: unknown };
  /** Its description, without the path. Where it posts, `query` stands for the body. */
  readonly words: { readonly rows: string; readonly [word: string]: unknown };
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
    words: { response: { items: [row], 'next?': 'string|null' }, rows: 'items', query: { cursor: '${cursor:*}' }, next: 'next' },
    reply(sent, rows) {
      const from = sent['cursor'] === '*' ? 0 : Number(sent['cursor']);
      if (names(sent) !== 'cursor,q') return undefined;
      return { items: pageFrom(rows, from), next: from + size < total ? String(from + size) : null };
    },
  },
  // Notion, Slack: the last page has a token too, or the flag is the only sign of an end.
  flag: {
    words: {
      response: { results: [row], next: 'string', has_more: 'boolean' },
      rows: 'results',
      query: { start: '${cursor}' },
      next: 'next',
      more: 'has_more',
    },
    reply(sent, rows) {
      const from = Number(sent['start'] ?? 0);
      if (from >= total) return undefined;
      return { results: pageFrom(rows, from), next: String(from + size), has_more: from + size < total };
    },
  },
  // OAI-PMH: a resumption token is an exclusive argument.
  alone: {
    words: {
      params: { limit: text },
      response: { records: [row], 'token?': 'string' },
      rows: 'records',
      query: { token: '${cursor}' },
      next: 'token',
      alone: true,
    },
    given: { limit: '10' },
    reply: (sent) => tokenAlone(sent, 'token'),
  },
  aloneWithLimit: {
    words: {
      params: { limit: text },
      response: { records: [row], 'token?': 'string' },
      rows: 'records',
      query: { token: '${cursor}' },
      next: 'token',
      alone: ['limit'],
    },
    given: { limit: '10' },
    reply: (sent) => tokenAlone(sent, 'limit,token'),
  },
  numberToken: {
    words: {
      params: { offset: { type: 'integer' } },
      response: { items: [row], 'next?': 'integer' },
      rows: 'items',
      query: { offset: '${cursor}' },
      next: 'next',
    },
    reply(sent, rows) {
      const from = Number(sent['offset'] ?? 0);
      return { items: pageFrom(rows, from), ...(from + size < total ? { next: from + size } : {}) };
    },
  },
  // DynamoDB: the key to start after is an object.
  objectToken: {
    words: {
      params: { startKey: { type: 'object' } },
      response: { items: [row], 'lastKey?': 'unknown' },
      rows: 'items',
      body: { startKey: '${cursor}' },
      next: 'lastKey',
    },
    post: true,
    reply(sent, rows) {
      const key = sent['startKey'] as { readonly at: { readonly rank: number } } | undefined;
      const from = key === undefined ? 0 : key.at.rank + 1;
      return { items: pageFrom(rows, from), ...(from + size < total ? { lastKey: { at: { rank: from + size - 1 } } } : {}) };
    },
  },
  // Stripe.
  lastId: {
    words: { response: { data: [row], has_more: 'boolean' }, rows: 'data', query: { starting_after: '${last.id}' }, more: 'has_more' },
    reply(sent, rows) {
      const from = after(rows, ({ id }) => id === sent['starting_after']);
      if (sent['starting_after'] !== undefined && from === 0) return undefined;
      return { data: pageFrom(rows, from), has_more: from + size < total };
    },
  },
  lastRankAlone: {
    words: {
      params: { since: { type: 'integer' }, limit: text },
      response: { data: [row] },
      rows: 'data',
      query: { since: '${last.at.rank}' },
      alone: ['limit', 'q'],
    },
    given: { limit: '10' },
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
    words: {
      params: { search_after: { type: 'array' } },
      response: { hits: { hits: [row] } },
      rows: 'hits.hits',
      body: { search_after: '${last.sort}' },
    },
    post: true,
    reply: searchAfter,
  },
  searchAfterFields: {
    words: {
      params: { search_after: { type: 'array' } },
      response: { hits: { hits: [row] } },
      rows: 'hits.hits',
      body: { search_after: ['${last.rank}', '${last.id}'] },
    },
    post: true,
    reply: searchAfter,
  },
  // MediaWiki: some of what continues is declared, some isn't. It stands beside the data.
  merged: {
    words: {
      params: { gapfrom: text },
      response: { pages: { $map: row } },
      rows: 'pages',
      merge: 'continue',
      keyed: 'page',
      envelope: { data: 'query' },
      query: { action: 'query' },
    },
    reply(sent, rows) {
      const from = Number(sent['gapfrom'] ?? 0);
      if (names(sent) !== (from === 0 ? 'action,q' : 'action,continue,gapfrom,q')) return undefined;
      const query = { pages: Object.fromEntries(pageFrom(rows, from).map((one) => [`p${one.rank}`, one])) };
      return { ...(from + size < total ? { continue: { gapfrom: from + size, continue: 'gapfrom||' } } : { batchcomplete: true }), query };
    },
  },
  mergedAlone: {
    words: { params: {}, response: { rows: [row], more: { next: 'unknown' } }, rows: 'rows', merge: 'more.next', alone: true },
    post: true,
    reply(sent) {
      const { from = 0, of = sent['q'] } = sent as { readonly from?: number; readonly of?: string };
      if (names(sent) !== (sent['from'] === undefined ? 'q' : 'from,of')) return undefined;
      return { rows: pageFrom(rowsOf(of as string), from), more: { next: from + size < total ? { from: from + size, of } : null } };
    },
  },
  // Algolia.
  numberOfPages: {
    words: { response: { hits: [row], nbPages: 'integer' }, rows: 'hits', query: { page: '${page}' }, pages: 'nbPages' },
    reply(sent, rows) {
      const page = Number(sent['page'] ?? 0);
      return page > 2 ? undefined : { hits: pageFrom(rows, page * size), nbPages: 3 };
    },
  },
  numberOfPagesAlone: {
    words: {
      params: { limit: text },
      response: { hits: [row], pages: 'string' },
      rows: 'hits',
      query: { page: '${page:1}' },
      pages: 'pages',
      alone: ['q'],
    },
    given: { limit: '10' },
    reply(sent, rows) {
      const page = Number(sent['page'] ?? 1);
      if (page > 3 || names(sent) !== (page === 1 ? 'limit,page,q' : 'page,q')) return undefined;
      return { hits: pageFrom(rows, (page - 1) * size), pages: '3' };
    },
  },
  // It always has a token, and refuses what is behind the last row.
  claimed: {
    words: {
      response: { rows: [row], next: 'string', total: 'integer' },
      rows: 'rows',
      query: { after: '${cursor}' },
      next: 'next',
      total: 'total',
      id: 'id',
    },
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
    words: {
      response: { hits: [row], scroll: 'string' },
      rows: 'hits',
      query: { scroll: '${cursor}' },
      next: 'scroll',
      alone: true,
      repeats: true,
    },
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
    ([
      name,
      {
        words: { params, query, ...words },
        post,
      },
    ]) => {
      const spec = {
        [post === true ? 'post' : 'get']: `/${name}`,
        [post === true ? 'body' : 'query']: query,
        params: { q: { type: 'string', required: true }, ...(params as object) },
        ...words,
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
