import type { StageProgress } from '../../flow/index.ts';

const soonestMs = 2000; // before that a guess would jump about

export interface TimeLeft {
  readonly ms: number;
  /** Only what was found so far is counted, and more will be. */
  readonly atLeast: boolean;
}

/**
 * How long a run will still take: the pages that are still to come at the pace so far. A stage whose parents aren't done
 * is expected to find as many units per parent as it did until now. Undefined where nothing is known.
 */
export function estimateLeft(atStart: readonly StageProgress[], now: readonly StageProgress[], elapsedMs: number): TimeLeft | undefined {
  const pages = sumPages(now) - sumPages(atStart);
  if (elapsedMs < soonestMs || pages <= 0) return undefined;
  const left = new Map<string, number>();
  let atLeast = now.some((stage) => stage.more);
  let pagesLeft = 0;
  for (const stage of now) {
    const ended = stage.done + stage.failed;
    let units = stage.waiting;
    for (const parent of now.filter((one) => stage.each.includes(one.name))) {
      const parentsEnded = parent.done + parent.failed;
      const parentsLeft = left.get(parent.name) ?? 0;
      if (parentsLeft > 0 && parentsEnded === 0) atLeast = true;
      else if (parentsLeft > 0) units += (parentsLeft * (ended + stage.waiting)) / parentsEnded;
    }
    left.set(stage.name, units);
    pagesLeft += units * (ended === 0 ? 1 : Math.max(1, stage.pages / ended));
  }
  return pagesLeft === 0 ? undefined : { ms: (pagesLeft * elapsedMs) / pages, atLeast };
}

function sumPages(stages: readonly StageProgress[]): number {
  return stages.reduce((total, stage) => total + stage.pages, 0);
}
