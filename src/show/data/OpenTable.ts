import { messageOf } from '../../errors/TrawlerError.ts';
import { nodeFileSystem } from '../../sinks/index.ts';
import type { RowsPart, SqlRows, StillReading } from '../api.ts';
import { DuckdbRows } from './DuckdbRows.ts';
import { type SqlPart, SqlProcess } from './SqlProcess.ts';
import { isDuckdbMissing, MissingDuckdb } from './database.ts';
import { damageText, headRows, shownCells, type TableSpec } from './TableSpec.ts';
import { isWhole, type TableView } from './TableView.ts';

const headLimit = 200;
const renewMs = 5000;
const patienceMs = 300;

/** A table that a page shows. Its first rows are available at once, the others when DuckDB has read the file. */
export class OpenTable {
  readonly spec: TableSpec;
  #loading: Loading | undefined;
  /** The earlier content of a growing file. It is shown while the file is read again. */
  #old: Loading | undefined;
  #sql: { readonly process: SqlProcess; readonly size: number; readonly since: number } | undefined;

  constructor(spec: TableSpec) {
    this.spec = spec;
  }

  /** All rows, when the file is read. A growing file is read again from time to time. */
  rows(): Promise<DuckdbRows> {
    return this.#latest().rows;
  }

  /** How much of the file is read, from 0 to 1. undefined: all of it is read, or will be within a moment. */
  async reading(): Promise<number | undefined> {
    const { rows, read } = this.#latest();
    return (await settlesSoon(rows)) ? undefined : read;
  }

  /** A part of a view. Until the file is read, it has the first rows of the file, or says how much is read. */
  async part(view: TableView, offset: number, limit: number): Promise<RowsPart | StillReading> {
    const latest = this.#latest();
    const isHead = this.spec.kind.text && isWhole(view) && offset < headLimit;
    if (isHead && !latest.isReady) {
      const end = Math.min(offset + limit, headLimit);
      const [head, isMissing] = await Promise.all([this.#head(end), isDuckdbMissing()]);
      const isMore = isMissing && (await this.#head(headLimit + 1)).length > headLimit;
      const more = isMore ? { onlyFirst: headLimit } : {};
      if (head.length === offset + limit) return { ...this.#shown(head, offset, this.spec.info.rows), ...more };
      if (isMissing) return { ...this.#shown(head, offset, head.length < end ? head.length : this.spec.info.rows), ...more };
    }
    try {
      if (await settlesSoon(latest.rows)) return await (await latest.rows).part(view, offset, limit);
    } catch (error) {
      const head = isHead ? await this.#head(headLimit) : [];
      if (head.length <= offset) throw error;
      return this.#shown(head.slice(0, offset + limit), offset, head.length);
    }
    return { read: latest.read };
  }

  async #head(limit: number): Promise<readonly object[]> {
    return headRows(this.spec, limit);
  }

  #shown(head: readonly object[], offset: number, total: number | undefined): RowsPart {
    return { rows: head.slice(offset).map((row, at) => ({ n: offset + at, cells: shownCells(row, this.spec.columns) })), total };
  }

  /** A row in full. */
  async row(n: number): Promise<object> {
    const head = n < headLimit ? await this.#head(n + 1) : [];
    return head[n] ?? (await this.rows()).row(n);
  }

  /** Runs SQL that only reads. The table has its documented columns and types. A growing file is read again from time to time. */
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

/** One reading of a file. */
class Loading {
  readonly rows: Promise<DuckdbRows>;
  readonly size: number;
  isReady = false;
  readAt = Infinity;
  tookMs = 0;
  #share = (): number => 0;

  constructor(spec: TableSpec) {
    const began = Date.now();
    this.size = sizeOf(spec);
    this.rows = DuckdbRows.open(spec, (share) => (this.#share = share)).catch((error: unknown) => {
      if (nodeFileSystem.stat(spec.path) === undefined)
        throw Object.assign(new Error(`${spec.info.file} has another name now.`), { code: 'ENOENT' });
      throw spec.kind.text && !(error instanceof MissingDuckdb) ? new Error(damageText(messageOf(error)), { cause: error }) : error;
    });
    this.rows.then(
      () => {
        this.isReady = true;
        this.readAt = Date.now();
        this.tookMs = this.readAt - began;
      },
      () => undefined, // those who await `rows` get the error
    );
  }

  get read(): number {
    return Math.min(0.999, this.#share());
  }

  async close(): Promise<void> {
    (await this.rows.catch(() => undefined))?.close();
  }
}

function sizeOf({ path }: TableSpec): number {
  return nodeFileSystem.stat(path)?.size ?? 0;
}

/**
 * Waits a moment for a promise. Returns whether it has resolved. Rejects if the promise rejects.
 */
async function settlesSoon(promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, patienceMs, false)));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
