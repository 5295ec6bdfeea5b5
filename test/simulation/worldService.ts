import { defineOperation, defineService, type Operation, type Paging, type Service } from '../../src/contract/index.ts';
import { parts, view } from './WorldTruth.ts';
import type { World, WorldOperation } from './World.ts';

const kinds: { readonly [paging in WorldOperation['paging']]: Paging } = {
  token: { kind: 'cursor', param: 'after', at: ['next'] },
  more: { kind: 'cursor', param: 'after', at: ['next'], more: 'more' },
  page: { kind: 'offset', param: 'page', step: 1 },
  received: { kind: 'offset', param: 'page', step: 'received' },
  last: { kind: 'last', param: 'after', from: 'id' },
  pages: { kind: 'offset', param: 'page', first: 1, step: 1, pages: 'pages' },
  scroll: { kind: 'cursor', param: 'after', at: ['next'], repeats: true },
  merge: { kind: 'merge', at: 'onward' },
};

export const operationName = (number: number): string => `op${number}`;

/** The description of a world's service. */
export function worldService({ operations }: Pick<World, 'operations'>): Service {
  return defineService({
    name: 'world',
    operations: Object.fromEntries(operations.map((operation, number) => [operationName(number), describe(operation, number)])),
  });
}

/** Worlds share equal descriptions, which saves most of the time that making them takes. */
const known = new Map<string, Operation>();

function describe({ paging, claims, dated = false, has }: WorldOperation, number: number): Operation {
  const what = [number, paging, claims !== undefined, dated, has].join(' ');
  let operation = known.get(what);
  if (operation === undefined) known.set(what, (operation = make({ paging, claims, dated, has }, number)));
  return operation;
}

function make({ paging, claims, dated, has }: Pick<WorldOperation, 'paging' | 'claims' | 'dated' | 'has'>, number: number): Operation {
  return defineOperation({
    name: operationName(number),
    get: `/${operationName(number)}`,
    params: {
      key: { type: 'string', required: true },
      after: { type: 'string' },
      page: { type: 'integer' },
      part: { type: 'string' },
      low: { type: 'integer' },
      high: { type: 'integer' },
      since: { type: 'string' },
      until: { type: 'string' },
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
    list: 'rows',
    paging: kinds[paging],
    id: 'id',
    ...(claims === undefined ? {} : { claims: { at: 'total', unless: ['part'] } }),
    ...(has === 'place' ? { splits: { full: 20, area } } : {}),
    ...(dated === true ? { order: { param: 'sort', newest: 'new', time: 'at' } } : {}),
  });
}

const more = { none: {}, price: { price: 'integer' }, place: { latitude: 'number', longitude: 'number' } } as const;

const area = { param: 'view', write: view, latitude: 'latitude', longitude: 'longitude', words: 'key', zoom: [3, 21] } as const;

export const splitBy = { by: 'part', values: parts } as const;
