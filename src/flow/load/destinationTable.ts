import { FlowError } from '../../errors/index.ts';
import type { DestinationTable } from '../../sinks/index.ts';
import { extraColumn } from '../../sinks/table/valueReader.ts';
import { columnsOfStage } from '../definition/columnsOfStage.ts';
import type { StageTarget } from '../definition/destinationOf.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { rowSource } from '../state/FlowFiles.ts';

/** The table that a stage's rows go to. Throws a FlowError if its columns aren't known. */
export function destinationTable(flow: Flow, stage: FlowStage, { to, name }: StageTarget, run: string): DestinationTable {
  const columns = columnsOfStage(flow, stage);
  if (columns === undefined)
    throw new FlowError(
      `stage ${stage.name}: the rows of ${stage.operation.name} aren't documented, so ${to} needs 'pick' for its columns`,
    );
  for (const { path } of stage.by)
    if (columns.every((column) => column.path !== path))
      throw new FlowError(`stage ${stage.name}: '${path}' in 'by' has no column of its own, so it can't be the key of ${to}`);
  const own = columns.map(({ path, keys, type = 'string', about }) => ({ header: path, keys, type, about }));
  return {
    name,
    columns: [...own, extraColumn],
    key: stage.by.map(({ path }) => path),
    mode: stage.mode,
    flow: flow.name,
    run,
    stage: stage.name,
    file: rowSource(flow, stage)!,
  };
}
