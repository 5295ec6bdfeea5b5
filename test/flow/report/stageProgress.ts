import type { StageProgress } from '../../../src/flow/index.ts';

/** A stage as a run tells of it. */
export function stageProgress(stage: string, progress: Partial<StageProgress> = {}): StageProgress {
  return {
    stage,
    call: 'webSearch',
    each: [],
    to: [],
    unitsDone: 0,
    unitsWaiting: 0,
    unitsFailed: 0,
    unitsCapped: 0,
    pages: 0,
    rows: 0,
    more: false,
    completeness: 'interrupted',
    ...progress,
  };
}
