import { parseJsonRow, plainContent, rowsOfText } from '../../flow/seeds/readSeeds.ts';
import { nodeFileSystem, type FileKind, type OpenFile } from '../../sinks/index.ts';
import type { CsvDialect } from '../../sinks/formats/FileFormat.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import type { ShownColumn, TableInfo } from '../api.ts';

export interface SourceColumn extends ShownColumn {
  /** Where its value is in a row. */
  readonly keys: readonly string[];
}

/** A table, and the file that it is read from. */
export interface TableSpec {
  readonly info: TableInfo;
  readonly columns: readonly SourceColumn[];
  /** What is opened. It may have another name and format than the table, while a run writes to it. */
  readonly path: string;
  readonly kind: FileKind;
  /** How to read it, if it is CSV. */
  readonly csv: CsvDialect | undefined;
  readonly sqlTable: string | undefined;
}

/** Whether each row of a file is a line. */
export function isJsonl({ kind }: Pick<TableSpec, 'kind'>): boolean {
  return kind.text && kind.delimiter === undefined;
}

/** Whether each row of a file is a line, which can be read at any time. */
export function hasLines({ kind }: Pick<TableSpec, 'kind'>): boolean {
  return isJsonl({ kind }) && kind.compression === undefined;
}

/** The first rows of a text file. What isn't whole yet is left out. */
export async function headRows(path: string, kind: FileKind, csv: CsvDialect | undefined, limit: number): Promise<readonly object[]> {
  const rows: object[] = [];
  if (!kind.text || limit === 0) return rows;
  const file = nodeFileSystem.open(path, 'r');
  try {
    for await (const row of rowsOfText(plainContent(file, kind.compression), csv, path)) if (rows.push(row) === limit) break;
  } catch {
    // The last row may be half written. What was read before it is shown.
  } finally {
    file.close();
  }
  return rows;
}

/** A row that is looked at, maybe before all of it is read. */
export interface SeenRow {
  /** Its position in the file, from 0. */
  readonly n: number;
  /** Which bytes of the file are its line, where it has one. */
  readonly bytes?: readonly [from: number, to: number] | undefined;
  cell(column: SourceColumn): string | null;
  row(): object;
}

/** Rows as they are read, some at a time. They are valid until the next ones. */
export type SeenRows = AsyncIterable<Iterable<SeenRow>>;

/** Rows that were read in full. */
export async function* seenRows(rows: AsyncIterable<object>): AsyncGenerator<readonly SeenRow[], void, undefined> {
  let n = 0;
  for await (const row of rows) yield [{ n: n++, cell: (column) => cellOf(row, column), row: () => row }];
}

/** Every row of a text file. A last line that is half written ends it. `onRead` is told how many bytes were read. */
export async function* allRows(spec: TableSpec, onRead?: (bytes: number) => void): AsyncGenerator<object, void, undefined> {
  const { kind, csv, info } = spec;
  if (kind.text) yield* readContent(spec, onRead, (content) => rowsOfText(content, csv, info.file));
}

/** What is made of the content of a file. Where the file grows, its end may be half written. */
export async function* readContent<Read>(
  { path, kind, info }: TableSpec,
  onRead: ((bytes: number) => void) | undefined,
  read: (content: AsyncIterable<Buffer | string>) => AsyncIterable<Read>,
): AsyncGenerator<Read, void, undefined> {
  const file = nodeFileSystem.open(path, 'r');
  const told: Pick<OpenFile, 'read' | 'size'> = {
    size: () => file.size(),
    async read(...where) {
      const bytes = await file.read(...where);
      onRead?.(bytes);
      return bytes;
    },
  };
  try {
    yield* read(plainContent(told, kind.compression));
  } catch (error) {
    if (!info.growing) throw new Error(damageText(messageOf(error)), { cause: error });
  } finally {
    file.close();
  }
}

/** A line of JSONL as a row, by its number from 0. Long ids keep their digits. */
export function parseLine(bytes: Buffer, file: string, n: number): object {
  try {
    return parseJsonRow(bytes.toString().replace(/^\uFEFF/, ''), '');
  } catch (error) {
    throw new DamagedLine(file, n, messageOf(error));
  }
}

/** A line that can't be read. */
export class DamagedLine extends Error {
  readonly n: number;
  readonly fault: string;

  constructor(file: string, n: number, fault: string) {
    super(damageText(`${file}:${n + 1}${fault}`));
    this.n = n;
    this.fault = fault;
  }
}

/** What went wrong with a row, and what to do. */
function damageText(fault: string): string {
  return `${fault}. The file was changed after the run wrote it: correct that line, or run the flow again with --fresh.`;
}

/** A cell as text; null: nothing. In a row of a CSV file the whole name is one key. */
export function cellOf(row: object, { name, keys }: Pick<SourceColumn, 'name' | 'keys'>): string | null {
  let value: unknown = row;
  if (Object.hasOwn(row, name)) value = (row as { readonly [key: string]: unknown })[name];
  else {
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
      value = (value as { readonly [key: string]: unknown })[key];
    }
  }
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? null);
}

export const maxCell = 300;

/** The cells of a row, each at most so long that a page of them is small. */
export function shownCells(row: object, columns: readonly SourceColumn[]): readonly (string | null)[] {
  return columns.map((column) => cellOf(row, column)?.slice(0, maxCell) ?? null);
}
