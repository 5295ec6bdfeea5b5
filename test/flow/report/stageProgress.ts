import type { StageProgress } from '../../../src/flow/index.ts';

/** A stage as a run tells of it. */
export function stageProgress(name: string, progress: Partial<StageProgress> = {}): StageProgress {
  return {
    name,
    call: 'webSearch',
    each: [],
    to: [],
    keep: [],
    limits: [],
    done: 0,
    waiting: 0,
    failed: 0,
    capped: 0,
    short: 0,
    withinTolerance: 0,
    got: 0,
    claimed: 0,
    doubts: [],
    pages: 0,
    rows: 0,
    more: false,
    outcome: 'interrupted',
    ...progress,
  };
}
