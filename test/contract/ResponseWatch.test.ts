import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseWatch, checkResponse, defineOperation } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';
import { arbitraryOf } from './arbitraryOf.ts';

const operation = defineOperation({
  name: 'own',
  path: '/own',
  about: 'For this test.',
  params: {},
  response: {
    rows: [{ id: 'string', user: { name: 'string' }, 'block?': { $oneOf: [{ type: '=a', a: 'string' }, { type: '=b' }], $by: 'type' } }],
    more: { total: 'integer' },
  },
  list: 'rows',
  paging: { kind: 'none' },
});
const good = { rows: [{ id: 'x', user: { name: 'n' } }], more: { total: 1 } };
const paths = (watch: ResponseWatch, data: unknown): string[] => watch.check(operation, data, {}).map(({ path }) => path);
const counts = (watch: ResponseWatch): object => Object.fromEntries(watch.counts().map(({ path, responses }) => [path, responses]));

describe('ResponseWatch', () => {
  it('reports each issue once, then counts its responses', () => {
    const watch = new ResponseWatch();
    const { more: _, ...less } = good;
    expect([less, less, good, less].map((data) => paths(watch, data))).toEqual([['more'], [], [], []]);
    expect(paths(watch, { ...less, rows: [{ id: 1, user: {} }] })).toEqual(['rows[].id', 'rows[].user.name']);
    expect(paths(watch, { ...good, rows: [{ id: 1, user: { name: 'n' } }] })).toEqual([]);
    expect(counts(watch)).toEqual({ more: 4, 'rows[].id': 2, 'rows[].user.name': 1 });
  });

  it('finds what is new in a response that differs as others did', () => {
    const watch = new ResponseWatch();
    paths(watch, { rows: [], more: {} });
    expect(paths(watch, { rows: [{ id: 'x', user: 5 }], more: {} })).toEqual(['rows[].user']);
    expect(paths(watch, { rows: [{ id: 'x', user: 6, block: { type: 'c' } }], more: {} })).toEqual(['rows[].block.type']);
    expect(paths(watch, { rows: [{ id: 'x', user: 6, block: { type: 'a', a: 5 } }], more: {} })).toEqual(['rows[].block.a']);
  });

  it('counts unusable rows each time', () => {
    const watch = new ResponseWatch();
    const data = { ...good, rows: [good.rows[0], 5] };
    expect([1, 2].map(() => paths(watch, data))).toEqual([['rows[]'], []]);
    expect(counts(watch)).toEqual({ 'rows[]': 2 });
  });

  it('still compares what is in a list or an object that an earlier response lacked', () => {
    for (const gone of [null, undefined, 'text', 5]) {
      const watch = new ResponseWatch();
      expect(paths(watch, { rows: gone, more: gone })).toEqual(['rows', 'more']);
      expect(paths(watch, { rows: [{ id: 'x', user: { name: 1 } }], more: { total: 'x' } })).toEqual(['rows[].user.name', 'more.total']);
      expect(paths(watch, { rows: [true], more: [] })).toEqual(['rows[]']);
    }
  });

  it('knows the paths that checkResponse finds, whatever comes', () => {
    const shapes = [operations.mapsReviews, operations.webSearch, operations.aiMode, operations.patentDetails, operations.scholarAuthor];
    for (const each of shapes) {
      const watch = new ResponseWatch();
      const told = new Set<string>();
      const found = new Set<string>();
      const data = fc.oneof(
        fc.object({ maxDepth: 3 }),
        arbitraryOf(each.spec.response).chain((whole) => without(whole as object)),
      );
      fc.assert(
        fc.property(data, (response) => {
          for (const { path } of watch.check(each, response, {})) {
            expect(told.has(path)).toBe(false);
            told.add(path);
          }
          for (const { path } of checkResponse(each, response).issues) found.add(path);
          return watch.counts().length === told.size;
        }),
        { numRuns: 200 },
      );
      for (const path of told) expect(found).toContain(path);
    }
  });
});

/** A response that lacks some of its fields, or has them null. */
function without(whole: object): fc.Arbitrary<object> {
  return fc.subarray(Object.keys(whole)).chain((keys) =>
    fc.boolean().map((gone) => {
      const rest = Object.entries(whole).flatMap(([key, value]): [string, unknown][] =>
        !keys.includes(key) ? [[key, value]] : gone ? [] : [[key, null]],
      );
      return Object.fromEntries(rest);
    }),
  );
}
