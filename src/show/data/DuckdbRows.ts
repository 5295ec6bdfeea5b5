import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Facet, RowsPart, ShownPoint, SqlRows } from '../api.ts';
import { connectTo, createDatabase, lockTo, interruptAfter } from './database.ts';
import { cell, lineSql, loadSql, namedViewSql, shownSql, viewSql, type ViewSql } from './fileSql.ts';
import { parseJsonRow } from '../../flow/seeds/readSeeds.ts';
import { readingOrder } from '../../flow/report/columnNames.ts';
import { emptySql } from './filterKinds.ts';
import type { SqlPart } from './SqlProcess.ts';
import { maxCell, type TableSpec } from './TableSpec.ts';
import type { TableView } from './TableView.ts';

const [maxLoadMs, maxQueryMs] = [600_000, 60_000];
const maxSqlRows = 500;
const topCount = 10;
const [maxFacets, maxFacetValues, leastRepeats] = [6, 40, 3];

/** The indices of the columns for points on a map. */
interface PointColumns {
  readonly latitude: number;
  readonly longitude: number;
  /** The column whose values give the colours. */
  readonly colour: number | undefined;
}

/**
 * Rows of a file in a DuckDB database in memory, with each cell as text. They are loaded once. Only Parquet isn't loaded: each query reads
 * the columns that it needs from the file. Before anything is read, the database is locked to this file, so neither the file nor a query
 * can read or write anything else.
 */
export class DuckdbRows {
  readonly rows: number;
  readonly #spec: TableSpec;
  readonly #database: DuckDBInstance;

  #counted = { key: '', total: 0 };
  #facetable: Promise<readonly number[]> | undefined;

  private constructor(spec: TableSpec, database: DuckDBInstance, rows: number) {
    this.#spec = spec;
    this.#database = database;
    this.rows = rows;
  }

  /**
   * Loads the rows. Throws if the package isn't installed. `watch` is called with a function that returns the share that was loaded.
   */
  static async open(spec: TableSpec, watch?: (share: () => number) => void, maxBytes?: number): Promise<DuckdbRows> {
    const database = await createDatabase();
    try {
      const connection = await connectTo(database, watch);
      await lockTo(connection, spec.path, maxBytes);
      await interruptAfter(maxLoadMs, connection, () => connection.run(loadSql(spec)));
      await connection.run(namedViewSql(spec));
      const [[rows]] = (await connection.runAndReadAll('SELECT count(*)::DOUBLE FROM rows')).getRowsJS() as [[number]];
      watch?.(() => 1);
      connection.closeSync();
      return new DuckdbRows(spec, database, rows);
    } catch (error) {
      database.closeSync();
      throw error;
    }
  }

  async part(view: TableView, offset: number, limit: number): Promise<RowsPart> {
    const { where, order, values } = this.#parts(view);
    // First finds which rows, then reads their cells: sorting a million rows with all their cells takes ten times as long.
    const found = await this.#read(
      `SELECT ${shownSql(this.#spec)} FROM rows WHERE rowid IN (SELECT rowid FROM rows${where}${order} LIMIT ${whole(limit)} OFFSET ` +
        `${whole(offset)})${order || ' ORDER BY rowid'}`,
      values,
    );
    const isEnd = found.length < limit && (found.length > 0 || offset === 0);
    return {
      rows: found.map(([n, ...rest]) => ({ n: n as number, cells: rest as (string | null)[] })),
      total: isEnd ? offset + found.length : await this.#count(where, values),
    };
  }

  /** How many rows match. The last count is kept, because every page of the view needs it. */
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
    const { kind, path, columns, info } = this.#spec;
    const isJson = kind.text && kind.delimiter === undefined; // a line has more fields than there are columns
    const cells = columns.map((_, column) => cell(column)).join(', ');
    const [row] = await this.#read(isJson ? lineSql(path, kind, whole(n)) : `SELECT ${cells} FROM rows WHERE rowid = ${whole(n)}`, []);
    if (row === undefined) throw new RangeError(`There is no row ${n}.`);
    if (isJson) return parseJsonRow(row[0] as string, `${info.file}:${n + 1}`);
    return Object.fromEntries(columns.map(({ name }, column) => [name, row[column]]));
  }

  async facets(view: TableView): Promise<readonly Facet[]> {
    const { where, values } = this.#parts(view);
    const facets: Facet[] = [];
    for (const column of await (this.#facetable ??= this.#findFacetable())) {
      const value = cell(column);
      const text =
        `SELECT left(${value}, ${maxCell}), count(*)::DOUBLE AS count FROM rows${where}${where === '' ? ' WHERE' : ' AND'} ` +
        `NOT ${emptySql(value)} GROUP BY ${value} ORDER BY count DESC, ${value} LIMIT ${topCount}`;
      const found = await this.#read(text, values);
      facets.push({
        column: this.#spec.columns[column]!.name,
        values: found.map(([one, count]) => ({ value: one as string, count: count as number })),
      });
    }
    return facets;
  }

  /** The indices of columns with so few different values that these repeat. */
  async #findFacetable(): Promise<readonly number[]> {
    const columns = readingOrder(this.#spec.columns.map(({ name, type }, place) => ({ name, type, place }))).filter(
      ({ type }) => type !== 'json',
    );
    if (columns.length === 0) return [];
    const counts = columns.map(
      ({ place }) => `approx_count_distinct(${cell(place)})::DOUBLE, count(*) FILTER (NOT ${emptySql(cell(place))})::DOUBLE`,
    );
    const [found] = (await this.#read(`SELECT ${counts.join(', ')} FROM rows`, [])) as readonly (readonly number[])[];
    const isFew = (at: number): boolean => {
      const [different, filled] = [found![2 * at]!, found![2 * at + 1]!];
      return different > 1 && different <= maxFacetValues && different * leastRepeats <= filled;
    };
    return columns.flatMap(({ place }, at) => (isFew(at) ? [place] : [])).slice(0, maxFacets);
  }

  /** Runs a query that a user has written. It can only read, but it may take any time and memory. `SqlProcess` limits these. */
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
      const rows = reader
        .getRowsJson()
        .map((row) => row.map((value) => (value === null || typeof value === 'string' ? value : JSON.stringify(value))));
      return { columns: reader.deduplicatedColumnNames(), rows: rows.slice(0, maxSqlRows), more: rows.length > maxSqlRows };
    } finally {
      connection.closeSync();
    }
  }

  async points({ latitude, longitude, colour }: PointColumns, view: TableView, limit: number): Promise<readonly ShownPoint[]> {
    const { where, order, values } = this.#parts(view);
    const [lat, lon] = [latitude, longitude].map((column) => `try_cast(${cell(column)} AS DOUBLE)`) as [string, string];
    const value = colour === undefined ? 'NULL' : `left(${cell(colour)}, ${maxCell})`;
    const text =
      `SELECT rowid::DOUBLE, ${lat}, ${lon}, ${value} FROM rows${where}${where === '' ? ' WHERE' : ' AND'} ${lat} IS NOT ` +
      `NULL AND ${lon} IS NOT NULL${order} LIMIT ${whole(limit)}`;
    return (await this.#read(text, values)) as unknown as readonly ShownPoint[];
  }

  close(): void {
    this.#database.closeSync();
  }

  #parts(view: TableView): ViewSql {
    return viewSql(this.#spec, view);
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

/** SQL for a part of a query's result, with cells as text. DuckDB cuts long ones, so that they never reach this process. */
function partSql(sql: string, offset: number, longest: number): string {
  const [all, most] = ['COLUMNS(*)::VARCHAR', whole(longest)];
  const cut = `concat(left(${all}, ${most}), '… (cut: ', length(${all}), ' characters)')`;
  return (
    `SELECT CASE WHEN length(${all}) > ${most} THEN ${cut} ELSE ${all} END FROM (${sql.replace(/;\s*$/, '')}\n) LIMIT ` +
    `${maxSqlRows + 1} OFFSET ${whole(offset)}`
  );
}

function whole(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not the number of a row.`);
  return value;
}
