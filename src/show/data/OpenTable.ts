import { messageOf } from '../../errors/TrawlerError.ts';
import { nodeFileSystem } from '../../sinks/index.ts';
import type { RowsPart, SqlRows } from '../api.ts';
import { DuckdbRows } from './DuckdbRows.ts';
import { LineIndex } from './LineIndex.ts';
import { PlainRows } from './PlainRows.ts';
import { type SqlPart, SqlProcess } from './SqlProcess.ts';
import { settlesSoon, type TableRows } from './TableRows.ts';
import { headRows, shownCells, type TableSpec } from './TableSpec.ts';
import { isWhole, type TableView } from './TableView.ts';

const headLimit = 500;
const renewMs = 5000;

/** A table that somebody looks at. Its first rows are there at once. The rest is there when the file was read. */
export class OpenTable {
  readonly spec: TableSpec;
  /** Begins with the first look at a row. */
  #loading: Loading | undefined;
  /** What is shown while a file that grows is read again. */
  #old: Loading | undefined;
  #sql: { readonly process: SqlProcess; readonly size: number; readonly since: number } | undefined;

  constructor(spec: TableSpec) {
    this.spec = spec;
  }

  /** The rows, once the file was read. A file that grows is read again from time to time. */
  rows(): Promise<TableRows> {
    return this.#latest().rows;
  }

  /** How much of the file was read, from 0 to 1, if that takes longer than a moment. */
  async reading(): Promise<number | undefined> {
    const { rows, read } = this.#latest();
    return (await settlesSoon(rows)) ? undefined : read;
  }

  /** A part of a view, or what of it was found so far. */
  async part(view: TableView, offset: number, limit: number): Promise<RowsPart> {
    const latest = this.#latest();
    const { columns, info } = this.spec;
    if (!latest.isReady && isWhole(view) && offset + limit <= headLimit) {
      const head = await headRows(this.spec, offset + limit);
      const rows = head.slice(offset).map((row, at) => ({ n: offset + at, cells: shownCells(row, columns) }));
      if (head.length === offset + limit) return { rows, total: info.rows };
    }
    const rows = latest.isReady || view.sort !== undefined ? latest.rows : Promise.race([latest.rows, latest.lines]);
    if (await settlesSoon(rows)) return (await rows).part(view, offset, limit);
    return { rows: [], total: undefined, read: latest.read };
  }

  /** A row in full. */
  async row(n: number): Promise<object> {
    const { isReady, index, rows } = this.#latest();
    const lines = isReady ? undefined : await index;
    return lines === undefined ? (await rows).row(n) : lines.at(n);
  }

  /** Runs SQL that only reads. The table has its documented columns and types. A file that grows is read again from time to time. */
  query(sql: string, part?: SqlPart): Promise<SqlRows> {
    const [size, now] = [sizeOf(this.spec), Date.now()];
    if (this.#sql !== undefined && this.#sql.size !== size && now - this.#sql.since > renewMs) this.#closeSql();
    this.#sql ??= { process: new SqlProcess(this.spec), size, since: now };
    return this.#sql.process.query(sql, part);
  }

  #closeSql(): void {
    this.#sql?.process.close();
    this.#sql = undefined;
  }

  close(): void {
    this.#closeSql();
    void this.#loading?.close();
    void this.#old?.close();
  }

  #latest(): Loading {
    const latest = (this.#loading ??= new Loading(this.spec));
    if (latest.isReady && this.#old !== undefined) {
      void this.#old.close();
      this.#old = undefined;
    }
    if (!latest.isReady) return this.#old ?? latest;
    if (Date.now() - latest.readAt > Math.max(renewMs, 10 * latest.tookMs) && sizeOf(this.spec) !== latest.size) {
      this.#old = latest;
      this.#loading = new Loading(this.spec);
    }
    return latest;
  }
}

/** A file as it is read once. */
class Loading {
  readonly rows: Promise<TableRows>;
  /** Of a file of JSONL. */
  readonly index: Promise<LineIndex | undefined>;
  /** What shows rows of JSONL until all are loaded. Of other files the same as `rows`. */
  readonly lines: Promise<TableRows>;
  readonly size: number;
  isReady = false;
  readAt = Infinity;
  tookMs = 0;
  #share = (): number => 0;

  constructor(spec: TableSpec) {
    const began = Date.now();
    this.size = sizeOf(spec);
    this.index = this.#lines(spec);
    this.rows = openRows(spec, this.index, (share) => (this.#share = share));
    this.lines = this.index.then((index) => (index === undefined ? this.rows : PlainRows.open(spec, '', index)));
    this.lines.catch(() => undefined); // thrown where the rows are awaited
    this.rows.then(
      () => {
        this.isReady = true;
        this.readAt = Date.now();
        this.tookMs = this.readAt - began;
      },
      () => undefined, // thrown where the rows are awaited
    );
  }

  get read(): number {
    return Math.min(0.999, this.#share());
  }

  async close(): Promise<void> {
    const settled = await Promise.allSettled([this.rows, this.lines, this.index]);
    for (const one of new Set(settled.map((each) => (each.status === 'fulfilled' ? each.value : undefined)))) one?.close();
  }

  async #lines({ path, kind }: TableSpec): Promise<LineIndex | undefined> {
    if (!kind.text || kind.delimiter !== undefined || kind.compression !== undefined) return undefined;
    let read = 0;
    this.#share = () => read / this.size;
    return LineIndex.open(path, (bytes) => (read = bytes));
  }
}

async function openRows(spec: TableSpec, index: Promise<LineIndex | undefined>, watch: (share: () => number) => void): Promise<TableRows> {
  try {
    return await DuckdbRows.open(spec, index, watch);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!spec.kind.text && !isMissing) throw error;
    const why = isMissing ? 'Install it: npm install @duckdb/node-api' : `It can't read ${spec.info.file}: ${messageOf(error)}`;
    return PlainRows.open(spec, why, await index, watch);
  }
}

function sizeOf({ path }: TableSpec): number {
  return nodeFileSystem.stat(path)?.size ?? 0;
}
