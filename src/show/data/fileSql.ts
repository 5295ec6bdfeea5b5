import { resolve } from 'node:path';
import { duckdbTypes } from '../../sinks/destination/duckdbDestination.ts';
import { jsonPointer, sqlString, sqlName, uniqueNames } from '../../sinks/load/sqlText.ts';
import { formulaPattern, harmlessPattern } from '../../sinks/table/csvCells.ts';
import type { CsvDialect } from '../../sinks/formats/FileFormat.ts';
import { filterKinds, isNumberType, isNumeric } from './filterKinds.ts';
import { maxCell, type TableSpec } from './TableSpec.ts';
import type { TableView } from './TableView.ts';

/** The name of a column in our SQL. Names from a file never get into a query. */
export function cell(column: number): string {
  return `c${column}`;
}

/** The SELECT list for shown rows: the index of a row, and its shortened cells. */
export function shownSql({ columns }: TableSpec): string {
  return ['rowid::DOUBLE', ...columns.map((_, column) => `left(${cell(column)}, ${maxCell})`)].join(', ');
}

export interface ViewSql {
  /** The WHERE clause. '' if every row matches. */
  readonly where: string;
  /** The ORDER BY clause. '' for the order of the file. */
  readonly order: string;
  readonly values: readonly string[];
}

/** The SQL of a view. Rows without a value come last. */
export function viewSql(spec: TableSpec, { filters, search, sort }: TableView): ViewSql {
  const { columns } = spec;
  const values: string[] = [];
  const text = (value: string): string => `$${values.push(value)}`;
  const anyHas = (wanted: string): string => {
    if (!staysInFile(spec)) return `contains(everything, ${wanted})`;
    return `(${columns.map((_, column) => `contains(lower(${cell(column)}), ${wanted})`).join(' OR ')})`;
  };
  const tests = filters.map(({ kind, column, value }) => {
    const { needsValue, sql } = filterKinds[kind];
    return sql(cell(column), needsValue ? text(value) : '', isNumeric(value));
  });
  if (search !== '') tests.push(anyHas(text(search.toLowerCase())));
  const where = tests.length === 0 ? '' : ` WHERE ${tests.join(' AND ')}`;
  if (sort === undefined) return { where, values, order: '' };
  const by = isNumberType(columns[sort.column]?.type) ? `try_cast(${cell(sort.column)} AS DOUBLE)` : cell(sort.column);
  return { where, values, order: ` ORDER BY ${by} ${sort.down ? 'DESC' : 'ASC'} NULLS LAST, rowid` };
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
export function loadSql(spec: TableSpec): string {
  const { path, columns, info } = spec;
  if (columns.length === 0) return `CREATE TABLE rows AS SELECT NULL::VARCHAR AS ${cell(0)}, NULL::VARCHAR AS everything WHERE false`;
  const { cells, from } = readSql(spec, resolve(path));
  const named = cells.map((text, column) => `${text} AS ${cell(column)}`).join(', ');
  if (staysInFile(spec)) return `CREATE VIEW rows AS SELECT file_row_number AS rowid, ${named} FROM ${from}`;
  // `everything` is for searches: joining the cells for each search takes ten times as long
  const all = columns.map((_, column) => cell(column)).join(', ');
  // the last line of a growing file may be half written: then all of its cells are NULL
  const whole = info.growing && spec.csv === undefined ? ` WHERE coalesce(${cells.join(', ')}) IS NOT NULL` : '';
  return `CREATE TABLE rows AS SELECT *, lower(concat_ws(chr(10), ${all})) AS everything FROM (SELECT ${named} FROM ${from}${whole})`;
}

/** The SQL to read a file: its cells as text, and the FROM clause. */
interface ReadSql {
  readonly cells: readonly string[];
  readonly from: string;
}

function readSql(spec: TableSpec, path: string): ReadSql {
  const { kind, csv, columns, info } = spec;
  if (staysInFile(spec)) {
    const cells = columns.map(({ name, type }) => asJsonText(`${sqlName(name)}::VARCHAR`, type));
    return { cells, from: `read_parquet(${sqlString(path)}, file_row_number = true)` };
  }
  if (csv !== undefined) {
    const cells = columns.map(({ name }) => (csv.escaped ? withoutMark(sqlName(name)) : sqlName(name)));
    return { cells, from: csvSql(spec, path, csv) };
  }
  const tops = new Map(columns.map(({ keys }) => [keys[0]!.toLowerCase(), keys[0]!])); // DuckDB doesn't tell capitals apart
  const types = Array.from(tops.values(), (key) => `${sqlString(key)}: 'JSON'`).join(', ');
  return {
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
