import { resolve } from 'node:path';
import { sqlString } from '../../sinks/load/sqlText.ts';
import { sqlName } from '../../sinks/table/tableSql.ts';
import { cell, csvSql, shownSql, viewSql, withoutMark } from './fileSql.ts';
import { keptRows, type FoundRows } from './findRows.ts';
import type { TableSpec } from './TableSpec.ts';
import type { TableView } from './TableView.ts';

/**
 * Finds the first rows of a view in a file of CSV that isn't loaded. `watch` gets a function that tells the share that was
 * read. Throws if the package isn't installed, or can't read the file.
 */
export async function queryCsv(
  spec: TableSpec,
  delimiter: string,
  view: TableView,
  watch: (share: () => number) => void,
): Promise<FoundRows> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const database = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' });
  try {
    const connection = await database.connect();
    await connection.run('SET enable_progress_bar = true');
    await connection.run('SET enable_progress_bar_print = false');
    await connection.run("SET temp_directory = ''"); // nothing is written, also when memory runs out
    await connection.run(`SET allowed_paths = [${sqlString(resolve(spec.path))}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    watch(() => Math.max(0, connection.progress.percentage) / 100);
    const of = (column: number): string => withoutMark(cell(column));
    const { where, values } = viewSql(spec, view, false, of);
    const cells = spec.columns.map(({ name }, column) => `${sqlName(name)} AS ${cell(column)}`);
    const rows = `SELECT row_number() OVER () - 1 AS rowid, ${cells.join(', ')} FROM ${csvSql(spec, delimiter)}`;
    const found = await connection.runAndReadAll(`SELECT ${shownSql(spec, of)} FROM (${rows})${where} LIMIT ${keptRows}`, [...values]);
    const shown = found.getRowsJS().map(([n, ...rest]) => ({ n: n as number, cells: rest as (string | null)[] }));
    return { total: shown.length, numbers: shown.map(({ n }) => n), shown, sorted: [] };
  } finally {
    database.closeSync();
  }
}
