import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { jsonPath, sqlString } from '../../sinks/load/sqlText.ts';
import { formulaPattern, plainNumberPattern } from '../../sinks/table/csvCell.ts';
import { sqlName } from '../../sinks/table/tableSql.ts';
import type { ColumnProfile, RowsPart } from '../api.ts';
import { emptySql } from './filterKinds.ts';
import type { LineIndex } from './LineIndex.ts';
import { barCount, barStart, measureOf, topCount, type TableRows } from './TableRows.ts';
import { hasLines, maxCell, type TableSpec } from './TableSpec.ts';
import { orderSql, whereSql, type TableView } from './TableView.ts';

const exactDistinct = 100_000; // rows up to which different values are counted exactly

/**
 * Rows in a database of this process's memory, each cell as text. They are loaded once, but for Parquet: each query reads the columns
 * that it needs from the file. After that the database can open no other file and its settings are locked, so no query could read or
 * write anything else.
 */
export class DuckdbRows implements TableRows {
  readonly rows: number;
  readonly #spec: TableSpec;
  readonly #database: DuckDBInstance;
  /** Where each row is a line of the file that is open. */
  readonly #index: LineIndex | undefined;

  #counted = { key: '', total: 0 };

  private constructor(spec: TableSpec, database: DuckDBInstance, rows: number, index: LineIndex | undefined) {
    this.#spec = spec;
    this.#database = database;
    this.rows = rows;
    this.#index = index;
  }

  /**
   * Loads the rows, while their lines are indexed. Throws if the package isn't installed. `watch` gets a function that tells the
   * share that was loaded. Closing the rows closes the index.
   */
  static async open(spec: TableSpec, index?: Promise<LineIndex | undefined>, watch?: (share: () => number) => void): Promise<DuckdbRows> {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const database = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' });
    try {
      const connection = await database.connect();
      await connection.run('SET enable_progress_bar = true');
      await connection.run('SET enable_progress_bar_print = false');
      // One is for those who look meanwhile, where rows are found without the database.
      if (hasLines(spec)) await connection.run(`SET threads = ${Math.max(1, availableParallelism() - 1)}`);
      watch?.(() => Math.max(0, connection.progress.percentage) / 100);
      await connection.run("SET temp_directory = ''"); // nothing is written, also when memory runs out
      const lines = spec.info.growing ? (await index)?.lines : undefined; // the last line may be half written
      for (const statement of loadSql(spec, lines)) await connection.run(statement);
      await connection.run('RESET threads');
      if (staysInFile(spec)) await connection.run(`SET allowed_paths = [${sqlString(resolve(spec.path))}]`);
      await connection.run('SET enable_external_access = false');
      await connection.run('SET lock_configuration = true');
      const [[rows]] = (await connection.runAndReadAll('SELECT count(*)::DOUBLE FROM rows')).getRowsJS() as [[number]];
      watch?.(() => 1);
      connection.closeSync();
      return new DuckdbRows(spec, database, rows, await index);
    } catch (error) {
      database.closeSync();
      throw error;
    }
  }

  async part(view: TableView, offset: number, limit: number): Promise<RowsPart> {
    const cells = this.#spec.columns.map((_, column) => `left(${cell(column)}, ${maxCell})`);
    const { where, order, values } = this.#parts(view);
    // Which rows, then their cells: to carry all cells of a million rows through a sort takes ten times as long.
    const found = await this.#read(
      `SELECT rowid::DOUBLE, ${cells.join(', ')} FROM rows WHERE rowid IN (SELECT rowid FROM rows${where}${order} LIMIT ${whole(limit)} OFFSET ${whole(offset)})${order || ' ORDER BY rowid'}`,
      values,
    );
    const isEnd = found.length < limit && (found.length > 0 || offset === 0);
    return {
      rows: found.map(([n, ...rest]) => ({ n: n as number, cells: rest as (string | null)[] })),
      total: isEnd ? offset + found.length : await this.#count(where, values),
    };
  }

  /** Rows that fit. The last count is kept: who turns pages needs it again. */
  async #count(where: string, values: readonly string[]): Promise<number> {
    if (where === '') return this.rows;
    const key = JSON.stringify([where, values]);
    if (this.#counted.key !== key) {
      const [[total]] = (await this.#read(`SELECT count(*)::DOUBLE FROM rows${where}`, values)) as [[number]];
      this.#counted = { key, total };
    }
    return this.#counted.total;
  }

  async row(n: number): Promise<object> {
    if (this.#index !== undefined) return this.#index.row(n);
    const [row] = await this.#read(`SELECT ${this.#allCells} FROM rows WHERE rowid = ${whole(n)}`, []);
    if (row === undefined) throw new RangeError(`There is no row ${n}.`);
    return this.#object(row);
  }

  async profile(column: number, view: TableView): Promise<ColumnProfile> {
    const { where, values } = this.#parts(view);
    const value = cell(column);
    const { type } = this.#spec.columns[column]!;
    const measure = measureOf(type);
    const measured = measure === 'number' ? `try_cast(${value} AS DOUBLE)` : `epoch(try_cast(${value} AS TIMESTAMPTZ))`;
    const filled = `SELECT ${value} AS value${measure === undefined ? '' : `, ${measured} AS measure`} FROM rows${where}${where === '' ? ' WHERE' : ' AND'} NOT ${emptySql(value)}`;
    const isExact = this.rows <= exactDistinct;
    const distinct = isExact ? 'count(DISTINCT value)' : 'approx_count_distinct(value)';
    const ends = measure === undefined ? 'min(value), max(value)' : 'min(measure), max(measure)';
    const rows = await this.#count(where, values);
    const [[count, different, min, max]] = (await this.#read(
      `SELECT count(*)::DOUBLE, ${distinct}::DOUBLE, ${ends} FROM (${filled})`,
      values,
    )) as [[number, number, number | string | null, number | string | null]];
    const top = await this.#read(`SELECT left(value, ${maxCell}), count(*)::DOUBLE AS count FROM (${filled}) GROUP BY value ORDER BY count DESC, value LIMIT ${topCount}`, values); // prettier-ignore
    const shown = (end: number | string | null): string | null =>
      typeof end !== 'number' ? (end?.slice(0, maxCell) ?? null) : measure === 'time' ? new Date(end * 1000).toISOString() : String(end);
    const bars = typeof min === 'number' && typeof max === 'number' ? await this.#bars(filled, values, min, max) : [];
    return {
      rows,
      filled: count,
      distinct: Math.min(different, count),
      isDistinctExact: isExact,
      min: shown(min),
      max: shown(max),
      top: top.map(([text, times]) => ({ value: text as string, count: times as number })),
      bars: bars.map((times, index) => ({ from: shown(barStart(index, min as number, max as number))!, count: times })), // prettier-ignore
    };
  }

  async points(latitude: number, longitude: number, view: TableView, limit: number): ReturnType<TableRows['points']> {
    const { where, order, values } = this.#parts(view);
    const [lat, lon] = [latitude, longitude].map((column) => `try_cast(${cell(column)} AS DOUBLE)`) as [string, string];
    const text = `SELECT rowid::DOUBLE, ${lat}, ${lon} FROM rows${where}${where === '' ? ' WHERE' : ' AND'} ${lat} IS NOT NULL AND ${lon} IS NOT NULL${order} LIMIT ${whole(limit)}`;
    return (await this.#read(text, values)) as unknown as Awaited<ReturnType<TableRows['points']>>;
  }

  async *scan(view: TableView): AsyncGenerator<object, void, undefined> {
    const { where, order, values } = this.#parts(view);
    const connection = await this.#database.connect();
    try {
      const read = this.#index === undefined ? this.#allCells : 'rowid::DOUBLE';
      const result = await connection.stream(`SELECT ${read} FROM rows${where}${order}`, [...values]);
      for await (const rows of result.yieldRowsJs())
        for (const row of rows) yield this.#index === undefined ? this.#object(row) : this.#index.row(row[0] as number);
    } finally {
      connection.closeSync();
    }
  }

  close(): void {
    this.#index?.close();
    this.#database.closeSync();
  }

  get #allCells(): string {
    return this.#spec.columns.map((_, column) => cell(column)).join(', ');
  }

  #object(cells: readonly unknown[]): object {
    return Object.fromEntries(this.#spec.columns.map(({ name }, column) => [name, cells[column]]));
  }

  #parts(view: TableView): { readonly where: string; readonly order: string; readonly values: readonly string[] } {
    const values: string[] = [];
    const text = (value: string): string => `$${values.push(value)}`;
    const { columns } = this.#spec;
    const anyCellHas = (wanted: string): string =>
      `(${columns.map((_, column) => `contains(lower(${cell(column)}), ${wanted})`).join(' OR ')})`;
    const anyHas = staysInFile(this.#spec) ? anyCellHas : (wanted: string) => `contains(everything, ${wanted})`;
    const where = whereSql(view, { cell, text, anyHas });
    const sorted = view.sort?.column ?? 0;
    return { where, values, order: orderSql(view, cell(sorted), measureOf(columns[sorted]?.type) === 'number', ', rowid') };
  }

  async #bars(filled: string, values: readonly string[], min: number, max: number): Promise<readonly number[]> {
    const width = (max - min) / barCount || 1;
    const found = await this.#read(
      `SELECT least(${barCount - 1}, floor((measure - (${min})) / ${width}))::DOUBLE AS bar, count(*)::DOUBLE FROM (${filled}) WHERE measure IS NOT NULL GROUP BY bar`,
      values,
    );
    const bars = Array.from({ length: barCount }, () => 0);
    for (const [bar, count] of found) bars[bar as number] = count as number;
    return bars;
  }

  async #read(text: string, values: readonly string[]): Promise<readonly (readonly unknown[])[]> {
    const connection: DuckDBConnection = await this.#database.connect();
    try {
      return (await connection.runAndReadAll(text, [...values])).getRowsJS();
    } finally {
      connection.closeSync();
    }
  }
}

/** Columns have names of our own, so no name from a file gets into a query. */
function cell(column: number): string {
  return `c${column}`;
}

function whole(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not the number of a row.`);
  return value;
}

/** Whether a query reads no more of the file than it needs, and as fast as from memory. */
function staysInFile({ kind }: TableSpec): boolean {
  return kind.format === 'parquet';
}

/** SQL that loads the file into a table of texts. It takes what doesn't fit its documented type, too. */
function loadSql(spec: TableSpec, lines: number | undefined): readonly string[] {
  const { path, kind, columns, info, sqlTable } = spec;
  const all = columns.map((_, column) => cell(column)).join(', ');
  // What a search looks through: to put it together for each search takes ten times as long.
  const create = (cells: readonly string[], from: string): string =>
    `CREATE TABLE rows AS SELECT *, lower(concat_ws(chr(10), ${all})) AS everything FROM (SELECT ${cells.join(', ')} FROM ${from})`;
  const whole = lines === undefined ? '' : ` LIMIT ${lines}`;
  const named = columns.map(({ name, type }, column) => `${asJsonText(`${sqlName(name)}::VARCHAR`, type)} AS ${cell(column)}`);
  const compression = kind.compression === undefined ? '' : `, compression = '${kind.compression}'`;
  if (columns.length === 0) return [`CREATE TABLE rows AS SELECT NULL::VARCHAR AS ${cell(0)}, NULL::VARCHAR AS everything WHERE false`];
  if (staysInFile(spec))
    return [
      `CREATE VIEW rows AS SELECT file_row_number AS rowid, ${named.join(', ')} FROM read_parquet(${sqlString(resolve(path))}, file_row_number = true)`,
    ];
  if (!kind.text) {
    return [`ATTACH ${sqlString(path)} AS file (READ_ONLY)`, create(named, `file.${sqlName(sqlTable ?? '')}`), 'DETACH file'];
  }
  if (kind.delimiter !== undefined) {
    const types = columns.map(({ name }) => `${sqlString(name)}: 'VARCHAR'`).join(', ');
    return [
      create(
        columns.map(({ name }, column) => `${withoutMark(sqlName(name))} AS ${cell(column)}`),
        `read_csv(${sqlString(path)}, auto_detect = false, header = true, delim = ${sqlString(kind.delimiter)}, quote = '"', escape = '"', nullstr = '', max_line_size = 33554432${info.growing ? ', ignore_errors = true' : ''}, columns = {${types}}${compression})`,
      ),
    ];
  }
  const tops = new Map(columns.map(({ keys }) => [keys[0]!.toLowerCase(), keys[0]!])); // DuckDB doesn't tell capitals apart
  const types = Array.from(tops.values(), (key) => `${sqlString(key)}: 'JSON'`).join(', ');
  const cells = columns.map(({ keys: [top, ...rest] }, column) => `${sqlName(top!)} ->> ${sqlString(jsonPath(rest))} AS ${cell(column)}`);
  return [
    create(
      cells,
      `read_json(${sqlString(path)}, format = 'newline_delimited', maximum_object_size = 33554432${info.growing ? ', ignore_errors = true' : ''}, columns = {${types}}${compression})${whole}`,
    ),
  ];
}

/** A number or time of a typed column in the words that JSON has for it, so that a filter finds it in every file: 4.0 is 4. */
function asJsonText(text: string, type: string | undefined): string {
  if (type === 'number') return `CASE WHEN ends_with(${text}, '.0') THEN left(${text}, -2) ELSE ${text} END`;
  if (type !== 'timestamp') return text;
  return `CASE WHEN substr(${text}, 11, 1) = ' ' THEN concat(left(${text}, 10), 'T', replace(substr(${text}, 12), '+00', ''), 'Z') ELSE ${text} END`;
}

/** A cell of a CSV file without the apostrophe that keeps spreadsheets from calculating it. */
function withoutMark(text: string): string {
  const rest = `substr(${text}, 2)`;
  const isFormula = `regexp_matches(${rest}, ${sqlString(`^${formulaPattern}`)})`;
  return `CASE WHEN starts_with(${text}, '''') AND ${isFormula} AND NOT regexp_matches(${rest}, ${sqlString(plainNumberPattern)}) THEN ${rest} ELSE ${text} END`;
}
