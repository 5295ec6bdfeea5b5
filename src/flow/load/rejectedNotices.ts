import type { StageProgress } from '../run/FlowProgress.ts';

/** Rows that a destination can't hold. */
export function rejectedNotices(stages: readonly StageProgress[]): readonly string[] {
  return stages.flatMap(({ name, rows, loads = [] }) =>
    loads
      .filter(({ rejected }) => rejected > 0)
      .map(({ to, rejected }) => {
        const what = rejected >= rows ? 'none of its rows fits' : `${rejected} ${rejected === 1 ? "row doesn't" : "rows don't"} fit`;
        return `${name}: ${what} into ${to}: see rejected.jsonl`;
      }),
  );
}
