import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryTable, type StoreEntry } from '../../src/store/EntryTable.ts';

const digest = (text: string): Buffer => createHash('sha1').update(text).digest();

type Step =
  | { readonly do: 'add'; readonly key: number; readonly body: number; readonly at: number; readonly segment: number; readonly revisit: boolean; readonly loopback: boolean }
  | { readonly do: 'drop'; readonly nth: number }
  | { readonly do: 'dropSegment'; readonly segment: number }; // prettier-ignore

/** What a table must hold: a list that is searched from end to end. */
class ModelTable {
  all: StoreEntry[] = [];

  newest(key: Buffer, loopback: boolean): StoreEntry | undefined {
    const fitting = this.all.filter((entry) => entry.key.equals(key) && entry.loopback === loopback);
    return fitting.reduce<StoreEntry | undefined>((best, entry) => (best === undefined || entry.at >= best.at ? entry : best), undefined);
  }
}

describe('EntryTable', () => {
  const few = { min: 0, max: 5 };
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('add' as const), key: fc.integer(few), body: fc.integer(few), at: fc.integer({ min: 0, max: 2 ** 40 }), segment: fc.integer({ min: 1, max: 3 }), revisit: fc.boolean(), loopback: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), nth: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('dropSegment' as const), segment: fc.integer({ min: 1, max: 3 }) }) },
  ); // prettier-ignore

  it('finds the newest entry of a key and origin, and an entry of a body, after any additions and removals', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const table = new EntryTable();
        const model = new ModelTable();
        let added = 0;
        for (const one of steps) {
          if (one.do === 'add') {
            const { segment, at, revisit, loopback } = one;
            const entry = { key: digest(`key ${one.key}`), payload: digest(`body ${one.body}`), segment, offset: ++added, length: 7, at, operation: 3, revisit, loopback }; // prettier-ignore
            table.add(entry);
            model.all.push(entry);
          } else if (one.do === 'dropSegment') {
            table.dropSegment(one.segment);
            model.all = model.all.filter(({ segment }) => segment !== one.segment);
          } else {
            const gone = model.all[one.nth % Math.max(1, model.all.length)];
            if (gone !== undefined) table.drop(gone.segment, gone.offset);
            model.all = model.all.filter((entry) => entry !== gone);
          }
          for (let nth = 0; nth <= few.max; nth++) {
            const payload = digest(`body ${nth}`);
            const bodies = model.all.filter((entry) => entry.payload.equals(payload) && !entry.revisit).map(({ offset }) => offset);
            const body = table.findBody(payload);
            expect(body === undefined ? bodies.length : Number(!bodies.includes(body.offset))).toBe(0);
            for (const loopback of [true, false]) {
              const key = digest(`key ${nth}`);
              expect(table.find(key, loopback)?.offset).toBe(model.newest(key, loopback)?.offset);
            }
          }
        }
        expect([...table.all()].map(({ offset }) => offset)).toEqual(model.all.map(({ offset }) => offset));
      }),
      { numRuns: process.env['TRAWLER_LONG'] === '1' ? 3000 : 80 },
    );
  });

  it('grows, and takes entries as large as they may be', () => {
    const table = new EntryTable();
    const count = 4000;
    const entry = (n: number): StoreEntry => ({ key: digest(`key ${n}`), payload: digest(`body ${n}`), segment: 2 ** 32 - 1, offset: n + 2 ** 31, length: n + 1, at: 2 ** 47 + n, operation: 16_383, revisit: false, loopback: n % 2 === 0 }); // prettier-ignore
    table.reserve(count / 2);
    for (let n = 0; n < count; n++) table.add(entry(n));
    for (let n = 0; n < count; n++) {
      const { key, payload, ...place } = entry(n);
      expect([table.find(key, n % 2 === 0), table.find(key, n % 2 === 1), table.findBody(payload)]).toEqual([place, undefined, place]);
    }
    expect(table.memoryBytes).toBeLessThan(count * 70);
  });
});
