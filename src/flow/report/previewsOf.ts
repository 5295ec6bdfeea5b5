import { ownValue } from '../../../operators/kit/ownValue.ts';
import { dialectOf, fileFormats, type AssembledFormatName } from '../../sinks/formats/fileFormats.ts';
import { fileKindOf } from '../../sinks/index.ts';
import { findColumns, linesIn } from '../../sinks/table/findColumns.ts';
import { valueReader, TextRepair } from '../../sinks/table/TextRepair.ts';
import { knownColumns } from '../../sinks/table/TableColumn.ts';
import { columnsOfStage } from '../definition/columnsOfStage.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { openRows, readLines, readTextRows } from '../state/readRows.ts';

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
  if (!kind.text) return madePreview(flow, stage, folder, path, kind.format);
  const dialect = dialectOf(kind, stage.written.get(path));
  const rows: object[] = [];
  for await (const row of readTextRows(stage, folder, path)) if (rows.push(row) === maxRows) break;
  const named = new Set(rows.flatMap((row) => Object.keys(row)));
  const kept = dialect === undefined ? stage.keep.map(([column]) => column).filter((column) => named.delete(column)) : [];
  const columns = [...kept, ...named];
  return { columns, rows: rows.map((row) => columns.map((column) => ownValue(row, column))) };
}

/** What a file that is made at the end has of the first rows, or will have. */
async function madePreview(flow: Flow, stage: FlowStage, folder: FlowFolder, path: string, format: AssembledFormatName): Promise<Preview> {
  const file = openRows(folder, rowSource(flow, stage)!);
  if (file === undefined) return { columns: [], rows: [] };
  try {
    let bytes = 0;
    let count = 0;
    for await (const line of readLines(file)) {
      if (!line.whole || count === maxRows) break;
      bytes = line.at + line.bytes.length + 1;
      count += 1;
    }
    const known = knownColumns({ columns: columnsOfStage(flow, stage, path) }, undefined);
    const { columns } = await findColumns(() => linesIn(file, bytes), known, {});
    const read = valueReader(columns, new TextRepair(fileFormats[format]));
    const rows: (readonly unknown[])[] = [];
    for await (const lines of linesIn(file, bytes)) rows.push(...lines.map(read));
    return { columns: columns.map(({ header }) => header), rows };
  } finally {
    file.close();
  }
}
