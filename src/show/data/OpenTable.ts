import { nodeFileSystem } from '../../sinks/index.ts';
import type { RowsPart } from '../api.ts';
import { DuckdbRows } from './DuckdbRows.ts';
import { PlainRows } from './PlainRows.ts';
import type { TableRows } from './TableRows.ts';
import { headRows, shownCells, type TableSpec } from './TableSpec.ts';
import { isWhole, type TableView } from './TableView.ts';

const headLimit = 500;
const renewMs = 5000;

/** A table that somebody looks at. Its first rows are there at once, and the rest when the file was read. */
export class OpenTable {
  readonly spec: TableSpec;
  #rows: Promise<TableRows>;
  #isReady = false;
  #size: number;
  #loadedAt = Date.now();

  constructor(spec: TableSpec) {
    this.spec = spec;
    this.#size = sizeOf(spec);
    this.#rows = this.#load();
  }

  /** The rows, once the file was read. A file that grows is read again from time to time. */
  rows(): Promise<TableRows> {
    const size = sizeOf(this.spec);
    if (this.#isReady && size !== this.#size && Date.now() - this.#loadedAt > renewMs) {
      const old = this.#rows;
      this.#size = size;
      this.#rows = this.#load();
      void this.#rows.then(async () => (await old).close()).catch(() => undefined);
    }
    return this.#rows;
  }

  /** A part of a view. The beginning of the whole table doesn't wait for the file to be read. */
  async part(view: TableView, offset: number, limit: number): Promise<RowsPart> {
    if (this.#isReady || !isWhole(view) || offset + limit > headLimit) return (await this.rows()).part(view, offset, limit);
    const { path, kind, columns, info } = this.spec;
    const head = await headRows(path, kind, offset + limit);
    if (head.length < offset + limit) return (await this.rows()).part(view, offset, limit);
    const rows = head.slice(offset).map((row, index) => ({ n: offset + index, cells: shownCells(row, columns) }));
    return { rows, total: info.rows };
  }

  close(): void {
    void this.#rows.then((rows) => rows.close()).catch(() => undefined);
  }

  #load(): Promise<TableRows> {
    this.#isReady = false;
    const rows = openRows(this.spec);
    rows.then(
      () => {
        this.#isReady = true;
        this.#loadedAt = Date.now();
      },
      () => undefined, // told by those who wait for it
    );
    return rows;
  }
}

async function openRows(spec: TableSpec): Promise<TableRows> {
  try {
    return await DuckdbRows.open(spec);
  } catch (error) {
    // Without the package, or where it can't read the file.
    if (!spec.kind.text && !isMissing(error)) throw error;
    return PlainRows.open(spec);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

function sizeOf({ path }: TableSpec): number {
  return nodeFileSystem.stat(path)?.size ?? 0;
}
