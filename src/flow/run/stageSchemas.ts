import { rowJsonSchema, type Column, type JsonSchema } from '../../contract/index.ts';
import { columnsOfStage, listOfStage } from '../definition/columnsOfStage.ts';
import type { Flow } from '../definition/Flow.ts';

/** The columns of a stage's rows, and their files. */
export interface StageSchema {
  readonly table: string;
  readonly paths: readonly string[];
  /** undefined if they aren't documented. */
  readonly columns: readonly { readonly header: string; readonly keys: readonly string[]; readonly type: Column['type'] }[] | undefined;
  readonly jsonSchema: JsonSchema;
}

/** The tables of a flow, one per stage. */
export function stageSchemas(flow: Flow): readonly StageSchema[] {
  return flow.stages.map((stage) => {
    const columns = columnsOfStage(flow, stage)?.map(({ path, keys, type = 'string' }) => ({ header: path, keys, type }));
    const documented = rowJsonSchema(stage.operation, listOfStage(stage));
    const properties = 'properties' in documented ? (documented['properties'] as object) : {};
    const kept = stage.keep.map(([column]) => column);
    const own = columns?.filter(({ keys }) => kept.includes(keys[0]!) || keys[0] === '_source').map(({ keys }) => [keys[0]!, {}]) ?? [];
    const picked = stage.pick.map(({ keys }) => keys[0]!);
    const chosen = Object.entries(properties).filter(([name]) => picked.length === 0 || picked.includes(name));
    return {
      table: stage.name,
      paths: stage.outputs,
      columns,
      jsonSchema: { type: 'object', properties: { ...Object.fromEntries(own), ...Object.fromEntries(chosen) } },
    };
  });
}
