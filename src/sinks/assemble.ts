import type { Hash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { hashFile } from '../files/blocks.ts';
import type { MakeOptions } from './formats/FileFormat.ts';
import { fileKindOf, fileFormats, type MadeFormatName } from './formats/fileFormats.ts';
import { type FileReport, joinRemarks, type Remarks } from './FileReport.ts';
import type { OpenFile } from '../files/FileSystem.ts';
import { discard, publish } from '../files/publish.ts';
import { sinkFailure } from '../files/sinkFailure.ts';
import { readTable, type NamedTable, type Table } from './table/readTable.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { reservePath } from './reservePath.ts';
import type { RowEncoder } from './RowEncoder.ts';
import type { Destination } from './RowOutput.ts';
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

/**
 * A file that can't be cut back to a row: Parquet or a database. Rows are kept as JSONL in the part, safe at each commit as
 * usual. They become the file when it is sealed. Returns the encoder of the rows, and where they go.
 */
export function madeAtEnd(
  path: string,
  format: MadeFormatName,
  options: OutputOptions,
  total: Hash | undefined,
): { readonly encoder: RowEncoder; readonly destination: Destination } {
  fileFormats[format].requirePackage(path);
  const rows = reservePath(path, { ...options, format });
  const { target, part, file, fileSystem, replace, published } = rows;
  /** The path where the file is built. */
  const draft = `${part}.draft`;
  let columns: readonly TableColumn[] | undefined;
  const look = (row: unknown): void => void (columns = knownColumns(options, row));
  /** Whether an earlier run already gave the file its name. */
  const isPublished = (): boolean => {
    const there = fileSystem.stat(draft);
    return published || (there !== undefined && there.id === fileSystem.stat(target)?.id);
  };
  return {
    encoder: { ...jsonlEncoder(), begin: ([row]) => look(row), goOn: look },
    destination: {
      ...rows,
      async make(bytes) {
        if (isPublished()) return hashFile(target, fileSystem, total);
        const { table = tableName(path), index, mode = 0o600 } = options;
        return assemble(path, draft, format, [{ name: table, file, bytes, columns, options, index }], { fileSystem, mode, total });
      },
      async publish() {
        const there = fileSystem.stat(draft) !== undefined;
        const both = there && (await publish(draft, target, replace, fileSystem));
        discard(part, fileSystem);
        await fileSystem.syncFolder(dirname(target));
        if (both) discard(draft, fileSystem); // last of all: the two names show that the file is ours
      },
      leave(count) {
        discard(draft, fileSystem);
        return rows.leave(count);
      },
    },
  };
}

/** A table's name: the file's without its ending. */
function tableName(path: string): string {
  const name = basename(path);
  const ending = fileKindOf(name)?.endings.find((one) => name.toLowerCase().endsWith(one)) ?? '';
  return name.slice(0, name.length - ending.length) || 'rows';
}
