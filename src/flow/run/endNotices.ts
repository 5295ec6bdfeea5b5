import { countOf, formatCount } from '../../../operators/kit/countOf.ts';
import type { Flow } from '../definition/Flow.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import type { StageProgress, StageChanges } from './FlowProgress.ts';
import { join } from 'node:path';
import { isCompared } from '../update/mergeRows.ts';
import { rowSource } from '../state/FlowFiles.ts';

/** Remarks about the stages of a run that is done. `isFirst`: it isn't an update. */
export function remarksOf(flow: Flow, store: RunStorage, stages: readonly StageProgress[], isFirst: boolean): readonly string[] {
  return [...(isFirst ? unusedStages(flow, stages) : []), ...undatedStages(flow, store)];
}

/** Stages that made no query from any of their input rows. */
function unusedStages(flow: Flow, stages: readonly StageProgress[]): readonly string[] {
  return stages.flatMap((stage) => {
    const parents = stages.filter(({ name }) => stage.each.includes(name));
    const rows = parents.reduce((sum, parent) => sum + parent.rows, 0);
    if (rows === 0 || stage.done + stage.failed + stage.waiting > 0) return [];
    const from = parents.map(({ name }) => name).join(' and ');
    const when = flow.byName.get(stage.name)!.when.length === 0 ? '' : " and is what its 'when' says";
    return [`stage ${stage.name} made no query out of the ${rows} rows of ${from}: none of them has what its query needs${when}`];
  });
}

/** Stages with `since` none of whose rows says when it is from. */
function undatedStages(flow: Flow, { state }: RunStorage): readonly string[] {
  return [...state.dated].flatMap(([name, isDated]) => {
    if (isDated) return [];
    const { path } = flow.byName.get(name)!.since!.field;
    return [`${name}: no row says in '${path}' when it is from, so updates walk all of its pages`];
  });
}

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

/** What an update changed: the stage and a sentence. */
export function changeNotices(
  changes: readonly StageChanges[],
  stages: readonly StageProgress[],
  outDir: string,
): readonly (readonly [stage: string, message: string])[] {
  return [
    ...changes.map((change) => {
      const { stage, new: added, changed, gone, file } = change;
      const where = added + changed + gone === 0 ? '' : `: see ${join(outDir, file)}`;
      return [stage, `${stage}: ${changeText(change)}${where}`] as const;
    }),
    ...stages
      .filter(({ unchanged = 0 }) => unchanged > 0)
      .map(({ name, unchanged }) => [name, `${name}: ${unchanged} queries skipped, as nothing has changed`] as const),
  ];
}

function changeText({ new: added, changed, gone, goneUnknown, rose, fell, up, down, rows, all }: StageChanges): string {
  const moves = [
    ...(up + down === 0 ? [] : [`ranks: ${formatCount(up)} up, ${formatCount(down)} down`]),
    ...(rose + fell === 0 ? [] : [`numbers: ${formatCount(rose)} rose, ${formatCount(fell)} fell`]),
  ];
  const moved = moves.length === 0 ? '' : ` (${moves.join('; ')})`;
  const lost = goneUnknown === undefined ? `${formatCount(gone)} gone` : `gone: not known, ${goneUnknown}`;
  if (rows !== undefined) {
    const since = [`${formatCount(added)} new`, `${formatCount(changed)} changed${moved}`, ...(goneUnknown === undefined ? [lost] : [])];
    return `${countOf(rows, 'row')} of this run, ${formatCount(all ?? rows)} in all; since the run before ${since.join(', ')}`;
  }
  if (added + changed + gone > 0) return `${countOf(added, 'new row')}, ${formatCount(changed)} changed, ${lost}`;
  return goneUnknown === undefined ? 'no row is new, changed or gone' : `no row is new or changed; ${lost}`;
}

/** Stages that an update can't compare, each with a sentence. They are reported before the first request, while the flow can be changed. */
export function uncomparedNotices(flow: Flow): readonly (readonly [stage: string, message: string])[] {
  return flow.stages
    .filter((stage) => stage.outputs.length > 0 && !isCompared(flow, stage))
    .map((stage) => {
      const { name, key } = stage;
      const lacks = [
        ...(rowSource(flow, stage) === undefined ? ['"seen": true or a .jsonl file'] : []),
        ...(key.length === 0 ? ["'by', of fields that are written"] : []),
      ];
      return [name, `${name}: its files are replaced, and not compared: that takes ${lacks.join(', and ')}`] as const;
    });
}
