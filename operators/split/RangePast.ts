/** Rows of the latest pieces of a range and how wide each of them was, the latest last. */
export type RangePast = readonly (readonly [rows: number, width: number])[];

/** How many rows are expected behind the pieces so far, by what these had. */
export interface Outlook {
  /** Rows per place at its start, and by which power of e this grows from place to place. */
  readonly density: number;
  readonly growth: number;
  /** How far this can be relied on: like a density that so many rows were counted for. */
  readonly counted: number;
}

/** So many pieces are searched back on. */
export const kept = 8;

/** Ways to continue: what a piece counts for against the one behind it, and which part of the change from piece to piece goes on. */
const ways: readonly (readonly [memory: number, trend: number])[] = [
  [0.7, 0],
  [0.35, 0],
  [0.5, 0.7],
];

/** What a piece that was continued well or badly counts for against the one behind it. */
const forgets = 0.8;
/** Before any piece was continued, the density is taken to be off by a quarter. */
const varianceAtFirst = 0.06;
/** However well pieces were continued, the next one may be off by so much. */
const leastVariance = 0.004;
/** A density changes by no more than this power of e. */
const maxGrowth = 1;

/** What the pieces so far say of the next one, by that way to continue them that would have been best so far. undefined if they had no rows. */
export function outlookOf(past: RangePast): Outlook | undefined {
  let best: Outlook | undefined;
  let least = Infinity;
  for (const way of ways) {
    const next = continued(past, past.length, way);
    if (next === undefined) return undefined;
    let [missed, variance, pieces, weight] = [0, 0, 0, 1];
    for (let index = past.length - 1; index > 0; index--) {
      const before = continued(past, index, way);
      if (before === undefined) continue;
      const [rows, width] = past[index]!;
      const error = Math.log((rows + 1) / (rowsAhead(before, width) + 1)) ** 2;
      missed += weight * error;
      variance += weight * (error - 1 / (rows + 1));
      pieces += weight;
      weight *= forgets;
    }
    if (missed >= least) continue;
    least = missed;
    best = { ...next, counted: 1 / Math.max(leastVariance, (variance + weight * varianceAtFirst) / (pieces + weight)) };
  }
  return best;
}

/** How many rows are expected within so many places. */
export function rowsAhead({ density, growth }: Pick<Outlook, 'density' | 'growth'>, width: number): number {
  if (Math.abs(growth) * width < 1e-3) return density * width;
  const grows = Math.min(width, maxGrowth / Math.abs(growth));
  const factor = Math.exp(growth * grows);
  return density * ((factor - 1) / growth + (width - grows) * factor);
}

/** The first so many pieces, continued. */
function continued(
  past: RangePast,
  pieces: number,
  [memory, trend]: (typeof ways)[number],
): Pick<Outlook, 'density' | 'growth'> | undefined {
  const near = meanOf(past, pieces, memory);
  if (near === undefined) return undefined;
  const far = meanOf(past, pieces, (1 + memory) / 2)!;
  const growth = trend === 0 || far.back === near.back ? 0 : (trend * Math.log(near.density / far.density)) / (far.back - near.back);
  return { density: near.density * Math.exp(Math.max(-maxGrowth, Math.min(maxGrowth, growth * near.back))), growth };
}

/** The mean density of the first so many pieces, and how far back it lies. undefined if they had no rows. */
function meanOf(past: RangePast, pieces: number, memory: number): { readonly density: number; readonly back: number } | undefined {
  let [rows, width, back, passed, weight] = [0, 0, 0, 0, 1];
  for (let index = pieces - 1; index >= 0; index--) {
    const [own, wide] = past[index]!;
    rows += weight * own;
    width += weight * wide;
    back += weight * wide * (passed + wide / 2);
    passed += wide;
    weight *= memory;
  }
  return rows === 0 ? undefined : { density: rows / width, back: back / width };
}
