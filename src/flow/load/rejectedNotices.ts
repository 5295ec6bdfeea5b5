import type { StageProgress } from '../run/FlowProgress.ts';

/** Rows that a destination can't hold. */
export function rejectedNotices(stages: readonly StageProgress[]): readonly string[] {
  return stages.flatMap(({ name, loads = [] }) =>
    loads
      .filter(({ rejected }) => rejected > 0)
      .map(
        ({ to, rejected }) => `${name}: ${rejected} ${rejected === 1 ? "row doesn't" : "rows don't"} fit into ${to}: see rejected.jsonl`,
      ),
  );
}
