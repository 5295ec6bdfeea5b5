import type { OpenFile } from '../../files/FileSystem.ts';
import { linesAt, linesOf } from '../destination/Loader.ts';
import type { DestinationColumn } from '../destination/RowDestination.ts';
import type { TableOptions } from '../TableOptions.ts';
import { ColumnFinder } from './ColumnFinder.ts';
import { ColumnType, type TableColumn } from './TableColumn.ts';
import { extraColumn } from './TextRepair.ts';
import { RowReader, Unlisted } from './RowReader.ts';

interface FoundTable {
  /** With types that hold every value. */
  readonly columns: readonly DestinationColumn[];
  /** Fields without a column. */
  readonly unlisted: Unlisted['counts'];
}

/**
 * Finds the columns of rows that are lines of JSON, and their types. Reads all rows to find the types, and reads them once more before
 * that if the columns aren't known. Memory holds one batch at a time.
 */
export async function findColumns(
  batches: () => AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  known: readonly TableColumn[] | undefined,
  options: TableOptions,
): Promise<FoundTable> {
  let columns = known;
  let extra = options.extra ?? false;
  if (columns === undefined) {
    const finder = new ColumnFinder();
    for await (const lines of batches()) for (const line of lines) finder.see(JSON.parse(line));
    const found = finder.columns();
    extra ||= !found.complete || found.columns.length === 0; // no format allows a table without columns
    columns = extra ? found.columns.filter(({ header }) => header !== extraColumn.header) : found.columns;
  }
  const unlisted = new Unlisted(options);
  const reader = new RowReader(columns, extra ? () => undefined : (path, value) => unlisted.add(path, value));
  const types = columns.map(({ type }) => new ColumnType(type));
  for await (const lines of batches())
    for (const line of lines) for (const [nth, value] of reader.read(JSON.parse(line)).entries()) types[nth]!.see(value);
  const typed = columns.map((column, nth) => ({ ...column, type: types[nth]!.kind }));
  return { columns: extra ? [...typed, extraColumn] : typed, unlisted: unlisted.counts };
}

/** The lines of the first bytes of a file, in batches of about a megabyte. */
export async function* linesIn(file: OpenFile, end: number): AsyncGenerator<readonly string[], void, undefined> {
  for (let at = 0; at < end;) {
    const bytes = await linesAt(file, at, end);
    yield linesOf(bytes);
    at += bytes.length;
  }
}
