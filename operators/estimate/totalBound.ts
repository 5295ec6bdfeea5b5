/** How often the rows of several queries were found. Each query counts a row once. */
export interface Captures {
  /** Different rows. */
  readonly found: number;
  /** For each query: the rows that only it found. */
  readonly alone: readonly number[];
  /** For each two queries that share such rows: the rows that both found and no other did, and what each found alone. */
  readonly pairs: readonly { readonly both: number; readonly alone: readonly [number, number] }[];
}

/** How many rows there are at least, with the 95 % confidence interval of this bound. None of the numbers is below `found`. */
export interface TotalBound {
  /** Different rows that were found. */
  readonly found: number;
  readonly atLeast: number;
  readonly low: number;
  readonly high: number;
}

/** Why captures tell nothing about the total. */
export type NoBound = keyof typeof noBounds;

export const noBounds = {
  alone: 'only one query found rows',
  apart: 'too few rows were found by more than one query',
} as const;

/** Fewer repeated rows are chance. */
const leastRepeated = 10;
/** With a smaller share of repeated rows, most rows are unseen, or the queries look for different things. */
export const leastShare = 0.2;
/** For a 95 % interval: standard deviations, and how many events may have been missed if none was seen. */
const deviations = 1.96;
const missedEvents = 3;

/**
 * Capture and recapture: how many rows no query found, from those that one query found and those that two found. This is Chao's
 * lower bound for queries that find different shares of the rows. For two queries it is Chapman's estimator.
 *
 * If each query returned a random part, the bound would be the total. Searches rank their rows, so some are hardly ever
 * returned, and the total is higher. The bound is too high only if queries avoid each other's rows. Then some pairs of them
 * share far more rows than others, which makes the interval wider.
 *
 * `share`: the smallest share of repeated rows that tells something.
 */
export function totalBound({ found, alone, pairs }: Captures, share: number = leastShare): TotalBound | NoBound {
  const once = sumOf(alone);
  const twice = sumOf(pairs.map(({ both }) => both));
  const again = found - once;
  if (again === 0 && alone.length < 2) return 'alone';
  if (again < leastRepeated || again < share * found) return 'apart';
  const per = twice + 1;
  const products = sumOf(alone.map((rows) => rows * (once - rows))) / 2;
  const unseen = products / per;
  if (unseen === 0) return { found, atLeast: found, low: found, high: found + Math.ceil((missedEvents * once) / per) };
  const sampling = sumOf(alone.map((rows) => rows * ((once - rows) / per) ** 2)) + twice * (unseen / per) ** 2;
  const variance = sampling * unevenness({ alone, pairs }, twice / products) + unseen;
  // What is unseen is never negative, and its logarithm is nearly normal.
  const spread = Math.exp(deviations * Math.sqrt(Math.log(1 + variance / unseen ** 2)));
  return {
    found,
    atLeast: found + Math.round(unseen),
    low: found + Math.floor(unseen / spread),
    high: found + Math.ceil(unseen * spread),
  };
}

/** How much more the shared rows of pairs vary than by chance: the mean of Pearson's chi-square, at least 1. */
function unevenness({ alone, pairs }: Pick<Captures, 'alone' | 'pairs'>, rate: number): number {
  const freedom = (alone.length * (alone.length - 1)) / 2 - 1;
  if (freedom <= 0) return 1;
  // without queries, each row has one of its own, and pairs tell nothing
  if (alone.every((rows) => rows === 1)) return 1;
  const square = sumOf(pairs.map(({ both, alone: [one, other] }) => both ** 2 / (Math.max(one, 0.5) * Math.max(other, 0.5) * rate) - both));
  return Math.max(1, square / freedom);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
