import { resolve } from 'node:path';
import type { CsvDialect } from '../../sinks/formats/FileFormat.ts';
import { sqlName } from '../../sinks/load/sqlText.ts';
import { connectTo, createDatabase, lockTo, interruptAfter } from './database.ts';
import { cell, csvSql, shownSql, viewSql, withoutMark } from './fileSql.ts';
import { keptRows, type FoundRows } from './findRows.ts';
import type { TableSpec } from './TableSpec.ts';
import type { TableView } from './TableView.ts';

const maxMs = 60_000;

/**
 * Finds the first rows of a view in a file of CSV that isn't loaded. `watch` gets a function that tells the share that was
 * read. Throws if the package isn't installed, or can't read the file.
 */
export async function queryCsv(
  spec: TableSpec,
  csv: CsvDialect,
  view: TableView,
  watch: (share: () => number) => void,
): Promise<FoundRows> {
  const database = await createDatabase();
  try {
    const connection = await connectTo(database, watch);
    await lockTo(connection, spec.path);
    const of = (column: number): string => (csv.escaped ? withoutMark(cell(column)) : cell(column));
    const { where, values } = viewSql(spec, view, false, of);
    const cells = spec.columns.map(({ name }, column) => `${sqlName(name)} AS ${cell(column)}`);
    const rows = `SELECT row_number() OVER () - 1 AS rowid, ${cells.join(', ')} FROM ${csvSql(spec, resolve(spec.path), csv)}`;
    const text = `SELECT ${shownSql(spec, of)} FROM (${rows})${where} LIMIT ${keptRows}`;
    const found = await interruptAfter(maxMs, connection, () => connection.runAndReadAll(text, [...values]));
    const shown = found.getRowsJS().map(([n, ...rest]) => ({ n: n as number, cells: rest as (string | null)[] }));
    return { total: shown.length, numbers: shown.map(({ n }) => n), shown, sorted: [] };
  } finally {
    database.closeSync();
  }
}
