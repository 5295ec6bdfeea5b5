import { ownValue } from '../../../operators/kit/ownValue.ts';
import { dialectOf } from '../../sinks/formats/fileFormats.ts';
import { fileKindOf } from '../../sinks/index.ts';
import { columnsOfStage } from '../definition/columnsOfStage.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { readTextRows } from '../state/readRows.ts';

/** The first rows of a stage, as one of its files has them. */
export interface Preview {
  readonly columns: readonly string[];
  /** The values of each row, in column order. */
  readonly rows: readonly (readonly unknown[])[];
}

const maxRows = 5;

/** The first rows of each stage that writes files, by its name, whichever run wrote them. A table is taken before JSONL. */
export async function previewsOf(flow: Flow, folder: FlowFolder): Promise<ReadonlyMap<string, Preview>> {
  const previews = new Map<string, Preview>();
  for (const stage of flow.stages) if (stage.outputs.length > 0) previews.set(stage.name, await previewOf(flow, stage, folder));
  return previews;
}

async function previewOf(flow: Flow, stage: FlowStage, folder: FlowFolder): Promise<Preview> {
  const kinds = stage.outputs.map((path) => ({ path, kind: fileKindOf(path)! }));
  const { path, kind } =
    kinds.find(({ kind }) => kind.text && kind.delimiter !== undefined) ?? kinds.find(({ kind }) => !kind.text) ?? kinds[0]!;
  const rows: object[] = [];
  for await (const row of readTextRows(stage, folder, kind.text ? path : rowSource(flow, stage)!)) if (rows.push(row) === maxRows) break;
  const known = kind.text ? undefined : columnsOfStage(flow, stage, path);
  if (known !== undefined)
    return {
      columns: known.map(({ path: name, header = name }) => header),
      rows: rows.map((row) => known.map(({ keys }) => keys.reduce<unknown>(ownValue, row))),
    };
  const named = new Set(rows.flatMap((row) => Object.keys(row)));
  const isTable = kind.text && dialectOf(kind, stage.written.get(path)) !== undefined;
  const kept = isTable ? [] : stage.keep.map(([column]) => column).filter((column) => named.delete(column));
  const columns = [...kept, ...named];
  return { columns, rows: rows.map((row) => columns.map((column) => ownValue(row, column))) };
}
