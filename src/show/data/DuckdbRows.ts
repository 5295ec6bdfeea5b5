import { setImmediate } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { ColumnProfile, Facet, RowsPart, ShownBar, SqlRows } from '../api.ts';
import { connectTo, createDatabase, lockTo, interruptAfter } from './database.ts';
import { cell, loadSql, namedViewSql, shownSql, viewSql, type ViewSql } from './fileSql.ts';
import { readingOrder } from '../../flow/report/readingOrder.ts';
import { readSqlite } from '../../sinks/readSqlite.ts';
import { emptySql } from './filterKinds.ts';
import type { LineIndex } from './LineIndex.ts';
import { isSqlite } from './PlainRows.ts';
import { roundBars } from './roundBars.ts';
import type { SqlPart } from './SqlProcess.ts';
import { measureOf, type PointColumns, type TableRows } from './TableRows.ts';
import { cellOf, maxCell, type TableSpec } from './TableSpec.ts';
import type { TableView } from './TableView.ts';

const [maxLoadMs, maxQueryMs] = [600_000, 60_000];
const maxSqlRows = 500;
const exactDistinct = 100_000; // rows up to which different values are counted exactly
const topCount = 10;
const [maxFacets, maxFacetValues, leastRepeats] = [6, 40, 3];
const rowsInTurn = 5000; // others are served between two turns

/**
 * Rows in a database of this process's memory, each cell as text. They are loaded once, but for Parquet: each query reads the columns
 * that it needs from the file. Before, the database was locked to this file, so nothing in it, and no query, could read or write anything
 * else.
 */
export class DuckdbRows implements TableRows {
  readonly rows: number;
  readonly #spec: TableSpec;
  readonly #database: DuckDBInstance;
  /** Where each row is, if the file is JSONL. */
  readonly #index: LineIndex | undefined;

  #counted = { key: '', total: 0 };
  #facetable: Promise<readonly number[]> | undefined;

  private constructor(spec: TableSpec, database: DuckDBInstance, rows: number, index: LineIndex | undefined) {
    this.#spec = spec;
    this.#database = database;
    this.rows = rows;
    this.#index = index;
  }

  /**
   * Loads the rows, while their lines are indexed. Throws if the package isn't installed. `watch` gets a function that tells the
   * share that was loaded.
   */
  static async open(
    spec: TableSpec,
    index?: Promise<LineIndex | undefined>,
    watch?: (share: () => number) => void,
    maxBytes?: number,
  ): Promise<DuckdbRows> {
    const database = await createDatabase();
    try {
      const connection = await connectTo(database, watch);
      await lockTo(connection, spec.path, maxBytes);
      const lines = spec.info.growing ? (await index)?.length : undefined; // the last line may be half written
      if (isSqlite(spec)) await loadSqlite(connection, spec);
      else for (const statement of loadSql(spec, lines)) await interruptAfter(maxLoadMs, connection, () => connection.run(statement));
      await connection.run(namedViewSql(spec));
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
    const { where, order, values } = this.#parts(view);
    // Which rows, then their cells: to carry all cells of a million rows through a sort takes ten times as long.
    const found = await this.#read(
      `SELECT ${shownSql(this.#spec)} FROM rows WHERE rowid IN (SELECT rowid FROM rows${where}${order} LIMIT ${whole(limit)} OFFSET ${whole(offset)})${order || ' ORDER BY rowid'}`,
      values,
    );
    const isEnd = found.length < limit && (found.length > 0 || offset === 0);
    return {
      rows: found.map(([n, ...rest]) => ({ n: n as number, cells: rest as (string | null)[] })),
      total: isEnd ? offset + found.length : await this.#count(where, values),
    };
  }

  /** How many rows fit. The last count is kept, because every page of the view needs it. */
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
    if (this.#index !== undefined) return this.#index.at(n);
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
    const bars =
      measure !== undefined && typeof min === 'number' && typeof max === 'number'
        ? await this.#bars(filled, values, roundBars(type, min, max))
        : [];
    return {
      rows,
      filled: count,
      distinct: Math.min(different, count),
      isDistinctExact: isExact,
      min: shown(min),
      max: shown(max),
      top: top.map(([text, times]) => ({ value: text as string, count: times as number })),
      bars,
    };
  }

  async facets(view: TableView): Promise<readonly Facet[]> {
    const { where, values } = this.#parts(view);
    const facets: Facet[] = [];
    for (const column of await (this.#facetable ??= this.#findFacetable())) {
      const value = cell(column);
      const text = `SELECT left(${value}, ${maxCell}), count(*)::DOUBLE AS count FROM rows${where}${where === '' ? ' WHERE' : ' AND'} NOT ${emptySql(value)} GROUP BY ${value} ORDER BY count DESC, ${value} LIMIT ${topCount}`;
      const found = await this.#read(text, values);
      facets.push({ column: this.#spec.columns[column]!.name, values: found.map(([one, count]) => ({ value: one as string, count: count as number })) }); // prettier-ignore
    }
    return facets;
  }

  /** The columns that have so few values that most come several times, by their places. */
  async #findFacetable(): Promise<readonly number[]> {
    const columns = readingOrder(this.#spec.columns.map(({ name, type }, place) => ({ name, type, place }))).filter(({ type }) => type !== 'json'); // prettier-ignore
    if (columns.length === 0) return [];
    const counts = columns.map(({ place }) => `approx_count_distinct(${cell(place)})::DOUBLE, count(*) FILTER (NOT ${emptySql(cell(place))})::DOUBLE`); // prettier-ignore
    const [found] = (await this.#read(`SELECT ${counts.join(', ')} FROM rows`, [])) as readonly (readonly number[])[];
    const isFew = (at: number): boolean => {
      const [different, filled] = [found![2 * at]!, found![2 * at + 1]!];
      return different > 1 && different <= maxFacetValues && different * leastRepeats <= filled;
    };
    return columns.flatMap(({ place }, at) => (isFew(at) ? [place] : [])).slice(0, maxFacets);
  }

  /** Runs a query of somebody else, which only reads. It may take any time and memory: see SqlProcess. */
  async query(sql: string, { offset, maxCell: longest }: SqlPart): Promise<SqlRows> {
    const { StatementType } = await import('@duckdb/node-api');
    const connection = await this.#database.connect();
    try {
      await connection.run('BEGIN TRANSACTION READ ONLY');
      const statements = await connection.extractStatements(sql);
      const query = statements.count === 1 ? await statements.prepare(0) : undefined;
      if (query?.statementType !== StatementType.SELECT) throw new RangeError('Only one SELECT is run: this page changes nothing.');
      const wanted = longest === undefined ? query : await connection.prepare(partSql(sql, offset ?? 0, longest));
      const reader = await wanted.streamAndReadUntil(maxSqlRows + 1);
      const rows = reader.getRowsJson().map((row) => row.map((value) => (value === null || typeof value === 'string' ? value : JSON.stringify(value)))); // prettier-ignore
      return { columns: reader.deduplicatedColumnNames(), rows: rows.slice(0, maxSqlRows), more: rows.length > maxSqlRows };
    } finally {
      connection.closeSync();
    }
  }

  async points({ latitude, longitude, colour }: PointColumns, view: TableView, limit: number): ReturnType<TableRows['points']> {
    const { where, order, values } = this.#parts(view);
    const [lat, lon] = [latitude, longitude].map((column) => `try_cast(${cell(column)} AS DOUBLE)`) as [string, string];
    const value = colour === undefined ? 'NULL' : `left(${cell(colour)}, ${maxCell})`;
    const text = `SELECT rowid::DOUBLE, ${lat}, ${lon}, ${value} FROM rows${where}${where === '' ? ' WHERE' : ' AND'} ${lat} IS NOT NULL AND ${lon} IS NOT NULL${order} LIMIT ${whole(limit)}`;
    return (await this.#read(text, values)) as unknown as Awaited<ReturnType<TableRows['points']>>;
  }

  async *scan(view: TableView): AsyncGenerator<object, void, undefined> {
    const { where, order, values } = this.#parts(view);
    const connection = await this.#database.connect();
    try {
      const read = this.#index === undefined ? this.#allCells : 'rowid::DOUBLE';
      const result = await connection.stream(`SELECT ${read} FROM rows${where}${order}`, [...values]);
      for await (const rows of result.yieldRowsJs())
        for (const row of rows) yield this.#index === undefined ? this.#object(row) : this.#index.at(row[0] as number);
    } finally {
      connection.closeSync();
    }
  }

  close(): void {
    this.#database.closeSync();
  }

  get #allCells(): string {
    return this.#spec.columns.map((_, column) => cell(column)).join(', ');
  }

  #object(cells: readonly unknown[]): object {
    return Object.fromEntries(this.#spec.columns.map(({ name }, column) => [name, cells[column]]));
  }

  #parts(view: TableView): ViewSql {
    return viewSql(this.#spec, view);
  }

  /** Counts the values of each bar. */
  async #bars(filled: string, values: readonly string[], bars: ReturnType<typeof roundBars>): Promise<readonly ShownBar[]> {
    const starts = bars.map(({ start }) => start).join(', ');
    const text = `SELECT list_count(list_filter([${starts}], lambda one: one <= measure))::DOUBLE AS bar, count(*)::DOUBLE FROM (${filled}) WHERE measure IS NOT NULL GROUP BY bar`;
    const counts = new Map((await this.#read(text, values)) as readonly (readonly [number, number])[]);
    return bars.map(({ from, to }, at) => ({ from, to, count: counts.get(at + 1) ?? 0 }));
  }

  async #read(text: string, values: readonly string[]): Promise<readonly (readonly unknown[])[]> {
    const connection: DuckDBConnection = await this.#database.connect();
    try {
      return (await interruptAfter(maxQueryMs, connection, () => connection.runAndReadAll(text, [...values]))).getRowsJS();
    } finally {
      connection.closeSync();
    }
  }
}

/** A part of a query's result, its cells as text. DuckDB cuts long ones, so that they never are in this process. */
function partSql(sql: string, offset: number, longest: number): string {
  const [all, most] = ['COLUMNS(*)::VARCHAR', whole(longest)];
  const cut = `concat(left(${all}, ${most}), '… (cut: ', length(${all}), ' characters)')`;
  return `SELECT CASE WHEN length(${all}) > ${most} THEN ${cut} ELSE ${all} END FROM (${sql.replace(/;\s*$/, '')}\n) LIMIT ${maxSqlRows + 1} OFFSET ${whole(offset)}`;
}

/** Loads a table of SQLite. DuckDB itself would need a package from the network to read the file. */
async function loadSqlite(connection: DuckDBConnection, { path, sqlTable, columns }: TableSpec): Promise<void> {
  const table = readSqlite(path, sqlTable ?? '');
  try {
    await connection.run(
      `CREATE TABLE rows (${[...columns.map((_, column) => cell(column)), 'everything'].map((name) => `${name} VARCHAR`).join(', ')})`,
    );
    const appender = await connection.createAppender('rows');
    let n = 0;
    for (const row of table.each()) {
      if (++n % rowsInTurn === 0) await setImmediate();
      const cells = columns.map((column) => cellOf(row, column));
      for (const text of [
        ...cells,
        cells
          .filter((one) => one !== null)
          .join('\n')
          .toLowerCase(),
      ])
        if (text === null) appender.appendNull();
        else appender.appendVarchar(text);
      appender.endRow();
    }
    appender.closeSync();
  } finally {
    table.close();
  }
}

function whole(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not the number of a row.`);
  return value;
}
