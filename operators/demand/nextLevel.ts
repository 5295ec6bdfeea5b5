/** Work that waits at one distance from the sink. */
export interface WaitingLevel {
  /** Smaller is nearer to the sink. */
  readonly depth: number;
  /** How much of it waits. */
  readonly size: number;
  /** How much waits nearer to the sink that this work adds to. Infinity if that doesn't matter. */
  readonly backlog: number;
}

/**
 * The order of what waits, for requests and for queries. The nearest to the sink goes first, unless fewer than `enough`
 * values wait in a backlog: then the work that adds to it does, so that it isn't empty before that work is done.
 *
 * `levels` begin with the nearest. A level beyond `farthest` goes only for the sake of its backlog.
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
