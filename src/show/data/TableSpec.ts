import { basename } from 'node:path';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { textOf } from '../../../operators/kit/path.ts';
import { plainContent, rowsOfText } from '../../flow/seeds/readSeeds.ts';
import { nodeFileSystem, type FileKind } from '../../sinks/index.ts';
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

/** Every row of a text file. */
export async function* textRows({ path, kind, csv }: TextFile): AsyncGenerator<object, void, undefined> {
  if (!kind.text) return;
  const file = nodeFileSystem.open(path, 'r');
  try {
    yield* rowsOfText(plainContent(file, kind.compression), csv, basename(path));
  } finally {
    file.close();
  }
}

/** What is wrong with a row, and what to do. */
export function damageText(fault: string): string {
  return `${fault}. The file was changed after the run wrote it: correct that line, or run the flow again with --fresh.`;
}

export const maxCell = 300;

/** The cells of a row as text. null: an empty one. In a row of a CSV file, the whole name is one key. Long ones are cut off. */
export function shownCells(row: object, columns: readonly SourceColumn[]): readonly (string | null)[] {
  return columns.map(({ name, keys }) => {
    const value = (Object.hasOwn(row, name) ? [name] : keys).reduce<unknown>(ownValue, row) ?? null;
    return value === null ? null : textOf(value).slice(0, maxCell);
  });
}
