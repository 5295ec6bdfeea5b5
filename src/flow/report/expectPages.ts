import type { StageProgress } from '../run/FlowProgress.ts';

/** The pages of a stage: received and expected. */
export interface StagePages {
  readonly done: number;
  /** Pages of queries already found. */
  readonly found: number;
  /** Estimated pages of queries from unfinished parents. */
  readonly expected: number;
  /** More queries will be found, and nothing says how many. */
  readonly more: boolean;
}

export interface TimeLeft {
  readonly ms: number;
  /** Counts only what was found so far. There will be more. */
  readonly atLeast: boolean;
}

/** Estimates the pages of each stage. If its parents aren't done, it assumes as many queries per parent as so far. */
export function expectPages(stages: readonly StageProgress[]): readonly StagePages[] {
  const left = new Map<string, number>();
  return stages.map((stage) => {
    const ended = stage.done + stage.failed;
    let more = stage.more;
    let expected = 0;
    for (const parent of stages.filter((one) => stage.each.includes(one.name))) {
      const parentsEnded = parent.done + parent.failed;
      const parentsLeft = left.get(parent.name) ?? 0;
      if (parentsLeft > 0 && parentsEnded === 0) more = true;
      else if (parentsLeft > 0) expected += (parentsLeft * (ended + stage.waiting)) / parentsEnded;
    }
    left.set(stage.name, stage.waiting + expected);
    const each = ended === 0 ? 1 : Math.max(1, stage.pages / ended);
    return { done: stage.pages, found: stage.waiting * each, expected: expected * each, more };
  });
}

const minElapsedMs = 2000; // an earlier guess would jump about

/**
 * The time that the remaining pages take at the current pace. `before`: pages from earlier runs. undefined if it isn't
 * known.
 */
export function timeLeft(pages: readonly StagePages[], before: number, elapsedMs: number): TimeLeft | undefined {
  const came = pages.reduce((sum, { done }) => sum + done, 0) - before;
  if (elapsedMs < minElapsedMs || came <= 0) return undefined;
  const left = pages.reduce((sum, { found, expected }) => sum + found + expected, 0);
  return left === 0 ? undefined : { ms: (left * elapsedMs) / came, atLeast: pages.some(({ more }) => more) };
}
