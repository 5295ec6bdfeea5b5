import { leastShare, noBounds, totalBound, type Captures } from './totalBound.ts';

/** How many new rows more queries of the same kind would bring, and where that number lies in 95 % of all cases. */
export interface NextRows {
  readonly about: number;
  readonly low: number;
  readonly high: number;
}

/** What was searched so far, and how much more would be. */
export interface MoreQueries {
  /** Queries that have ended. */
  readonly queries: number;
  /** More of them, as a share of those: 1 is as many again. */
  readonly times: number;
  /** See `totalBound`. */
  readonly share?: number | undefined;
}

/** Fewer queries don't tell how much they differ. */
const leastQueries = 4;

/** Why nothing can be said of more queries. */
export const noNextRows = { ...noBounds, few: `fewer than ${leastQueries} queries have ended` } as const;

const deviations = 1.96;

/**
 * Extrapolates how many new rows more queries bring. A row that only one query found would be missing without it, so these rows
 * tell what each query brought, had it been the last. From there the curve bends towards the lower bound of the total (Chao and
 * others, 2014). Beyond `times` 1 nobody can say much.
 *
 * The interval is of what the queries really bring. It is wider than that of the bound, because queries differ.
 */
export function nextRows(captures: Captures, { queries, times, share = leastShare }: MoreQueries): NextRows | keyof typeof noNextRows {
  const bound = totalBound(captures, share);
  if (typeof bound === 'string') return bound;
  if (queries < leastQueries) return 'few';
  const { found, alone } = captures;
  const once = alone.reduce((sum, rows) => sum + rows, 0);
  const next = queries * times;
  const gain = (total: number): number =>
    once === 0 ? 0 : (total - found) * (1 - (1 - once / (queries * (total - found) + once)) ** next);
  const [about, low, high] = [bound.atLeast, bound.low, bound.high].map(gain) as [number, number, number];
  const spread = deviations ** 2 * (about ** 2 * variation(alone, queries) * (1 / next + 1 / queries) + about);
  return {
    about: Math.round(about),
    low: Math.max(0, Math.floor(about - Math.hypot(about - low, Math.sqrt(spread)))),
    high: Math.ceil(about + Math.hypot(high - about, Math.sqrt(spread))),
  };
}

/** How much queries differ: the variance of the rows that only they found, against the square of its mean. */
function variation(alone: readonly number[], queries: number): number {
  const mean = alone.reduce((sum, rows) => sum + rows, 0) / queries;
  if (mean === 0) return 0;
  const none = Math.max(0, queries - alone.length);
  const squares = alone.reduce((sum, rows) => sum + (rows - mean) ** 2, none * mean ** 2);
  return squares / (queries - 1) / mean ** 2;
}
