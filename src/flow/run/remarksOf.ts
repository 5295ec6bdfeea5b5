import type { Flow } from '../definition/Flow.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import type { StageProgress } from './FlowProgress.ts';

/** What is odd about the stages of a run that is done. `isFirst`: it isn't an update. */
export function remarksOf(flow: Flow, store: RunStorage, stages: readonly StageProgress[], isFirst: boolean): readonly string[] {
  return [...(isFirst ? unusedStages(stages) : []), ...undatedStages(flow, store), ...strayedStages(store)];
}

/** Stages that made no query from any of their input rows. */
function unusedStages(stages: readonly StageProgress[]): readonly string[] {
  return stages.flatMap((stage) => {
    const parents = stages.filter(({ name }) => stage.each.includes(name));
    const rows = parents.reduce((sum, parent) => sum + parent.rows, 0);
    if (rows === 0 || stage.done + stage.failed + stage.waiting > 0) return [];
    const from = parents.map(({ name }) => name).join(' and ');
    return [`stage ${stage.name} made no query out of the ${rows} rows of ${from}: none of them has what its query needs`];
  });
}

/** Stages whose seeds were changed. */
function strayedStages({ strayed }: RunStorage): readonly string[] {
  return strayed.map((name) => `${name}: seeds of an earlier run are missing, so rows that were not found stay, and none is called gone`);
}

/** Stages with `since` none of whose rows says when it is from. */
function undatedStages(flow: Flow, { state }: RunStorage): readonly string[] {
  return [...state.dated].flatMap(([name, isDated]) => {
    if (isDated) return [];
    const { path } = flow.byName.get(name)!.since!.field;
    return [`${name}: no row says in '${path}' when it is from, so updates walk all of its pages`];
  });
}
