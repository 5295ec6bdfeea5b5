import { sqlString, sqlName, uniqueNames } from '../../sinks/load/sqlText.ts';
import { readSql, typed, withoutMark } from './fileSql.ts';
import { filterKinds } from './filterKinds.ts';
import { measureOf } from './TableRows.ts';
import type { TableSpec } from './TableSpec.ts';
import { orderSql, whereSql, type TableView } from './TableView.ts';

/**
 * A view as SQL for DuckDB, to be run in the run's folder: the rows of the page, from the file as it is. Cells are compared as text, as
 * on the page, and get the types that are documented. `path`: of the file in that folder.
 */
export function sqlOfView(spec: TableSpec, path: string, view: TableView): string {
  const { columns, csv } = spec;
  const [number] = uniqueNames(['row_number'], columns.map(({ name }) => name.toLowerCase())) as [string]; // prettier-ignore
  const names = uniqueNames(columns.map(({ name }) => name)).map(sqlName);
  const { attach, cells, from } = readSql(spec, path, (text) => `plain(${text})`);
  const isMarked = csv?.escaped === true;
  const before = [
    ...(isMarked ? ['-- Takes back the apostrophes that keep spreadsheets from calculating.', `CREATE OR REPLACE TEMP MACRO plain(cell) AS ${withoutMark('cell')};`] : []),
    ...(attach === undefined ? [] : [`${attach};`]),
  ]; // prettier-ignore
  const cell = (column: number): string => `cells.${names[column]}`;
  const anyHas = (wanted: string): string => `(${columns.map((_, column) => filterKinds.has.sql(cell(column), wanted)).join(' OR ')})`;
  const sorted = view.sort?.column ?? 0;
  const isNumber = measureOf(columns[sorted]?.type) === 'number';
  const lines = [
    ...before,
    'WITH cells AS (',
    `  SELECT ${[...cells.map((text, column) => `${text} AS ${names[column]}`), `row_number() OVER () AS ${sqlName(number)}`].join(', ')}`,
    `  FROM ${from}`,
    ')',
    `SELECT ${columns.map(({ type }, column) => `${typed(cell(column), type)} AS ${names[column]}`).join(', ')}`,
    'FROM cells',
    whereSql(view, { cell, text: sqlString, anyHas, position: `cells.${sqlName(number)} - 1` }).trim(),
    orderSql(view, cell(sorted), isNumber, `, cells.${sqlName(number)}`).trim(),
  ];
  return `${lines.filter((line) => line !== '').join('\n')};\n`;
}
