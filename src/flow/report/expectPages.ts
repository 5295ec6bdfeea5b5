import type { StageProgress } from '../run/FlowProgress.ts';
import { formatDuration } from './format.ts';

export interface StagePages {
  readonly done: number;
  /** Pages of queries already found. */
  readonly found: number;
  /** Estimated pages of queries from unfinished parents. */
  readonly expected: number;
  /** More queries will be found, and nothing says how many. */
  readonly more: boolean;
}

/** Parts of the work, from 0 to 1: what is done, and what is found but not done. */
export interface Shares {
  readonly done: number;
  readonly found: number;
}

/** How far stages are, by their pages. The terminal and the page draw it as a bar. */
export function sharesOf(pages: readonly StagePages[], ended: boolean): Shares {
  if (ended) return { done: 1, found: 0 };
  const sum = (pick: (one: StagePages) => number): number => pages.reduce((total, one) => total + pick(one), 0);
  const [came, found, expected] = [sum(({ done }) => done), sum((one) => one.found), sum((one) => one.expected)];
  // If nothing says how many more queries there will be, half of the bar stays free.
  const all = (came + found + expected) * (pages.some(({ more }) => more) ? 2 : 1);
  const done = all === 0 ? 0 : Math.min(0.99, came / all);
  return { done, found: all === 0 ? 0 : Math.min(1 - done, found / all) };
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

/** `at least 40 s left`: the terminal and the page say it alike. '' if it isn't known. */
export function leftText(left: TimeLeft | undefined): string {
  return left === undefined ? '' : `${aboutText(left)} ${formatSeconds(Math.max(1000, left.ms))} left`;
}

/** `at least` while more will be found, else `about`. */
export function aboutText({ atLeast }: Pick<TimeLeft, 'atLeast'>): string {
  return atLeast ? 'at least' : 'about';
}

/** Rounds to whole seconds, because tenths that change with each frame distract. */
export function formatSeconds(ms: number): string {
  return ms < 59_500 ? `${Math.round(ms / 1000)} s` : formatDuration(ms);
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
