import type { StageProgress } from '../../flow/index.ts';

const soonestMs = 2000; // before that a guess would jump about

/**
 * How long a run will still take, in milliseconds: the pages that are still to come at the pace so far. A stage whose
 * parents aren't done is expected to find as many units per parent as it did until now. Undefined where nothing is known.
 */
export function estimateLeft(atStart: readonly StageProgress[], now: readonly StageProgress[], elapsedMs: number): number | undefined {
  if (elapsedMs < soonestMs || now.some((stage) => stage.more)) return undefined;
  const left = new Map<string, number>();
  let pagesLeft = 0;
  for (const stage of now) {
    const ended = stage.unitsDone + stage.unitsFailed;
    let units = stage.unitsWaiting;
    for (const parent of now.filter((one) => stage.each.includes(one.stage))) {
      const parentsEnded = parent.unitsDone + parent.unitsFailed;
      const parentsLeft = left.get(parent.stage) ?? 0;
      if (parentsLeft === 0) continue;
      if (parentsEnded === 0) return undefined;
      units += (parentsLeft * (ended + stage.unitsWaiting)) / parentsEnded;
    }
    left.set(stage.stage, units);
    if (units > 0) pagesLeft += units * (ended === 0 ? 1 : Math.max(1, stage.pages / ended));
  }
  const sum = (stages: readonly StageProgress[]): number => stages.reduce((total, stage) => total + stage.pages, 0);
  const pages = sum(now) - sum(atStart);
  return pages <= 0 ? undefined : (pagesLeft * elapsedMs) / pages;
}
