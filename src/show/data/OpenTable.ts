import { nodeFileSystem } from '../../sinks/index.ts';
import type { RowsPart, ShownRow } from '../api.ts';
import { DuckdbRows } from './DuckdbRows.ts';
import { settlesWithin } from './settlesWithin.ts';
import { findLines } from './findLines.ts';
import { findRows, keptRows, type FoundRows, type WantedRows } from './findRows.ts';
import { bytesOfContent } from './lineBlocks.ts';
import { LineIndex } from './LineIndex.ts';
import { isSqlite, PlainRows } from './PlainRows.ts';
import { queryCsv } from './queryCsv.ts';
import { scanFile } from './scanFile.ts';
import { patienceMs, type TableRows } from './TableRows.ts';
import { allRows, hasLines, headRows, isJsonl, readContent, seenRows, shownCells, type SeenRows, type TableSpec } from './TableSpec.ts';
import { isWhole, type TableView } from './TableView.ts';
import { ViewScan, ViewScans } from './ViewScan.ts';

const headLimit = 500;
const renewMs = 5000;

/**
 * A table that somebody looks at. Its first rows, and the first rows that a filter finds, are there at once. The rest is there when
 * the file was read.
 */
export class OpenTable {
  readonly spec: TableSpec;
  #loading: Loading;
  /** What is shown while a file that grows is read again. */
  #old: Loading | undefined;

  constructor(spec: TableSpec) {
    this.spec = spec;
    this.#loading = new Loading(spec);
  }

  /** The rows, once the file was read. A file that grows is read again from time to time. */
  rows(): Promise<TableRows> {
    return this.#latest().rows;
  }

  /** How much of the file was read, from 0 to 1, if that takes longer than a moment. */
  async reading(): Promise<number | undefined> {
    const latest = this.#latest();
    return (await settlesWithin(latest.rows, patienceMs)) ? undefined : latest.read;
  }

  /** A part of a view, or what of it was found so far. */
  async part(view: TableView, offset: number, limit: number): Promise<RowsPart> {
    const latest = this.#latest();
    if (!latest.isReady && isWhole(view)) {
      const found = await this.#unloaded(latest, offset, limit);
      if (found !== undefined) return found;
    }
    const scan = !latest.isReady && !isWhole(view) && latest.canFind(view) ? latest.scans.of(view) : undefined;
    await settlesWithin(Promise.race([latest.rows, scan?.upTo(offset + limit, patienceMs) ?? latest.rows]), patienceMs);
    if (latest.isReady) return (await latest.rows).part(view, offset, limit);
    const found = scan?.part(offset, limit) ?? (await this.#found(latest, scan, offset, limit));
    if (found?.total !== undefined) return found;
    return { rows: found?.rows ?? [], total: undefined, read: Math.max(found?.read ?? 0, latest.read) };
  }

  /** Rows that were found, from their lines. */
  async #found({ index }: Loading, scan: ViewScan | undefined, offset: number, limit: number): Promise<RowsPart | undefined> {
    const numbers = scan?.numbers.slice(offset, offset + limit) ?? [];
    const isThere = scan?.isDone === true && numbers.length === Math.max(0, Math.min(limit, scan.total - offset));
    const lines = isThere ? await index : undefined;
    return lines && { rows: numbers.map((n) => ({ n, cells: shownCells(lines.row(n), this.spec.columns) })), ...scan!.found };
  }

  /** Rows of the whole file before it was loaded: from its beginning, or by its lines. */
  async #unloaded({ lines }: Loading, offset: number, limit: number): Promise<RowsPart | undefined> {
    const { path, kind, csv, columns, info } = this.spec;
    const shown = (row: object, at: number): ShownRow => ({ n: offset + at, cells: shownCells(row, columns) });
    if (lines !== undefined) {
      const count = Math.max(0, Math.min(limit, lines.lines - offset));
      return { rows: Array.from({ length: count }, (_, at) => shown(lines.row(offset + at), at)), total: lines.lines };
    }
    if (offset + limit > headLimit) return undefined;
    const head = await headRows(path, kind, csv, offset + limit);
    return head.length < offset + limit ? undefined : { rows: head.slice(offset).map(shown), total: info.rows };
  }

  /** A row in full. */
  async row(n: number): Promise<object> {
    const { isReady, index, rows } = this.#latest();
    const lines = isReady ? undefined : await index;
    return lines === undefined ? (await rows).row(n) : lines.row(n);
  }

  close(): void {
    this.#loading.close();
    this.#old?.close();
  }

  #latest(): Loading {
    const latest = this.#loading;
    if (latest.isReady && this.#old !== undefined) {
      this.#old.close();
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
  /** The lines of a file of JSONL, which are known before its rows. */
  readonly index: Promise<LineIndex | undefined>;
  lines: LineIndex | undefined;
  readonly size: number;
  readonly scans: ViewScans;
  isReady = false;
  readAt = Infinity;
  tookMs = 0;
  readonly #isText: boolean;
  readonly #isJsonl: boolean;
  readonly #hasLines: boolean;
  #share = (): number => 0;

  constructor(spec: TableSpec) {
    const began = Date.now();
    const { kind, path } = spec;
    this.size = sizeOf(spec);
    this.#isText = kind.text;
    this.#isJsonl = isJsonl(spec);
    this.#hasLines = hasLines(spec);
    this.scans = new ViewScans((view) => {
      let share = (): number => 0;
      const wanted = { view, columns: spec.columns, limit: this.#limitOf(view), sorted: keptRows };
      return new ViewScan(
        wanted,
        findInFile(spec, wanted, (watch) => (share = watch)),
        () => share(),
      );
    });
    this.index = this.#lines(path);
    this.index.then(
      (index) => (this.lines = index),
      () => undefined, // told by those who wait for it
    );
    this.rows = this.#load(spec);
    this.rows.then(
      () => {
        this.isReady = true;
        this.readAt = Date.now();
        this.tookMs = this.readAt - began;
        this.scans.close();
      },
      () => undefined, // told by those who wait for it
    );
  }

  /** Whether rows of a view can be found before all were loaded. */
  canFind({ sort }: TableView): boolean {
    return this.#hasLines || (this.#isText && sort === undefined);
  }

  /** To count rows takes no parser, unless all of their cells are searched. */
  #limitOf({ search }: TableView): number {
    return this.#isJsonl && search === '' ? Infinity : keptRows;
  }

  async #lines(path: string): Promise<LineIndex | undefined> {
    if (!this.#hasLines) return undefined;
    await this.#firstScans();
    return LineIndex.open(path);
  }

  async #load(spec: TableSpec): Promise<TableRows> {
    if (this.#isText) await this.#firstScans();
    return openRows(spec, this.index, (share) => (this.#share = share));
  }

  /** A view that the file is opened with is found first. To read the file for others meanwhile would make it wait. */
  async #firstScans(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.scans.idle();
  }

  get read(): number {
    return this.isReady ? 1 : Math.min(0.999, this.#share());
  }

  close(): void {
    this.scans.close();
    void this.rows.then((rows) => rows.close()).catch(() => this.lines?.close());
  }
}

/** Finds rows in a file before it was loaded. `watch` gets a function that tells the share that was read. */
async function* findInFile(
  spec: TableSpec,
  wanted: WantedRows,
  watch: (share: () => number) => void,
): AsyncGenerator<FoundRows, void, undefined> {
  const { path, info, csv } = spec;
  const size = sizeOf(spec);
  let read = 0;
  const onRead = (bytes: number): void => void (read += bytes / size);
  const lines = (content: AsyncIterable<Buffer | string>): SeenRows =>
    findLines({ file: info.file, bytes: bytesOfContent(content) }, wanted);
  watch(() => read);
  if (hasLines(spec)) yield* scanFile(path, wanted, { onRead: (share) => (read = share) });
  else if (isJsonl(spec)) yield* findRows(wanted, readContent(spec, onRead, lines));
  else {
    // Without the package, or where it can't read the file, each row is read here.
    const found = csv !== undefined ? await queryCsv(spec, csv, wanted.view, watch).catch(() => undefined) : undefined;
    watch(() => read);
    if (found === undefined) yield* findRows(wanted, seenRows(allRows(spec, onRead)));
    else yield found;
  }
}

async function openRows(spec: TableSpec, index: Promise<LineIndex | undefined>, watch: (share: () => number) => void): Promise<TableRows> {
  if (isSqlite(spec)) return PlainRows.open(spec);
  try {
    return await DuckdbRows.open(spec, index, watch);
  } catch (error) {
    // Without the package, or where it can't read the file.
    if (!spec.kind.text && !isMissing(error)) throw error;
    return PlainRows.open(spec, await index);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

function sizeOf({ path }: TableSpec): number {
  return nodeFileSystem.stat(path)?.size ?? 0;
}
