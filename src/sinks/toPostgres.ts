import { defer, finalize, type OperatorFunction } from 'rxjs';
import { Loader, type RejectedRow, RowPrefix } from './destination/Loader.ts';
import type { DestinationColumn } from './destination/RowDestination.ts';
import type { PostgresAddress } from './postgres/PostgresConnection.ts';
import { postgresDestination } from './postgres/postgresDestination.ts';
import { type ColumnKind, knownColumns } from './table/TableColumn.ts';
import { findColumns } from './table/findColumns.ts';
import { jsonText } from './jsonlEncoder.ts';
import { extraColumn } from './table/TextRepair.ts';
import { pageFault, type SinkOf } from './checkOutputOptions.ts';
import { type RowSink, toSink } from './toSink.ts';
import { callback, like, number, signal, text, whole, declareOptions } from '../../operators/options/index.ts';

export interface PostgresOptions {
  /** `table` or `schema.table`. It is made if it isn't there, and gets the columns that it lacks. */
  readonly table: string;
  /** The columns that identify a row, as dotted paths. A row replaces the one with its key. @default none: all rows are kept */
  readonly key?: string | readonly string[] | undefined;
  /** A pool of the package pg, or a URL. @default DATABASE_URL, else PGHOST, PGUSER … */
  readonly pool?: PostgresAddress;
  /** How long the database may be away before the stream fails. @default 60000 */
  readonly waitMs?: number | undefined;
  /** Requests upstream are held while this many rows wait. @default 1000 */
  readonly waitingRows?: number | undefined;
  /** Called for each row that the table can't hold. @default they are counted */
  readonly onRejected?: ((row: object, reason: string) => void) | undefined;
  /** Ends the stream with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
}

export interface TableReport {
  readonly table: string;
  /** Rows that are in the table now. */
  readonly rows: number;
  /** Rows that the table can't hold. */
  readonly rejected: number;
}

const firstRows = 1000;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const postgresOptions = declareOptions<PostgresOptions>()({
  table: text('a table').needed(),
  key: like<string | readonly string[]>(
    'a column, or a list of columns',
    (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  ),
  pool: like<string | object>(
    'a pool of the package pg, or a URL',
    (value) => isText(value) || (typeof value === 'object' && value !== null && 'connect' in value),
  ) as never,
  waitMs: number({ from: 0 }).or(60_000),
  waitingRows: whole({ from: 1 }).or(1000),
  onRejected: callback<(row: object, reason: string) => void>(),
  signal: signal(),
});

/**
 * Writes rows to a table of PostgreSQL, and emits one report when all are there. Needs the packages pg and pg-copy-streams.
 * Columns and their types come from the operation. For rows of your own, they come from the first rows. Other fields go to `_extra`.
 *
 * - Order: batches of rows, each in one transaction. What was committed stays if the stream fails.
 * - After a lost connection it connects again. No row is lost or doubled, also without a key.
 * - Cancellation: unsubscribing ends the batch under way at once, and nothing of it stays. A client of your pool goes back to it. If a
 *   statement was under way, the pool is told to throw it away.
 * - Cost: none. While the database is slow, requests upstream are held.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toPostgres({ table: 'reviews', key: 'review_id', pool }))
 * ```
 */
export function toPostgres<Row extends object>(options: PostgresOptions): SinkOf<Row, TableReport>;
export function toPostgres(options: PostgresOptions): OperatorFunction<object, TableReport> {
  const { table, key, pool, waitMs, waitingRows, onRejected, signal } = postgresOptions.read('toPostgres', options);
  const open = async (stop: AbortController): Promise<RowSink<object, TableReport>> => {
    await checkConnection(pool, table); // fails before the first request
    let loader: Loader | undefined;
    let prefix = RowPrefix.start();
    let [rows, rejected] = [0, 0];
    /** The rejected rows of the batch under way. `onRejected` gets them after the batch is committed. */
    let unfit: RejectedRow[] = [];
    /** The first rows, which wait until the columns are known. */
    const first: object[] = [];
    const begin = (columns: readonly DestinationColumn[]): Loader => {
      const keys = key === undefined ? [] : typeof key === 'string' ? [key] : key;
      const own = { flow: 'toPostgres', run: crypto.randomUUID(), stage: 'toPostgres', file: '-' };
      return new Loader(
        postgresDestination(pool),
        { name: table, columns, key: keys, mode: 'merge', ...own },
        {
          reject: async (more) => void unfit.push(...more),
          forget: async (from) => void (unfit = unfit.filter(({ at }) => at < from)),
          away: (error, sinceMs) => {
            if (sinceMs > waitMs) stop.abort(error);
          },
          signal: stop.signal,
        },
      );
    };
    const load = async (batch: readonly object[]): Promise<void> => {
      const lines = batch.map((row) => jsonText(row)!);
      loader ??= begin(await columnsIn(batch[0], lines));
      prefix = await loader.load(Buffer.from(lines.map((line) => `${line}\n`).join('')), prefix);
      rows += batch.length;
      rejected += unfit.length;
      for (const { line, reason } of unfit.splice(0)) onRejected?.(JSON.parse(line) as object, reason);
    };
    return {
      async write(batch: readonly object[]): Promise<void> {
        if (loader !== undefined) return load(batch);
        const fault = first.length === 0 ? pageFault('toPostgres', batch[0]) : undefined;
        if (fault !== undefined) throw fault;
        first.push(...batch);
        if (first.length >= firstRows || knownColumns({}, first[0]) !== undefined) await load(first.splice(0));
      },
      async finish(): Promise<TableReport> {
        if (first.length > 0) await load(first);
        await loader?.close();
        return { table, rows: rows - rejected, rejected };
      },
      async abort(): Promise<void> {
        stop.abort();
        await loader?.close();
      },
    };
  };
  return (source) =>
    defer(() => {
      const stop = new AbortController();
      const sink = toSink<object, TableReport>(() => open(stop), { name: 'toPostgres', waitingRows, signal });
      return sink(source).pipe(finalize(() => stop.abort())); // a statement that waits for a lock doesn't keep the program
    });
}

/** Rejects if no connection can be made. */
async function checkConnection(address: PostgresAddress, table: string): Promise<void> {
  const { PostgresConnection } = await import('./postgres/PostgresConnection.ts');
  const connection = new PostgresConnection(address, 'trawler');
  await connection.attempt(table, () => connection.open()).finally(() => connection.close());
}

/** Types that were found in the first rows, widened for what later rows may have. */
const widened: { readonly [kind in ColumnKind]: ColumnKind } = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  timestamp: 'string',
  date: 'string',
  json: 'json',
};

async function columnsIn(first: unknown, lines: readonly string[]): Promise<readonly DestinationColumn[]> {
  const known = knownColumns({}, first);
  if (known !== undefined) return [...known.map((column) => ({ ...column, type: column.type ?? 'string' })), extraColumn];
  const { columns } = await findColumns(() => [lines], undefined, { extra: true });
  return columns.map((column) => ({ ...column, type: widened[column.type] }));
}
