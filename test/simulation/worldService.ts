import { defineService, type Operation, type Service } from '../../src/contract/index.ts';
import { madeOperation } from '../../src/contract/madeOperation.ts';
import { parts, view } from './WorldTruth.ts';
import type { World, WorldOperation } from './World.ts';

const token = { query: { after: '${cursor}' }, next: 'next' } as const;
const kinds = {
  token,
  more: { ...token, more: 'more' },
  page: { query: { page: '${page}' } },
  received: { query: { page: '${offset}' } },
  last: { query: { after: '${last.id}' } },
  pages: { query: { page: '${page:1}' }, pages: 'pages' },
  scroll: { ...token, repeats: true },
  merge: { merge: 'onward' },
} as const satisfies { readonly [paging in WorldOperation['paging']]: object };

export const operationName = (number: number): string => `op${number}`;

/** The description of a world's service. */
export function worldService({ operations, stages = [] }: Pick<World, 'operations'> & Partial<Pick<World, 'stages'>>): Service {
  const byDays = new Set(stages.flatMap(({ operation, split }) => (split === 'dates' ? [operation] : [])));
  return defineService({
    name: 'world',
    operations: Object.fromEntries(
      operations.map((operation, number) => [operationName(number), describe(operation, number, byDays.has(number))]),
    ),
  });
}

/** Worlds share equal descriptions, which saves most of the time that making them takes. */
const known = new Map<string, Operation>();

function describe({ paging, claims, dated = false, has, cap = 5 }: WorldOperation, number: number, byDays: boolean): Operation {
  // half of them with bounds from the first query on
  const days = byDays ? { query: { since: '${from}', until: '${to}' }, ...(cap % 2 === 0 ? { most: '60d' } : {}) } : { query: {} };
  const what = [number, paging, claims !== undefined, dated, has, JSON.stringify(days)].join(' ');
  let operation = known.get(what);
  if (operation === undefined) known.set(what, (operation = make({ paging, claims, dated, has }, days, number)));
  return operation;
}

function make(
  { paging, claims, dated, has }: Pick<WorldOperation, 'paging' | 'claims' | 'dated' | 'has'>,
  days: { readonly query: object },
  number: number,
): Operation {
  const kind: { readonly query?: object; readonly merge?: string } = kinds[paging];
  return madeOperation({
    name: operationName(number),
    get: `/${operationName(number)}`,
    params: {
      key: { type: 'string', required: true },
      after: { type: 'string' },
      page: { type: 'integer' },
      part: { type: 'string' },
      low: { type: 'integer' },
      high: { type: 'integer' },
      view: { type: 'string' },
      sort: { type: 'string' },
    },
    response: {
      rows: [{ id: 'string', rank: 'integer', at: 'string', group: 'string', part: 'string', text: 'string', ...more[has ?? 'none'] }],
      'next?': 'string|null',
      'onward?': { after: 'string', hint: 'string' },
      'more?': 'boolean',
      'pages?': 'integer',
      'total?': 'integer',
    },
    rows: 'rows',
    ...kind,
    ...days,
    query: { ...kind.query, ...days.query },
    id: 'id',
    ...(claims === undefined ? {} : { total: 'total', ownPaging: { unless: ['part'] } }),
    ...(has === 'place' ? { splits: { full: 20, area } } : {}),
    ...(dated === true ? { time: 'at', order: { sort: 'new' } } : {}),
  });
}

const more = { none: {}, price: { price: 'integer' }, place: { latitude: 'number', longitude: 'number' } } as const;

const area = { param: 'view', write: view, latitude: 'latitude', longitude: 'longitude', words: 'key', zoom: [3, 21] } as const;

export const splitBy = { by: 'part', values: parts } as const;
