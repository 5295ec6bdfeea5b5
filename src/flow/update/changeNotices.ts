import { join } from 'node:path';
import type { Flow } from '../definition/Flow.ts';
import type { StageChanges, StageProgress } from '../run/FlowProgress.ts';
import { isCompared } from './mergeRows.ts';

/** What an update changed, and what it could not compare: the stage and a sentence. */
export function changeNotices(
  flow: Flow,
  changes: readonly StageChanges[],
  stages: readonly StageProgress[],
  outDir: string,
): readonly (readonly [stage: string, message: string])[] {
  return [
    ...changes.map(({ stage, added, late, changed, gone, file }) => {
      if (added + changed + gone === 0) return [stage, `${stage}: no row was added, changed or gone`] as const;
      const ofThem = late === 0 ? '' : ` (${late} of them late: older than what was known)`;
      return [
        stage,
        `${stage}: ${added} ${added === 1 ? 'row' : 'rows'} added${ofThem}, ${changed} changed, ${gone} gone: see ${join(outDir, file)}`,
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
