import { defineService, type Operation, type Service } from '../src/contract/index.ts';
import { madeOperation } from '../src/contract/madeOperation.ts';
import type { StageDefinition } from '../src/flow/definition/flowFormat.ts';
import type { FakeRequest } from '../src/testing/index.ts';
import { ofTheDay } from './ofTheDay.ts';

/** What goes wrong with a response: the nth for its query, from 1. */
const mishaps = {
  none: () => false,
  'a lost token, once': (nth: number) => nth === 1,
  'a lost token, always': (nth: number) => nth >= 2,
  'an empty page, once': (nth: number) => nth === 2,
  'an empty page, twice': (nth: number) => nth === 2 || nth === 3,
  'empty pages, for ever': (nth: number) => nth >= 2,
  'an empty first page, once': (nth: number) => nth === 1,
  'an empty first page, twice': (nth: number) => nth <= 2,
  'a cut page, once': (nth: number) => nth === 2,
  'the page before, once': (nth: number) => nth === 2,
  'the page before, twice': (nth: number) => nth === 2 || nth === 3,
  'the first page, for ever': () => true,
  'other rows the second time': (nth: number) => nth === 3,
  'no list, once': (nth: number) => nth === 2,
} as const;
type Mishap = keyof typeof mishaps;

const token = { query: { after: '${cursor}' }, next: 'next' } as const;
const counted = { query: { page: '${page}' } } as const;
const pagings = {
  token,
  sizedToken: { ...token, size: 10 },
  page: counted,
  pageMore: { ...counted, more: 'more' },
  numbered: { ...counted, ownPaging: { numbers: { at: 'numbers' } } },
  tens: { query: { page: '${offset}' }, size: 10 },
  received: { query: { page: '${offset}' } },
} as const;
const facts = {
  nothing: {},
  claimed: { total: 'total', id: 'id' },
  estimated: { estimates: 'total' },
  capped: { splits: { full: 20 }, id: 'id' },
  unlisted: { listUndocumented: true },
} as const;
const limits: { readonly [name: string]: { readonly maxPages?: number; readonly maxItems?: number } } = {
  all: {},
  twoPages: { maxPages: 2 },
  someRows: { maxItems: 15 },
};
/** All of them with TRAWLER_LONG. */
const totals = process.env['TRAWLER_LONG'] === '1' ? [0, 7, 20, 25, 40] : [20, 25];
const size = 10;

/** One operation for each way of paging, what is known of its rows, and how far it is walked. */
export const walkedOperations: readonly string[] = Object.keys(pagings).flatMap((paging) =>
  Object.keys(facts).flatMap((fact) => Object.keys(limits).map((limit) => `${paging}_${fact}_${limit}`)),
);

/** How many rows there are, and what goes wrong. */
export const worlds: readonly string[] = totals.flatMap((total) => Object.keys(mishaps).map((name) => `${total} rows, ${name}`));

/**
 * The worlds in which an operation is walked: a fourteenth of them each day, within two weeks all. The operation that pages alike and has
 * other limits walks in other ones.
 */
export function worldsOf(operation: string): readonly string[] {
  return ofTheDay(worlds, Math.ceil(worlds.length / 14), walkedOperations.indexOf(operation));
}

/** How far the walks of an operation go. */
export function limitsOf(operation: string): { readonly maxPages?: number; readonly maxItems?: number } {
  return limits[operation.split('_')[2] ?? 'all']!;
}

function operationOf(name: string): Operation {
  const [paging = '', fact = ''] = name.split('_');
  return madeOperation({
    name,
    get: `/${name}`,
    about: 'some rows',
    params: {
      world: { type: 'string', required: true, about: 'which rows' },
      after: { type: 'string', about: 'a token' },
      page: { type: 'integer', about: 'a page' },
    },
    response: {
      'rows?': [{ id: 'string', rank: 'integer', text: 'string' }],
      'next?': 'string|null',
      'more?': 'boolean',
      'total?': 'integer',
      'numbers?': 'unknown',
    },
    rows: 'rows',
    ...pagings[paging as keyof typeof pagings],
    ...facts[fact as keyof typeof facts],
  });
}

/** The service of all worlds. */
export const worldService: Service = defineService({
  name: 'worlds',
  operations: Object.fromEntries(walkedOperations.map((name) => [name, operationOf(name)])),
});

/** The stage of a flow that walks these worlds of an operation. */
export function worldStage(operation: string, worlds: readonly string[]): StageDefinition {
  const { maxPages, maxItems } = limitsOf(operation);
  return {
    call: operation,
    with: { world: worlds },
    pages: maxPages ?? 'all',
    ...(maxItems === undefined ? {} : { limit: maxItems }),
    to: `${operation}.jsonl`,
  };
}

/** A service that keeps count of the requests for each query: the same worlds again for whoever walks them. */
export function worldResponses(): (request: FakeRequest) => object {
  const counts = new Map<string, number>();
  return ({ operation, query }) => {
    const [paging = ''] = operation.split('_');
    const world = String(query['world']);
    const [, rows, name] = /^(\d+) rows, (.*)$/.exec(world)!;
    const key = `${operation} ${world}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    const mishap = mishaps[name as Mishap](nth) ? (name as Mishap) : 'none';
    const per = paging.startsWith('page') || paging === 'numbered' ? size : 1;
    return responseAt(Number(rows), Number(query['after'] ?? Number(query['page'] ?? 0) * per), mishap, world);
  };
}

function responseAt(total: number, from: number, mishap: Mishap, world: string): object {
  const rowsAt = (at: number, count = size): object[] =>
    Array.from({ length: Math.max(0, Math.min(count, total - at)) }, (_, index) => ({
      id: `${world} ${at + index}`,
      rank: at + index,
      text: 'the same text in every row',
    }));
  const isEmpty = mishap.startsWith('an empty') || mishap.startsWith('empty');
  const leadsOn = (isEmpty && from > 0) || mishap === 'the first page, for ever';
  const hasMore = from + size < total || (leadsOn && from < 8 * size);
  const isLost = mishap.startsWith('a lost token');
  const rows = isEmpty
    ? []
    : mishap === 'a cut page, once'
      ? rowsAt(from, size / 2)
      : mishap.startsWith('the page before')
        ? rowsAt(Math.max(0, from - size))
        : mishap === 'the first page, for ever'
          ? rowsAt(0)
          : mishap === 'other rows the second time'
            ? rowsAt(from + 3)
            : rowsAt(from);
  return {
    ...(mishap === 'no list, once' ? {} : { rows }),
    next: hasMore && !isLost ? String(from + size) : null,
    more: hasMore && !isLost,
    total,
    numbers: Object.fromEntries(Array.from({ length: Math.ceil(total / size) }, (_, index) => [index + 1, ''])),
  };
}
