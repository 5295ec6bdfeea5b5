import { dirname } from 'node:path';
import type { Hash } from 'node:crypto';
import type { Format } from './endings.ts';
import { type FileReport, joinRemarks, type Remarks } from './FileReport.ts';
import type { FileSystem, OpenFile } from './FileSystem.ts';
import { hashFile } from './hashFile.ts';
import { PartFile } from './PartFile.ts';
import { discard } from './publish.ts';
import { sinkFault } from './sinkFault.ts';
import { readTable, type NamedTable, type Table } from './table/readTable.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';
import type { TableOptions } from './OutputOptions.ts';
import { requireDuckdb, writeDuckdb } from './writeDuckdb.ts';
import { requireParquetWriter, writeParquet } from './writeParquet.ts';
import { requireSqlite, writeSqlite } from './writeSqlite.ts';

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

const halfPairs = /\p{Surrogate}/gu;
/** Not every reader of SQLite gets past a NUL. */
const halfPairsAndNul = /[\0\p{Surrogate}]/gu;

/** Throws a SinkError if the package that a format needs isn't installed. */
export function requireFormat(format: Format | undefined, path: string): void {
  if (format === 'parquet') requireParquetWriter(path);
  if (format === 'duckdb') requireDuckdb(path);
  if (format === 'sqlite') requireSqlite(path);
}

interface AssembleOptions {
  readonly fileSystem: FileSystem;
  readonly mode: number;
  /** Sees the bytes too. */
  readonly total?: Hash | undefined;
}

/**
 * Builds a file that can't be written row by row (Parquet, DuckDB, SQLite) from rows kept as JSONL. Writes it to `draft`,
 * always from scratch. When it returns, the file is safe on disk under that name. Memory holds one batch of rows at a time.
 */
export async function assemble(
  path: string,
  draft: string,
  format: Format,
  stored: readonly StoredTable[],
  { fileSystem, mode, total }: AssembleOptions,
): Promise<Pick<FileReport, 'bytes' | 'sha256'> & Remarks> {
  try {
    discard(draft, fileSystem);
    const tables: NamedTable[] = [];
    for (const { name, file, bytes, columns, options, index } of stored) {
      const table = await readTable(file, bytes, columns ?? knownColumns(options, undefined), {
        ...options,
        lost: format === 'sqlite' ? halfPairsAndNul : halfPairs,
        strictJson: format === 'duckdb',
      });
      tables.push({ ...table, name, index: index ?? idOf(table) });
    }
    const remarks = (): Remarks => joinRemarks(tables.map((table) => table.remarks()));
    if (format === 'parquet') {
      const part = new PartFile(draft, fileSystem.open(draft, 'wx', mode), { total });
      try {
        await writeParquet(tables[0]!, part);
        const { bytes, sha256 } = await part.commit();
        await fileSystem.syncFolder(dirname(draft)); // later, the name tells our file from somebody else's
        return { bytes, sha256, ...remarks() };
      } finally {
        await part.close();
      }
    }
    await fileSystem.build(draft, mode, (real) => (format === 'duckdb' ? writeDuckdb : writeSqlite)(real, tables));
    const file = fileSystem.open(draft, 'r+');
    try {
      await file.datasync();
    } finally {
      file.close();
    }
    await fileSystem.syncFolder(dirname(draft));
    return { ...hashFile(draft, fileSystem, total), ...remarks() };
  } catch (error) {
    throw sinkFault(path, `making the ${format} file`, error);
  }
}

/** The column that rows are most likely looked up by. */
function idOf(table: Table): readonly string[] {
  const id = table.columns.find(({ header, kind }) => kind !== 'json' && /(^|[._])id$/i.test(header));
  return id === undefined ? [] : [id.header];
}
