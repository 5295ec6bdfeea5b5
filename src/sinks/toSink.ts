import type { Observable, OperatorFunction, Subscription } from 'rxjs';
import { withDemand } from '../../operators/demand/demandScope.ts';
import { defineOperator } from '../../operators/kit/defineOperator.ts';
import type { Outlet } from '../../operators/kit/Outlet.ts';
import { workThrough } from '../../operators/kit/workThrough.ts';
import { tellAtExit } from './tellAtExit.ts';
import { signal, text, whole, declareOptions, optionError } from '../../operators/options/index.ts';

/** What a sink of your own writes to: a database, a queue, a service. */
export interface RowSink<Row, Report> {
  /** Takes rows. If it returns a promise, the next batch comes after that resolves. */
  write(rows: readonly Row[]): unknown;
  /** Called after the last row. Commits, and returns the value that the operator emits. */
  finish(): Promise<Report> | Report;
  /** Called if the stream fails or is unsubscribed. Releases what the sink holds. @default does nothing */
  abort?(error: unknown): unknown;
}

export interface SinkOptions {
  /** Its name in errors and in `client.explain()`. @default 'sink' */
  readonly name?: string | undefined;
  /** Row limit of one `write`. @default 500 */
  readonly batchRows?: number | undefined;
  /** Requests upstream are held while this many rows wait. @default 1000 */
  readonly waitingRows?: number | undefined;
  /** Ends the sink with the signal's reason when it is aborted. `abort` gets the reason too. @default none */
  readonly signal?: AbortSignal | undefined;
}

const sinkOptions = declareOptions<SinkOptions>()({
  name: text().or('sink'),
  batchRows: whole({ from: 1 }).or(500),
  waitingRows: whole({ from: 1 }).or(1000),
  signal: signal(),
});

/**
 * Makes your own sink, with back-pressure: while too many rows wait for `write`, requests upstream are held. `open` runs on
 * subscription, before the source is subscribed, so a broken sink fails before a request is sent.
 *
 * - Order: rows come in order, in batches, one `write` at a time.
 * - Cancellation: unsubscribing, or the signal, waits for the current write, then calls `abort`.
 * - Cost: none.
 *
 * ```ts
 * rows$.pipe(toSink(async () => {
 *   const table = await database.begin();
 *   return { write: (rows) => table.insert(rows), finish: () => table.commit(), abort: () => table.rollback() };
 * }))
 * ```
 */
export function toSink<Row, Report>(
  open: () => Promise<RowSink<Row, Report>> | RowSink<Row, Report>,
  options: SinkOptions = {},
): OperatorFunction<Row, Report> {
  if (typeof open !== 'function') throw optionError('toSink', 'the first argument', 'a function that opens the sink', open);
  const { name, batchRows, waitingRows, signal } = sinkOptions.read('toSink', options);
  /** What `abort` gets when nothing failed. */
  const reason = (): unknown => signal?.reason;
  const begin = (source: Observable<Row>, out: Outlet<Report>): void => {
    const forget = tellAtExit(name);
    let sink: RowSink<Row, Report> | undefined;
    let rows: Subscription | undefined;
    let over = false;
    let writing: Promise<void> | undefined;

    const abort = async (error: unknown): Promise<void> => {
      over = true;
      forget();
      rows?.unsubscribe();
      await writing?.catch(() => undefined);
      await sink?.abort?.(error);
    };
    const fail = (error: unknown): void => {
      if (over) return;
      const failed = (): void => out.error(error); // not the error of `abort`: the first one says more
      abort(error).then(failed, failed);
    };
    const write = async (batch: readonly Row[], done: () => void): Promise<void> => {
      await sink!.write(batch);
      if (!over) done();
    };
    const finish = async (): Promise<void> => {
      const report = await sink!.finish();
      if (over) return;
      over = true;
      forget();
      out.next(report);
      out.complete();
    };
    out.atEnd(() => {
      if (!over) void abort(reason()).catch(() => undefined);
    });

    const subscribe = async (): Promise<void> => {
      const opened = await open();
      if (over) {
        await opened.abort?.(reason());
        return;
      }
      for (const method of ['write', 'finish'] as const) {
        const given: unknown = opened?.[method];
        if (typeof given !== 'function') throw optionError('toSink', `${method} of what is opened`, 'a function', given);
      }
      sink = opened;
      rows = workThrough(source, out, {
        name,
        concurrency: 1,
        holdAt: waitingRows + 1,
        releaseAt: waitingRows / 2,
        start(waiting, done, node) {
          const batch = Array.from({ length: Math.min(waiting.length, batchRows) }, () => waiting.shift() as Row);
          writing = withDemand(node, () => write(batch, done));
          writing.catch(fail);
        },
        complete: () => void finish().catch(fail),
        error: fail,
      });
    };
    subscribe().catch(fail);
  };
  return defineOperator(begin, { signal });
}
