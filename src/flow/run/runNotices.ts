import { emptyArea } from '../../../operators/split/coverFault.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { isCompared } from '../update/mergeRows.ts';
import { type StageChanges, type StageProgress } from './FlowProgress.ts';

/** Stages that made no query from any of their input rows. */
export function unusedStages(stages: readonly StageProgress[]): readonly string[] {
  return stages.flatMap((stage) => {
    const parents = stages.filter(({ name }) => stage.each.includes(name));
    const rows = parents.reduce((sum, parent) => sum + parent.rows, 0);
    if (rows === 0 || stage.done + stage.failed + stage.waiting > 0) return [];
    const from = parents.map(({ name }) => name).join(' and ');
    return [`stage ${stage.name} made no query out of the ${rows} rows of ${from}: none of them has what its query needs`];
  });
}

/** Stages that covered areas without a row in them. */
export function emptyAreas(flow: Flow, stages: readonly StageProgress[]): readonly string[] {
  const covering = stages.filter(({ name, rows, done }) => rows === 0 && done > 0 && flow.byName.get(name)!.split?.kind === 'area');
  return covering.map(({ name }) => `${name}: ${emptyArea}`);
}

/** Stages with `since` none of whose rows says when it is from. */
export function undatedStages(flow: Flow, { dated }: FlowStore): readonly string[] {
  return [...dated].flatMap(([name, isDated]) => {
    if (isDated) return [];
    const { path } = flow.byName.get(name)!.since!.field;
    return [`${name}: no row says in '${path}' when it is from, so updates walk all of its pages`];
  });
}

/** What an update changed, and what it could not compare: the stage and a sentence. */
export function changeNotices(
  flow: Flow,
  changes: readonly StageChanges[],
  stages: readonly StageProgress[],
): readonly (readonly [stage: string, message: string])[] {
  return [
    ...changes.map(({ stage, added, late, changed, gone, file }) => {
      const ofThem = late === 0 ? '' : ` (${late} of them late: older than what was known)`;
      return [
        stage,
        `${stage}: ${added} ${added === 1 ? 'row' : 'rows'} added${ofThem}, ${changed} changed, ${gone} gone: see ${file}`,
      ] as const;
    }),
    ...changes
      .filter(({ unfound }) => unfound > 0)
      .map(({ stage, unfound }) => {
        const rows = `${unfound} known ${unfound === 1 ? 'row was' : 'rows were'} not found, though the service still counts`;
        return [stage, `${stage}: ${rows} ${unfound === 1 ? 'it. It stays' : 'them. They stay'}, and the next update looks again`] as const;
      }),
    ...stages
      .filter(({ unchanged = 0 }) => unchanged > 0)
      .map(({ name, unchanged }) => [name, `${name}: ${unchanged} queries skipped, as nothing has changed`] as const),
    ...flow.stages
      .filter((stage) => stage.outputs.length > 0 && !isCompared(flow, stage))
      .map(({ name }) => {
        const needs = "that takes a .jsonl file, and 'by' where the operation has no id";
        return [name, `${name}: its files were replaced, and not compared: ${needs}`] as const;
      }),
  ];
}
