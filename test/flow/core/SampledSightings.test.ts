import { describe, expect, it } from 'vitest';
import { CaptureCounts } from '../../../operators/estimate/CaptureCounts.ts';
import type { DigestMap } from '../../../src/flow/core/Dedup.ts';
import { SampledSightings } from '../../../src/flow/core/RowSightings.ts';

/** Spreads numbers over all digests. */
const spreading = 0x9e3779b97f4a7c15n;

/** Twenty queries, each of which finds every row with its own chance. Returns how many rows were found. */
function search(total: number, counts: readonly { add(row: bigint, query: number): void }[]): number {
  const found = new Set<number>();
  for (let query = 0; query < 20; query += 1)
    for (let row = (query * 7) % 5; row < total; row += 11 + (query % 9)) {
      found.add(row);
      for (const each of counts) each.add(BigInt.asUintN(64, BigInt(row) * spreading), query);
    }
  return found.size;
}

describe('SampledSightings', () => {
  it('counts every row while there are few', () => {
    const [all, sampled] = [new CaptureCounts<bigint>(), new SampledSightings()];
    search(10_000, [all, sampled]);
    expect(sampled.bound(-1)).toEqual(all.bound());
  });

  it('says how many rows of a page are new: exactly of few, roughly of very many', () => {
    const captures = new SampledSightings();
    const page = (from: number): bigint[] => Array.from({ length: 20 }, (_, at) => BigInt.asUintN(64, BigInt(from + at) * spreading));
    expect([captures.take(page(1), 0), captures.take(page(11), 1), captures.take(page(1), 2)]).toEqual([20, 10, 0]);
    let fresh = 0;
    for (let at = 0; at < 16_000; at += 1) fresh += captures.take(page(1 + 10 * at), at);
    expect(captures.bound()).toMatchObject({ found: expect.toSatisfy((found: number) => Math.abs(found / 160_010 - 1) < 0.01) as number });
    expect(Math.abs(fresh / 160_010 - 1)).toBeLessThan(0.02);
  });

  it('says of very many rows nearly what all of them would say, in the tables of a few', () => {
    const [all, sampled] = [new CaptureCounts<bigint>(), new SampledSightings()];
    const found = search(200_000, [all, sampled]);
    expect(found).toBeGreaterThan(1.1 * 2 ** 17);
    const [exact, bound] = [all.bound(), sampled.bound(found)];
    if (typeof exact === 'string' || typeof bound === 'string') throw new Error('no bound');
    expect(bound.found).toBe(exact.found);
    expect(Math.abs(bound.atLeast / exact.atLeast - 1)).toBeLessThan(0.01);
    expect(bound.low).toBeLessThanOrEqual(exact.atLeast);
    expect(bound.high).toBeGreaterThanOrEqual(exact.atLeast);
    expect((sampled as unknown as { readonly rows: DigestMap }).rows.size).toBeLessThanOrEqual(2 ** 17);
  });
});
