/** A page of a walk that goes from the newest rows back. */
interface DatedPage {
  /** When its rows are from, in their order. Rows that don't say so are left out. */
  readonly times: readonly number[];
  /** When the rows are from that aren't known yet. NaN: it doesn't say. */
  readonly unknown: readonly number[];
}

/** Fewer rows than this may stand in order by chance. */
const minInOrder = 3;

/**
 * Whether a walk has reached known rows: the page goes back behind `until`, and all of its rows are known, or those before
 * `until` are and the rows stand in the order of time. undefined: it has not.
 */
export function reachesKnown({ times, unknown }: DatedPage, until: number): 'in order' | 'in any order' | undefined {
  if (!times.some((time) => time < until)) return undefined;
  const isOrdered = times.every((time, index) => index === 0 || time <= times[index - 1]!);
  if (unknown.length === 0) return isOrdered ? 'in order' : 'in any order';
  return isOrdered && times.length >= minInOrder && unknown.every((time) => time >= until) ? 'in order' : undefined;
}
