import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DriftWatch, defineOperation, responseIssues } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';
import { arbitraryOf } from './arbitraryOf.ts';

const operation = defineOperation({
  name: 'own',
  get: '/own',
  about: 'For this test.',
  params: {},
  response: {
    rows: [{ id: 'string', user: { name: 'string' }, 'block?': { $oneOf: [{ type: '=a', a: 'string' }, { type: '=b' }], $by: 'type' } }],
    more: { total: 'integer' },
  },
  rows: 'rows',
});
const good = { rows: [{ id: 'x', user: { name: 'n' } }], more: { total: 1 } };
const paths = (watch: DriftWatch, data: unknown, odd = false): string[] | undefined =>
  watch.looksAt(operation, odd) ? watch.note(operation, responseIssues(operation, data)).map(({ path }) => path) : undefined;
const counts = (watch: DriftWatch): object =>
  Object.fromEntries(watch.counts().map(({ path, responses, looked }) => [path, `${responses} of ${looked}`]));

describe('DriftWatch', () => {
  it('tells each issue once, then counts the responses that have it', () => {
    const watch = new DriftWatch();
    const { more: _, ...less } = good;
    expect([less, less, good, less].map((data) => paths(watch, data))).toEqual([['more'], [], [], []]);
    expect(paths(watch, { ...less, rows: [{ id: 1, user: {} }] })).toEqual(['rows[].id', 'rows[].user.name']);
    expect(paths(watch, { ...good, rows: [{ id: 1, user: { name: 'n' } }] })).toEqual([]);
    expect(counts(watch)).toEqual({ more: '4 of 6', 'rows[].id': '2 of 6', 'rows[].user.name': '1 of 6' });
  });

  it('looks at the first 20 pages, then at each fiftieth, and at odd ones', () => {
    const watch = new DriftWatch();
    const looked = Array.from({ length: 1000 }, () => paths(watch, { ...good, more: {} })).filter((found) => found !== undefined);
    expect(looked).toHaveLength(20 + 19);
    expect(counts(watch)).toEqual({ 'more.total': '39 of 39' });
    expect([paths(watch, good), paths(watch, good), paths(watch, good, true)]).toEqual([[], undefined, []]);
  });

  it('finds what is new in a response that differs as others did', () => {
    const watch = new DriftWatch();
    paths(watch, { rows: [], more: {} });
    expect(paths(watch, { rows: [{ id: 'x', user: 5 }], more: {} })).toEqual(['rows[].user']);
    expect(paths(watch, { rows: [{ id: 'x', user: 6, block: { type: 'c' } }], more: {} })).toEqual(['rows[].block.type']);
    expect(paths(watch, { rows: [{ id: 'x', user: 6, block: { type: 'a', a: 5 } }], more: {} })).toEqual(['rows[].block.a']);
  });

  it.each(['mapsReviews', 'webSearch', 'aiMode', 'patentDetails', 'scholarAuthor'] as const)(
    'finds nothing in documented responses of %s, and something where a field that must be there is gone',
    (name) => {
      const { response } = operations[name].spec;
      const needed = Object.keys(response).filter((field) => !field.endsWith('?'));
      fc.assert(
        fc.property(arbitraryOf(response), fc.nat(), (whole, nth) => {
          expect(responseIssues(operations[name], whole)).toEqual([]);
          const gone = needed[nth % Math.max(1, needed.length)];
          if (gone === undefined) return;
          const { [gone]: _, ...rest } = whole as { readonly [field: string]: unknown };
          expect(responseIssues(operations[name], rest).map(({ path }) => path)).toContain(gone);
        }),
        { numRuns: 100 },
      );
    },
  );
});
