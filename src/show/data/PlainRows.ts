import { readSqlite } from '../../sinks/readSqlite.ts';
import type { ColumnProfile, RowsPart } from '../api.ts';
import { isEmpty } from './filterKinds.ts';
import { findRows, type FoundRows, type WantedRows } from './findRows.ts';
import type { LineIndex } from './LineIndex.ts';
import { barCount, barStart, measureOf, patienceMs, topCount, type TableRows } from './TableRows.ts';
import { scanFile } from './scanFile.ts';
import { allRows, cellOf, seenRows, shownCells, type SourceColumn, type TableSpec } from './TableSpec.ts';
import { isWhole, type TableView } from './TableView.ts';
import { ViewScan, ViewScans } from './ViewScan.ts';

const maxInMemory = 200_000;

/** Rows by their number, and all of them in order. */
interface RowSource {
  readonly length: number;
  readonly at: (n: number) => object;
  /** The rows of a view. `onRead` is told which share of all rows was read. */
  readonly find: (wanted: WantedRows, onRead: (share: number) => void) => AsyncIterable<FoundRows>;
  readonly close?: (() => void) | undefined;
}

/**
 * Rows without a database. JSONL is read through an index of its lines, so it can have any size. Of other text files the rows are
 * kept in memory. The first rows of a view are there at once, and all of them when the file was read.
 */
export class PlainRows implements TableRows {
  readonly #columns: readonly SourceColumn[];
  readonly #rows: RowSource;
  readonly #index: LineIndex | undefined;
  readonly #scans: ViewScans;

  private constructor(columns: readonly SourceColumn[], rows: RowSource, index?: LineIndex) {
    this.#columns = columns;
    this.#rows = rows;
    this.#index = index;
    this.#scans = new ViewScans((view) => {
      let read = 0;
      const wanted = { view, columns };
      return new ViewScan(
        wanted,
        rows.find(wanted, (share) => (read = share)),
        () => read,
      );
    });
  }

  /** Closing the rows closes the index. */
  static async open(spec: TableSpec, index?: LineIndex): Promise<PlainRows> {
    const { kind, columns, info } = spec;
    if (isSqlite(spec)) return new PlainRows(columns, rowsOfSqlite(spec));
    if (!kind.text) throw new RangeError(`${info.file} needs one more package here: npm install @duckdb/node-api`);
    if (index !== undefined) return new PlainRows(columns, indexedRows(spec, index), index);
    const rows: object[] = [];
    for await (const row of allRows(spec)) {
      rows.push(row);
      if (rows.length > maxInMemory)
        throw new RangeError(
          `${info.file} has more than ${maxInMemory} rows. Install a package that reads it: npm install @duckdb/node-api`,
        );
    }
    return new PlainRows(columns, rowsInMemory(rows));
  }

  get rows(): number {
    return this.#rows.length;
  }

  async part(view: TableView, offset: number, limit: number): Promise<RowsPart> {
    const scan = isWhole(view) ? undefined : this.#scans.of(view);
    await scan?.upTo(offset + limit, patienceMs);
    if (scan?.isDone === false) return scan.part(offset, limit) ?? { rows: [], ...scan.found };
    const found = await this.#find(view);
    const total = found?.length ?? this.rows;
    const numbers = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, index) => offset + index);
    const rows = numbers.map((at) => {
      const n = found === undefined ? at : found[at]!;
      return { n, cells: shownCells(this.#rows.at(n), this.#columns) };
    });
    return { rows, total };
  }

  row(n: number): Promise<object> {
    return Promise.resolve().then(() => this.#rows.at(n));
  }

  async profile(column: number, view: TableView): Promise<ColumnProfile> {
    const one = this.#columns[column]!;
    const measure = measureOf(one.type);
    const counts = new Map<string, number>();
    const measured: number[] = [];
    let [rows, filled] = [0, 0];
    for await (const row of this.scan(view)) {
      rows += 1;
      const cell = cellOf(row, one);
      if (isEmpty(cell)) continue;
      filled += 1;
      counts.set(cell!, (counts.get(cell!) ?? 0) + 1);
      const value = measure === 'number' ? Number(cell) : measure === 'time' ? Date.parse(cell!) : NaN;
      if (Number.isFinite(value)) measured.push(value);
    }
    const isTime = measure === 'time';
    const shown = (value: number): string => (isTime ? new Date(value).toISOString() : String(value));
    const [min, max] = measured.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const texts = measure === undefined ? [...counts.keys()].sort() : [];
    const width = (max - min) / barCount || 1;
    const bars = Array.from({ length: measured.length === 0 ? 0 : barCount }, () => 0);
    for (const value of measured) bars[Math.min(barCount - 1, Math.floor((value - min) / width))]! += 1;
    return {
      rows,
      filled,
      distinct: counts.size,
      isDistinctExact: true,
      min: measured.length > 0 ? shown(min) : (texts[0] ?? null),
      max: measured.length > 0 ? shown(max) : (texts.at(-1) ?? null),
      top: Array.from(counts, ([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count)
        .slice(0, topCount),
      bars: bars.map((count, index) => ({ from: shown(barStart(index, min, max)), count })),
    };
  }

  async points(latitude: number, longitude: number, view: TableView, limit: number): ReturnType<TableRows['points']> {
    const found = await this.#find(view);
    const points: (readonly [number, number, number])[] = [];
    for (let at = 0; at < (found?.length ?? this.rows) && points.length < limit; at += 1) {
      const n = found?.[at] ?? at;
      const row = this.#rows.at(n);
      const [lat, lon] = [latitude, longitude].map((column) => cellOf(row, this.#columns[column]!)) as [string | null, string | null];
      if (!isEmpty(lat) && !isEmpty(lon)) points.push([n, Number(lat), Number(lon)]);
    }
    return points;
  }

  async *scan(view: TableView): AsyncGenerator<object, void, undefined> {
    const found = await this.#find(view);
    for (let at = 0; at < (found?.length ?? this.rows); at += 1) yield this.#rows.at(found?.[at] ?? at);
  }

  close(): void {
    this.#scans.close();
    this.#rows.close?.();
    this.#index?.close();
  }

  /** The numbers of the rows of a view. undefined: all, in order. */
  async #find(view: TableView): Promise<readonly number[] | undefined> {
    if (isWhole(view)) return undefined;
    const scan = this.#scans.of(view);
    await scan.all();
    return scan.numbers;
  }
}

function indexedRows({ path }: TableSpec, index: LineIndex): RowSource {
  return {
    length: index.lines,
    at: (n) => index.row(n),
    find: (wanted, onRead) => scanFile(path, wanted, { onRead, bytes: index.bytes }),
  };
}

/** DuckDB needs a package from the network to read such a file. */
export function isSqlite({ kind }: Pick<TableSpec, 'kind'>): boolean {
  return kind.format === 'sqlite';
}

function rowsOfSqlite({ path, sqlTable }: TableSpec): RowSource {
  const table = readSqlite(path, sqlTable ?? '');
  return {
    length: table.length,
    at(n) {
      const row = table.at(n);
      if (row === undefined) throw new RangeError(`There is no row ${n}.`);
      return row;
    },
    find: (wanted) => findRows(wanted, seenRows(inTurns(table.each()))),
    close: () => table.close(),
  };
}

/** Rows one after the other, with breaks in which others are served. */
async function* inTurns(rows: Iterable<object>): AsyncGenerator<object, void, undefined> {
  let n = 0;
  for (const row of rows) {
    if (++n % 5000 === 0) await new Promise((resolve) => setImmediate(resolve));
    yield row;
  }
}

function rowsInMemory(rows: readonly object[]): RowSource {
  return {
    length: rows.length,
    at(n) {
      if (rows[n] === undefined) throw new RangeError(`There is no row ${n}.`);
      return rows[n];
    },
    find: (wanted) => findRows(wanted, seenRows(inTurns(rows))),
  };
}
