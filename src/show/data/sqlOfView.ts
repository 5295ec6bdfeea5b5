import { jsonPointer, sqlString } from '../../sinks/load/sqlText.ts';
import { sqlName } from '../../sinks/table/tableSql.ts';
import { filterKinds } from './filterKinds.ts';
import { measureOf } from './TableRows.ts';
import type { TableSpec } from './TableSpec.ts';
import { orderSql, whereSql, type TableView } from './TableView.ts';

/** A view as SQL for DuckDB, to be run in the run's folder. */
export function sqlOfView({ info, kind, columns, sqlTable }: TableSpec, view: TableView): string {
  const file = sqlString(info.growing ? `${info.file}.part` : info.file);
  const isJson = kind.text && kind.delimiter === undefined;
  const cell = (column: number): string => {
    const { name, keys } = columns[column]!;
    const [top, ...rest] = keys;
    return isJson ? `${sqlName(top!)} ->> ${sqlString(jsonPointer(rest))}` : sqlName(name);
  };
  const bracketed = (column: number): string => (isJson ? `(${cell(column)})` : cell(column));
  const tops = [...new Set(columns.map(({ keys }) => keys[0]!))].map((key) => `${sqlString(key)}: 'JSON'`);
  const source = isJson
    ? `read_json(${file}, format = 'newline_delimited', columns = {${tops.join(', ')}})`
    : kind.text
      ? `read_csv(${file}, header = true, all_varchar = true, delim = ${sqlString(kind.delimiter ?? ',')})`
      : kind.format === 'parquet'
        ? `read_parquet(${file})`
        : sqlName(sqlTable ?? '');
  const sorted = view.sort?.column ?? 0;
  const anyHas = (wanted: string): string => `(${columns.map((_, column) => filterKinds.has.sql(bracketed(column), wanted)).join(' OR ')})`;
  const where = whereSql(view, { cell: bracketed, text: sqlString, anyHas });
  const order = orderSql(view, bracketed(sorted), measureOf(columns[sorted]?.type) === 'number');
  return `SELECT *\nFROM ${source}${where.replace(/^ /, '\n')}${order.replace(/^ /, '\n')};\n`;
}
