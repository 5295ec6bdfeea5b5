import type { MakeOptions } from './formats/FileFormat.ts';
import { fileFormats, type MadeFormatName } from './formats/fileFormats.ts';
import { type FileReport, joinRemarks, type Remarks } from './FileReport.ts';
import type { OpenFile } from '../files/FileSystem.ts';
import { discard } from '../files/publish.ts';
import { sinkFailure } from '../files/sinkFailure.ts';
import { readTable, type NamedTable, type Table } from './table/readTable.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';
import type { TableOptions } from './TableOptions.ts';

/** Rows for a table: the first `bytes` of a JSONL file. */
export interface StoredTable {
  readonly name: string;
  readonly file: OpenFile;
  readonly bytes: number;
  /** @default the columns chosen in `options`, else those found in the rows */
  readonly columns?: readonly TableColumn[] | undefined;
  readonly options: TableOptions;
  /** Columns to index. @default the first id column */
  readonly index?: readonly string[] | undefined;
}

/**
 * Builds a file that can't be written row by row (Parquet, DuckDB, SQLite) from rows kept as JSONL. Writes it to `draft`,
 * always from scratch. When it returns, the file is safe on disk under that name. Memory holds one batch of rows at a time.
 */
export async function assemble(
  path: string,
  draft: string,
  format: MadeFormatName,
  stored: readonly StoredTable[],
  options: MakeOptions,
): Promise<Pick<FileReport, 'bytes' | 'sha256'> & Remarks> {
  const { lost, strictJson, make } = fileFormats[format];
  try {
    discard(draft, options.fileSystem);
    const tables: NamedTable[] = [];
    for (const { name, file, bytes, columns, options: own, index } of stored) {
      const table = await readTable(file, bytes, columns ?? knownColumns(own, undefined), {
        ...own,
        lost,
        strictJson,
      });
      tables.push({ ...table, name, index: index ?? idOf(table) });
    }
    const remarks = (): Remarks => joinRemarks(tables.map((table) => table.remarks()));
    return { ...(await make(draft, tables, options)), ...remarks() };
  } catch (error) {
    throw sinkFailure(path, `making the ${format} file`, error);
  }
}

/** The column that rows are most likely looked up by. */
function idOf(table: Table): readonly string[] {
  const id = table.columns.find(({ header, kind }) => kind !== 'json' && /(^|[._])id$/i.test(header));
  return id === undefined ? [] : [id.header];
}
