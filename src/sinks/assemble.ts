import { basename, dirname } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { hashFile } from '../files/blocks.ts';
import { linesAt, Loader, type RejectedRow } from './destination/Loader.ts';
import type { DestinationColumn, DestinationTable, RowDestination } from './destination/RowDestination.ts';
import type { MakeOptions } from './formats/FileFormat.ts';
import { fileKindOf, fileFormats, type AssembledFormatName } from './formats/fileFormats.ts';
import { type FileReport, joinRemarks, type Remarks, type RowEncoder } from './OutputFile.ts';
import { type OpenFile, sinkFailure, systemCode } from '../files/FileSystem.ts';
import { discard, publish } from '../files/publish.ts';
import { findColumns, linesIn } from './table/findColumns.ts';
import { uniqueNames } from './load/sqlText.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';
import { TextRepair } from './table/TextRepair.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { reservePath } from './reservePath.ts';
import type { OutputTarget } from './RowOutput.ts';
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
 * Builds a file that can't be written row by row (Parquet, DuckDB, SQLite) from rows that are kept as JSONL. It is written to
 * `draft`, always from the beginning. When this resolves, `draft` is complete and safe on disk. Memory holds one batch of rows at a time.
 */
export async function assemble(
  path: string,
  draft: string,
  format: AssembledFormatName,
  stored: readonly StoredTable[],
  options: MakeOptions,
): Promise<Pick<FileReport, 'bytes' | 'sha256'> & Remarks> {
  const repair = new TextRepair(fileFormats[format]);
  try {
    discard(draft, options.fileSystem);
    const names = uniqueNames(stored.map(({ name }) => name));
    const remarks: Remarks[] = [];
    const load = async (to: RowDestination): Promise<void> => {
      for (const [nth, table] of stored.entries()) remarks.push(await loadTable(path, to, { ...table, name: names[nth]! }));
    };
    const made = await fileFormats[format].make(draft, repair, load, options);
    return { ...made, ...joinRemarks([...remarks, { replaced: repair.replaced }]) };
  } catch (error) {
    throw sinkFailure(path, `making the ${format} file`, diskFullError(error, draft, options) ?? error);
  }
}

/**
 * The system's error if the disk is full. A database reports that in its own words, or not clearly. So this tries whether the draft,
 * which is thrown away anyway, can grow.
 */
function diskFullError(cause: unknown, draft: string, { fileSystem }: MakeOptions): unknown {
  if (cause instanceof SinkError || /^E(?!RR_)/.test(systemCode(cause) ?? '')) return undefined; // it is clear already
  let file: OpenFile | undefined;
  try {
    file = fileSystem.open(draft, 'r+');
    const size = file.size();
    try {
      const bytes = new Uint8Array(2 ** 20);
      for (let done = 0; done < bytes.length;) done += file.writeSync(bytes, done, bytes.length - done, size + done);
    } finally {
      file.truncate(size);
    }
  } catch (error) {
    return ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '') ? error : undefined;
  } finally {
    file?.close();
  }
  return undefined;
}

/** Loads all rows of a table into the new file, with column types that hold every value. */
async function loadTable(
  path: string,
  to: RowDestination,
  { name, file, bytes, columns: known, options, index }: StoredTable,
): Promise<Remarks> {
  const { columns, unlisted } = await findColumns(() => linesIn(file, bytes), known ?? knownColumns(options, undefined), options);
  const key = index ?? idOf(columns);
  const table: DestinationTable = { name, columns, key, mode: 'replace', flow: path, run: path, stage: name, file: path };
  const reject = ([row]: readonly RejectedRow[]): Promise<never> => Promise.reject(new SinkError(`${name}: ${row!.reason}`));
  const loader = new Loader(to, table, { reject, signal: new AbortController().signal });
  try {
    let prefix = await loader.open(false);
    while (prefix.bytes < bytes) prefix = await loader.load(await linesAt(file, prefix.bytes, bytes), prefix);
    await loader.finish();
  } finally {
    await loader.close();
  }
  return unlisted === undefined ? {} : { unlisted };
}

/** The column that rows are most likely looked up by. */
function idOf(columns: readonly DestinationColumn[]): readonly string[] {
  const id = columns.find(({ header, type }) => type !== 'json' && /(^|[._])id$/i.test(header));
  return id === undefined ? [] : [id.header];
}

/**
 * Opens a file that can't be cut back to a row: Parquet or a database. Its rows are kept as JSONL in the `.part` file, and each commit
 * makes them safe, as for other files. `seal` builds the file from them.
 */
export function assembled(
  path: string,
  format: AssembledFormatName,
  options: OutputOptions,
): { readonly encoder: RowEncoder; readonly target: OutputTarget } {
  fileFormats[format].requirePackage(path);
  const rows = reservePath(path, { ...options, format });
  const { target, part, file, fileSystem, replace, published } = rows;
  const draft = `${part}.draft`;
  let columns: readonly TableColumn[] | undefined;
  const learn = (row: unknown): void => void (columns = knownColumns(options, row));
  /** Whether an earlier run already gave the file its name. */
  const isPublished = (): boolean => {
    const there = fileSystem.stat(draft);
    return published || (there !== undefined && there.id === fileSystem.stat(target)?.id);
  };
  return {
    encoder: { ...jsonlEncoder(), begin: ([row]) => learn(row), resumeFrom: learn },
    target: {
      ...rows,
      async assemble(bytes) {
        if (isPublished()) return hashFile(target, fileSystem);
        const { table = tableName(path), index, mode = 0o666 } = options;
        return assemble(path, draft, format, [{ name: table, file, bytes, columns, options, index }], { fileSystem, mode });
      },
      async publish() {
        const there = fileSystem.stat(draft) !== undefined;
        const both = there && (await publish(draft, target, replace, fileSystem));
        discard(part, fileSystem);
        await fileSystem.syncFolder(dirname(target));
        if (both) discard(draft, fileSystem); // last, because after a crash the two names of one file show that it is ours
      },
      leave(count) {
        discard(draft, fileSystem);
        return rows.leave(count);
      },
    },
  };
}

/** The name of the table: the file's name without its ending. */
function tableName(path: string): string {
  const name = basename(path);
  const ending = fileKindOf(name)?.endings.find((one) => name.toLowerCase().endsWith(one)) ?? '';
  return name.slice(0, name.length - ending.length) || 'rows';
}
