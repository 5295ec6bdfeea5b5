import { beforeNext, expectedIn, type Density, type Expected, type RangeSight } from './RangeSight.ts';

/** What is known of a piece of a range before its end is chosen. */
interface PieceStart {
  readonly first: number;
  /** The number of rows at which it is full. */
  readonly full: number;
  /** Rows of the latest pieces and how wide these were. */
  readonly rows: number;
  readonly width: number;
  /** How far pieces were off, against chance. */
  readonly off: number;
  readonly sights: readonly RangeSight[];
}

/** Where a piece ends, and how many rows it should then have. */
interface PieceEnd {
  readonly last: number;
  readonly expected: number;
  readonly deviation: number;
}

/** Against rows that were returned, those of the density count between this, where pieces are far off, and that. */
const [leastWeight, mostWeight] = [0.02, 2];

/** The end, not behind `to`, that brings most: wider pieces have more rows, but are full more often, and then bring nothing. */
export function bestEnd({ first, full, rows, width, off, sights: [sight] }: PieceStart, to: number): PieceEnd {
  const isKnown = width > 0 && rows > 0;
  const weight = Math.max(leastWeight, Math.min(mostWeight, 1 / Math.max(1 / mostWeight, off - 1)));
  const density: Density = isKnown ? { rows: rows / width, weight } : { rows: 0, weight: 0 };
  const expect = (last: number): Expected => expectedIn(sight, density, first, last);
  let best = { last: first, expected: 0, deviation: 0 };
  let most = -1;
  for (let share = 0.3; share <= 1.02; share += 0.03) {
    let [low, high] = [first, to];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (expect(middle).rows <= share * full) low = middle;
      else high = middle - 1;
    }
    // where many rows lie on one place, the next one may be worth it
    for (const place of [low, low + Math.max(1, sight?.every ?? 1)]) {
      const last = Math.min(to, beforeNext(sight, place));
      const { rows: expected, variance } = expect(last);
      const brings = Math.max(expected, 1e-6) * (1 - chanceToFill(full, expected, variance));
      if (brings > most) [most, best] = [brings, { last, expected, deviation: Math.sqrt(variance) }];
    }
    if (low >= to) break;
  }
  return best;
}

/** The chance that there are at least `full` rows. A logistic curve is close to the normal one. */
function chanceToFill(full: number, expected: number, variance: number): number {
  return 1 / (1 + Math.exp((1.7 * (full - 0.5 - expected)) / Math.sqrt(Math.max(variance, 1e-9))));
}
