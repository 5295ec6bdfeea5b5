import { basename } from 'node:path';
import { plainContent, rowsOfText } from '../../flow/seeds/readSeeds.ts';
import { nodeFileSystem, type FileKind, type OpenFile } from '../../sinks/index.ts';
import type { CsvDialect } from '../../sinks/formats/FileFormat.ts';
import type { ShownColumn, TableInfo } from '../api.ts';

export interface SourceColumn extends ShownColumn {
  /** The path of its value in a row. */
  readonly keys: readonly string[];
}

/** A table, and how to read its file. */
export interface TableSpec {
  readonly info: TableInfo;
  readonly columns: readonly SourceColumn[];
  /** The file to open. While a run writes to it, it may have another name and format than the table. */
  readonly path: string;
  readonly kind: FileKind;
  /** How to read it, if it is CSV. */
  readonly csv: CsvDialect | undefined;
}

/** The first rows of a text file. A row that isn't completely written yet is left out. */
export async function headRows(file: TextFile, limit: number): Promise<readonly object[]> {
  const rows: object[] = [];
  try {
    for await (const row of textRows(file)) if (rows.push(row) === limit) break;
  } catch {
    // the last row may be half written
  }
  return rows;
}

type TextFile = Pick<TableSpec, 'path' | 'kind' | 'csv'>;

/** Every row of a text file. `onRead` is called with the number of bytes read so far. */
export async function* textRows({ path, kind, csv }: TextFile, onRead?: (bytes: number) => void): AsyncGenerator<object, void, undefined> {
  if (!kind.text) return;
  const file = nodeFileSystem.open(path, 'r');
  let read = 0;
  const told: Pick<OpenFile, 'read' | 'size'> = {
    size: () => file.size(),
    async read(...where) {
      const bytes = await file.read(...where);
      onRead?.((read += bytes));
      return bytes;
    },
  };
  try {
    yield* rowsOfText(plainContent(told, kind.compression), csv, basename(path));
  } finally {
    file.close();
  }
}

/** What is wrong with a row, and what to do. */
export function damageText(fault: string): string {
  return `${fault}. The file was changed after the run wrote it: correct that line, or run the flow again with --fresh.`;
}

/** A cell as text. null: it is empty. In a row of a CSV file, the whole name is one key. */
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

/** The cells of a row. Long ones are cut off, so that a page of rows is small. */
export function shownCells(row: object, columns: readonly SourceColumn[]): readonly (string | null)[] {
  return columns.map((column) => cellOf(row, column)?.slice(0, maxCell) ?? null);
}
