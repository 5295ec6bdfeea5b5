/** The work that waits at one distance from the sink. */
export interface WaitingLevel {
  /** Smaller is nearer to the sink. */
  readonly depth: number;
  /** How much of it waits. */
  readonly size: number;
  /** How much waits in the backlog that this work adds to, nearer to the sink. Infinity if that doesn't matter. */
  readonly backlog: number;
}

/**
 * Which level goes next, for requests and for queries. The nearest to the sink goes first. But if fewer than `enough` values wait in a
 * backlog, the work that adds to it goes before, so that the backlog doesn't run empty.
 *
 * `levels` begin with the nearest. A level beyond `farthest` goes only to fill a backlog.
 */
export function nextLevel<Level extends WaitingLevel>(
  levels: readonly Level[],
  enough: number,
  farthest: number = Infinity,
): Level | undefined {
  let next: Level | undefined;
  for (const level of levels) {
    if (level.size === 0) continue;
    if (level.backlog < enough || (next === undefined && level.depth <= farthest)) next = level;
  }
  return next;
}
