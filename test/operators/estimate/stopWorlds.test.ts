import { describe, expect, it } from 'vitest';
import { Saturation } from '../../../operators/estimate/Saturation.ts';
import { worldOf, type World } from './worlds.ts';

const pageSize = 20;
const median = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!;

/** The share of requests that a stop saves in a world, and of the rows that it loses. */
function stopped({ queries }: World, newRows: number, over: number): { readonly saved: number; readonly lost: number } {
  const saturation = new Saturation({ newRows, over });
  const all = new Set(queries.flat());
  const seen = new Set<number>();
  let [sent, whole] = [0, 0];
  for (const rows of queries) {
    for (let from = 0; from < rows.length; from += pageSize) {
      whole += 1;
      if (saturation.is) continue;
      sent += 1;
      const before = seen.size;
      const page = rows.slice(from, from + pageSize);
      for (const row of page) seen.add(row);
      saturation.add(page.length, seen.size - before);
    }
  }
  return { saved: 1 - sent / whole, lost: 1 - seen.size / all.size };
}

describe('a stop at 2 % new rows of the last 50 requests', () => {
  it('saves at least half of the requests where terms overlap much, for few of the rows', () => {
    const worlds = Array.from({ length: 200 }, (_, seed) => worldOf(seed, { name: 'overlap', match: [0.4, 0.9], fame: 1, topics: 1 }));
    // each row comes eight times or more, and there are enough requests to stop
    const overlapping = worlds.filter(({ queries }) => {
      const rows = queries.flat();
      return rows.length >= 8 * new Set(rows).size && rows.length > 200 * pageSize;
    });
    expect(overlapping.length).toBeGreaterThan(30);
    const results = overlapping.map((world) => stopped(world, 0.02, 50));
    expect(median(results.map(({ saved }) => saved))).toBeGreaterThanOrEqual(0.5);
    expect(median(results.map(({ lost }) => lost))).toBeLessThanOrEqual(0.05);
  });
});
