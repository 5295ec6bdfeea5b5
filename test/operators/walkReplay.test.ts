import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveWalk, startWalk, stepWalk, type WalkedOperation, type WalkMove, type WalkState } from '../../operators/index.ts';
import { page } from './fakeFactory.ts';

const factories: readonly WalkedOperation[] = [
  { name: 'cursor', paging: { kind: 'cursor', param: 'cursor', at: ['next'] } },
  { name: 'claimed', paging: { kind: 'cursor', param: 'cursor', at: ['next'] }, claims: { at: 'total', unless: ['topic'] } },
  { name: 'full', paging: { kind: 'cursor', param: 'cursor', at: ['next'], size: 2 } },
  { name: 'offset', paging: { kind: 'offset', param: 'page', step: 20 }, claims: { at: 'total' } },
  { name: 'received', paging: { kind: 'offset', param: 'page', step: 'received', fixed: { stores: true } } },
  { name: 'no claim', paging: { kind: 'offset', param: 'page', step: 1 }, estimates: 'total', id: 'id' },
];
const row = fc.record({ id: fc.nat(99), text: fc.string({ maxLength: 3 }) });
const rows = fc.oneof(fc.array(row, { maxLength: 3 }), fc.array(row, { minLength: 9, maxLength: 10 }));
const response = fc.record({
  rows: fc.option(rows, { nil: undefined }),
  received: fc.option(fc.nat(4), { nil: undefined }),
  data: fc.record({
    next: fc.constantFrom(undefined, null, '', 'a', 'b', 'c', 'd', 'e', 7),
    total: fc.nat(8),
  }),
});
const walk = fc.record({
  factory: fc.constantFrom(...factories),
  query: fc.constantFrom<object>({}, { cursor: 'a' }, { topic: 't' }),
  options: fc.record(
    { maxPages: fc.integer({ min: 1, max: 9 }), maxItems: fc.integer({ min: 1, max: 20 }), claimed: fc.nat(9) },
    { requiredKeys: [] },
  ),
  responses: fc.array(response, { maxLength: 12 }),
});

describe('any walk that is stopped after any page and replayed from its moves', () => {
  it('is in the very state that it had', () => {
    let moves = 0;
    fc.assert(
      fc.property(walk, ({ factory, query, options: all, responses }) => {
        let live: WalkState = startWalk(factory, query, all);
        let replayed: WalkState = startWalk(factory, query, all);
        for (const { received, ...response } of responses) {
          const before = structuredClone(live);
          const step = stepWalk(factory, live, { ...page(live.query, response), received }, all);
          expect(live).toStrictEqual(before); // it only reads
          if (step.kind !== 'next') return;
          moves += 1;
          live = moveWalk(factory, live, step.move, all);
          replayed = moveWalk(factory, replayed, JSON.parse(JSON.stringify(step.move)) as WalkMove, all);
          expect(replayed).toStrictEqual(live);
        }
      }),
      { numRuns: process.env['TRAWLER_LONG'] === '1' ? 5000 : 1500 },
    );
    expect(moves).toBeGreaterThan(600);
  });
});
