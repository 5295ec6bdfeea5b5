import { resolve } from 'node:path';
import { duckdbTypes } from '../../sinks/destination/duckdbDestination.ts';
import { jsonPointer, sqlString, sqlName, uniqueNames } from '../../sinks/load/sqlText.ts';
import { formulaPattern, harmlessPattern } from '../../sinks/table/csvCells.ts';
import type { CsvDialect } from '../../sinks/formats/FileFormat.ts';
import { isNumberType } from './filterKinds.ts';
import { maxCell, type TableSpec } from './TableSpec.ts';
import { orderSql, whereSql, type TableView } from './TableView.ts';

/** The name of a column in our SQL. Names from a file never get into a query. */
export function cell(column: number): string {
  return `c${column}`;
}

/** The SELECT list for shown rows: the index of a row, and its shortened cells. */
export function shownSql({ columns }: TableSpec): string {
  return ['rowid::DOUBLE', ...columns.map((_, column) => `left(${cell(column)}, ${maxCell})`)].join(', ');
}

export interface ViewSql {
  readonly where: string;
  readonly order: string;
  readonly values: readonly string[];
}

/** The SQL of a view. */
export function viewSql(spec: TableSpec, view: TableView): ViewSql {
  const { columns } = spec;
  const values: string[] = [];
  const text = (value: string): string => `$${values.push(value)}`;
  const anyCellHas = (wanted: string): string =>
    `(${columns.map((_, column) => `contains(lower(${cell(column)}), ${wanted})`).join(' OR ')})`;
  const anyHas = staysInFile(spec) ? anyCellHas : (wanted: string) => `contains(everything, ${wanted})`;
  const where = whereSql(view, { cell, text, anyHas });
  const sorted = view.sort?.column ?? 0;
  return { where, values, order: orderSql(view, cell(sorted), isNumberType(columns[sorted]?.type), ', rowid') };
}

/** SQL for a view that users can query: it has the table's name, its columns, and their documented types. */
export function namedViewSql({ info, columns }: TableSpec): string {
  const names = uniqueNames(columns.map(({ name }) => name)).map(sqlName);
  const cells = columns.map(({ type }, column) => `${typed(cell(column), type)} AS ${names[column]}`);
  return `CREATE VIEW ${sqlName(info.sqlName)} AS SELECT ${cells.length === 0 ? '*' : cells.join(', ')} FROM rows`;
}

/** A cell in its documented type. A value that doesn't fit becomes NULL. */
function typed(text: string, type: string | undefined): string {
  const name = type === undefined || !Object.hasOwn(duckdbTypes, type) ? 'VARCHAR' : duckdbTypes[type as keyof typeof duckdbTypes];
  return name === 'VARCHAR' ? text : `try_cast(${text} AS ${name})`;
}

/** Whether rows stay in the file: DuckDB reads columns of Parquet as fast as from memory. */
function staysInFile({ kind }: TableSpec): boolean {
  return kind.format === 'parquet';
}

/** SQL that loads the file into a table. All cells are text, so values that don't fit their documented type are loaded too. */
export function loadSql(spec: TableSpec): readonly string[] {
  const { path, columns, info, sqlTable } = spec;
  if (columns.length === 0) return [`CREATE TABLE rows AS SELECT NULL::VARCHAR AS ${cell(0)}, NULL::VARCHAR AS everything WHERE false`];
  const { attach, cells, from } = readSql(spec, resolve(path));
  const named = cells.map((text, column) => `${text} AS ${cell(column)}`).join(', ');
  if (staysInFile(spec)) return [`CREATE VIEW rows AS SELECT file_row_number AS rowid, ${named} FROM ${from}`];
  // `everything` is for searches: joining the cells for each search takes ten times as long
  const all = columns.map((_, column) => cell(column)).join(', ');
  // the last line of a growing file may be half written: then all of its cells are NULL
  const whole = info.growing && spec.kind.text && spec.csv === undefined ? ` WHERE coalesce(${cells.join(', ')}) IS NOT NULL` : '';
  const rows = `SELECT ${named} FROM ${from}${whole}`;
  const create = `CREATE TABLE rows AS SELECT *, lower(concat_ws(chr(10), ${all})) AS everything FROM (${rows})`;
  if (attach === undefined) return [create];
  // it must be a table: a view may never end
  const isTable =
    `EXISTS (FROM duckdb_tables() WHERE database_name = 'file' AND schema_name = 'main' AND table_name = ` +
    `${sqlString(sqlTable ?? '')})`;
  return [
    attach,
    `SELECT CASE WHEN NOT ${isTable} THEN error(${sqlString(`${info.file} has no table of its stage.`)}) END`,
    create,
    'DETACH file',
  ];
}

/** The SQL to read a file: a statement to run before, its cells as text, and the FROM clause. */
interface ReadSql {
  readonly attach: string | undefined;
  readonly cells: readonly string[];
  readonly from: string;
}

function readSql(spec: TableSpec, path: string): ReadSql {
  const { kind, csv, columns, info, sqlTable } = spec;
  if (!kind.text) {
    const cells = columns.map(({ name, type }) => asJsonText(`${sqlName(name)}::VARCHAR`, type));
    if (staysInFile(spec)) return { attach: undefined, cells, from: `read_parquet(${sqlString(path)}, file_row_number = true)` };
    const attach = `ATTACH IF NOT EXISTS ${sqlString(path)} AS file (${kind.format === 'sqlite' ? 'TYPE sqlite, ' : ''}READ_ONLY)`;
    return { attach, cells, from: `file.main.${sqlName(sqlTable ?? '')}` };
  }
  if (csv !== undefined) {
    const cells = columns.map(({ name }) => (csv.escaped ? withoutMark(sqlName(name)) : sqlName(name)));
    return { attach: undefined, cells, from: csvSql(spec, path, csv) };
  }
  const tops = new Map(columns.map(({ keys }) => [keys[0]!.toLowerCase(), keys[0]!])); // DuckDB doesn't tell capitals apart
  const types = Array.from(tops.values(), (key) => `${sqlString(key)}: 'JSON'`).join(', ');
  return {
    attach: undefined,
    cells: columns.map(({ keys: [top, ...rest] }) => `${sqlName(top!)} ->> ${sqlString(jsonPointer(rest))}`),
    from:
      `read_json(${sqlString(path)}, format = 'newline_delimited', maximum_object_size = ` +
      `33554432${info.growing ? ', ignore_errors = true' : ''}, columns = {${types}}${compressionSql(kind)})`,
  };
}

/** SQL for one line of a JSONL file. */
export function lineSql(path: string, kind: TableSpec['kind'], n: number): string {
  return (
    `SELECT json::VARCHAR FROM read_json_objects(${sqlString(resolve(path))}, format = 'newline_delimited', maximum_object_size = ` +
    `33554432${compressionSql(kind)}) LIMIT 1 OFFSET ${n}`
  );
}

/** The FROM clause for a CSV file. Columns have their names from the file. */
function csvSql({ kind, columns, info }: TableSpec, path: string, csv: CsvDialect): string {
  const [delimiter, quote, nothing] = [csv.delimiter, csv.quote, csv.null].map(sqlString);
  const types = columns.map(({ name }) => `${sqlString(name)}: 'VARCHAR'`).join(', ');
  return (
    `read_csv(${sqlString(path)}, auto_detect = false, header = true, delim = ${delimiter}, quote = ${quote}, escape = ${quote}, ` +
    `nullstr = ${nothing}, max_line_size = 33554432${info.growing ? ', ignore_errors = true' : ''}, columns = ` +
    `{${types}}${compressionSql(kind)})`
  );
}

function compressionSql({ compression }: TableSpec['kind']): string {
  return compression === undefined ? '' : `, compression = '${compression}'`;
}

/** Writes a number or time of a typed column as JSON does, so that a filter matches in every kind of file. For example 4.0 becomes 4. */
function asJsonText(text: string, type: string | undefined): string {
  if (type === 'number') return `CASE WHEN ends_with(${text}, '.0') THEN left(${text}, -2) ELSE ${text} END`;
  if (type !== 'timestamp') return text;
  return (
    `CASE WHEN substr(${text}, 11, 1) = ' ' THEN concat(left(${text}, 10), 'T', replace(substr(${text}, 12), '+00', ''), 'Z') ` +
    `ELSE ${text} END`
  );
}

/** A cell of a CSV file without the apostrophe that keeps spreadsheets from calculating it. */
function withoutMark(text: string): string {
  const rest = `substr(${text}, 2)`;
  const isFormula = `regexp_matches(${rest}, ${sqlString(`^${formulaPattern}`)})`;
  return (
    `CASE WHEN starts_with(${text}, '''') AND ${isFormula} AND NOT regexp_matches(${rest}, ${sqlString(harmlessPattern)}) THEN ` +
    `${rest} ELSE ${text} END`
  );
}
