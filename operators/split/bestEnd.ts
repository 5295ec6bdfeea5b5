import { outlookOf, type Outlook, type RangePast } from './RangePast.ts';
import { beforeNext, expectedIn, type Expected, type RangeSight } from './RangeSight.ts';

/** What is known of a piece of a range before its end is chosen. */
export interface PieceStart {
  readonly first: number;
  /** The number of rows at which it is full. */
  readonly full: number;
  readonly past: RangePast;
  /** What the number of rows of a full query tells, where it isn't known on which places these lie. It stands for what the past tells. */
  readonly told?: Outlook | undefined;
  readonly sights: readonly RangeSight[];
  /** What the service claimed of the whole range, and of the query that this piece was cut from. undefined: nothing, or it was wrong. */
  readonly claims?: readonly [whole: number, wider: number] | undefined;
}

/** A full piece shows where its rows lie, and so brings something, too: as much as this share of a piece. */
const fullBrings = 0.1;
/** Where the best end brings less than this share of a full piece, a piece of so many times its rows is worth a request: it shows where they lie. */
const worth = 0.62;
const look = 5;
/** Full pieces that returned less than one row in so many show it too coarsely. */
const coarse = 8;

/** How many rows a piece would have, by its last place. */
export function expecting({ first, full, past, told, sights: [sight] }: PieceStart): (last: number) => Expected {
  const outlook = told ?? outlookOf(past);
  const weight = outlook === undefined ? 0 : outlook.counted / full;
  return (last) => expectedIn(sight, outlook, weight, first, last);
}

/** The end, not behind `to`, that brings most: wider pieces have more rows, but are full more often. */
export function bestEnd(start: PieceStart, to: number): number {
  const { first, full, sights } = start;
  const expect = expecting(start);
  const lastWith = (rows: number, [from, end]: readonly [number, number]): number => {
    let [low, high] = [from, end];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (expect(middle).rows <= rows) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const most = lastWith(full, [first, to]);
  let [best, brought, low] = [first, -1, first];
  for (let share = 0.3; share <= 1; share += 0.035) {
    low = lastWith(share * full, [low, most]);
    // where many rows lie on one place, the next one may be worth it
    for (const place of [low, low + Math.max(1, sights[0]?.every ?? 1)]) {
      const last = Math.min(to, beforeNext(sights[0], place));
      const { rows, variance } = expect(last);
      const fills = chanceToFill(full, rows, variance);
      const brings = Math.max(rows, 1e-6) * (1 - fills) + (last === first ? 0 : fullBrings * full * fills);
      if (brings > brought) [brought, best] = [brings, last];
    }
    if (low >= to) break;
  }
  return brought < worth * full && isUnseen(start) ? lastWith(look * full, [best, to]) : best;
}

/** Whether a full piece would show where rows lie that aren't known yet. */
function isUnseen({ first, claims, sights: [sight] }: PieceStart): boolean {
  const isSeen = sight?.samples.some(({ last, places, rows, returned }) => last > first && places.length > 0 && rows < coarse * returned);
  return claims === undefined && isSeen === false;
}

/** The chance that there are at least `full` rows. A logistic curve is close to the normal one. */
function chanceToFill(full: number, expected: number, variance: number): number {
  return 1 / (1 + Math.exp((1.7 * (full - 0.5 - expected)) / Math.sqrt(Math.max(variance, 1e-9))));
}
