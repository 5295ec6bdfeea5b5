import { setImmediate } from 'node:timers/promises';
import { LastUsed } from '../../../operators/kit/LastUsed.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import { systemCode } from '../../files/FileSystem.ts';
import { readSqlite } from '../../sinks/readSqlite.ts';
import type { RowsPart, ShownPoint, ShownRow } from '../api.ts';
import { isEmpty } from './filterKinds.ts';
import type { LineIndex } from './LineIndex.ts';
import { settlesSoon, type PointColumns, type TableRows } from './TableRows.ts';
import { cellOf, damageText, shownCells, textRows, type TableSpec } from './TableSpec.ts';
import { fitsView, isWhole, type TableView } from './TableView.ts';

const maxInMemory = 200_000;
const maxScans = 3;
const rowsInTurn = 500; // others are served between two turns

/** Rows by their number, from 0. `at` throws a RangeError if there is none of this number. */
interface RowSource extends Pick<LineIndex, 'length' | 'at'> {
  /** Ends the use of a table. An index is closed where it was opened. */
  readonly finish?: () => void;
}

/**
 * Rows without a database: lines by their index, other text files in memory, and tables of SQLite. A view is found by looking at one row
 * after the other. There is no sorting, and no counting of values.
 */
export class PlainRows implements TableRows {
  readonly #spec: TableSpec;
  readonly #source: RowSource;
  readonly #why: string;
  /** The last views that somebody looked at. */
  readonly #scans = new LastUsed<string, ViewScan>(maxScans, (scan) => scan.end());

  private constructor(spec: TableSpec, source: RowSource, why: string) {
    this.#spec = spec;
    this.#source = source;
    this.#why = why;
  }

  /** `why` says what to do to get the rest. */
  static async open(spec: TableSpec, why: string, index?: LineIndex, watch?: (share: () => number) => void): Promise<PlainRows> {
    if (isSqlite(spec)) return new PlainRows(spec, rowsOfSqlite(spec), why);
    if (!spec.kind.text) throw new RangeError(`DuckDB reads ${spec.info.file}. ${why}`);
    return new PlainRows(spec, index ?? (await rowsInMemory(spec, why, watch)), why);
  }

  get rows(): number {
    return this.#source.length;
  }

  async part(view: TableView, offset: number, limit: number): Promise<RowsPart> {
    if (isWhole(view)) {
      const count = Math.max(0, Math.min(limit, this.rows - offset));
      return { rows: Array.from({ length: count }, (_, at) => this.#shown(offset + at)), total: this.rows };
    }
    const scan = this.#scanOf(view);
    const isDone = await settlesSoon(scan.all);
    const rows = scan.numbers.slice(offset, offset + limit).map((n) => this.#shown(n));
    return isDone ? { rows, total: scan.numbers.length } : { rows, total: undefined, read: scan.read };
  }

  // oxlint-disable-next-line typescript/require-await -- an error rejects the promise
  async row(n: number): Promise<object> {
    return this.#source.at(n);
  }

  profile(): Promise<never> {
    return Promise.reject(this.#needsDatabase());
  }

  facets(): Promise<never> {
    return Promise.reject(this.#needsDatabase());
  }

  async points({ latitude, longitude, colour }: PointColumns, view: TableView, limit: number): ReturnType<TableRows['points']> {
    const points: ShownPoint[] = [];
    const textOf = (row: object, column: number | undefined): string | null =>
      column === undefined ? null : cellOf(row, this.#spec.columns[column]!);
    for await (const [n, row] of this.#each(view)) {
      const [lat, lon] = [textOf(row, latitude), textOf(row, longitude)];
      if (!isEmpty(lat) && !isEmpty(lon) && points.push([n, Number(lat), Number(lon), textOf(row, colour)]) === limit) break;
    }
    return points;
  }

  async *scan(view: TableView): AsyncGenerator<object, void, undefined> {
    for await (const [, row] of this.#each(view)) yield row;
  }

  close(): void {
    this.#scans.clear();
    this.#source.finish?.();
  }

  #needsDatabase(): RangeError {
    return new RangeError(`DuckDB sorts rows, counts values and runs SQL. ${this.#why}`);
  }

  #shown(n: number): ShownRow {
    return { n, cells: shownCells(this.#source.at(n), this.#spec.columns) };
  }

  async *#each(view: TableView): AsyncGenerator<readonly [n: number, row: object], void, undefined> {
    const scan = isWhole(view) ? undefined : this.#scanOf(view);
    await scan?.all;
    for (let at = 0; at < (scan?.numbers.length ?? this.rows); at += 1) {
      if (at % rowsInTurn === 0) await setImmediate();
      const n = scan?.numbers[at] ?? at;
      yield [n, this.#source.at(n)];
    }
  }

  #scanOf(view: TableView): ViewScan {
    if (view.sort !== undefined) throw this.#needsDatabase();
    return this.#scans.use(JSON.stringify(view), () => new ViewScan(view, this.#spec, this.#source));
  }
}

/** The rows of a view as they are found, so the first ones are known before the last one was looked at. */
class ViewScan {
  /** The positions of the rows in the file, in its order. */
  readonly numbers: number[] = [];
  /** The share of the rows that were looked at. */
  read = 0;
  readonly all: Promise<void>;
  #isEnded = false;

  constructor(view: TableView, { columns }: TableSpec, source: RowSource) {
    this.all = this.#run(source, (row, n) => fitsView(view, columns, row, n));
    this.all.catch(() => undefined); // thrown where the scan is awaited
  }

  end(): void {
    this.#isEnded = true;
  }

  async #run(source: RowSource, fits: (row: object, n: number) => boolean): Promise<void> {
    for (let n = 0; n < source.length; n += 1) {
      if (n % rowsInTurn === 0) await setImmediate();
      if (this.#isEnded) throw new Error('Too many views of this file are being read. Look again.');
      if (fits(source.at(n), n)) this.numbers.push(n);
      this.read = n / source.length;
    }
  }
}

/** Whether a file is SQLite, which is read here. DuckDB would need a package from the network. */
export function isSqlite({ kind }: Pick<TableSpec, 'kind'>): boolean {
  return kind.format === 'sqlite';
}

function rowsOfSqlite({ path, sqlTable }: TableSpec): RowSource {
  const table = readSqlite(path, sqlTable ?? '');
  return {
    length: table.length,
    at: (n) => table.at(n) ?? noRow(n),
    finish: () => table.close(),
  };
}

async function rowsInMemory(spec: TableSpec, why: string, watch?: (share: () => number) => void): Promise<RowSource> {
  const { info } = spec;
  const rows: object[] = [];
  let read = 0;
  watch?.(() => read / info.bytes);
  try {
    for await (const row of textRows(spec, (bytes) => (read = bytes))) if (rows.push(row) > maxInMemory) break;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw error;
    if (!info.growing) throw new Error(damageText(messageOf(error)), { cause: error }); // else its end may be half written
  }
  if (rows.length > maxInMemory) throw new RangeError(`${info.file} has more than ${maxInMemory} rows, which takes DuckDB. ${why}`);
  return { length: rows.length, at: (n) => rows[n] ?? noRow(n) };
}

function noRow(n: number): never {
  throw new RangeError(`There is no row ${n}.`);
}
