import { countOf, formatCount } from '../../../operators/kit/countOf.ts';
import { shownAttempts } from '../../errors/FailedAttempts.ts';
import type { AnyClient, ClientStats } from '../Client.ts';
import { OperationCounts } from './OperationCounts.ts';
import { having, number, declareOptions } from '../../../operators/options/index.ts';

export interface ShowProgressOptions {
  /** Where to write. @default process.stderr */
  readonly output?: { write(text: string): unknown; readonly isTTY?: boolean | undefined } | undefined;
  /** Time between two lines. @default 2000 on a terminal, else 10000 */
  readonly everyMs?: number | undefined;
}

const showProgressOptions = declareOptions<ShowProgressOptions>()({
  output: having('a Writable', 'write'),
  everyMs: number({ from: 10, to: 3_600_000 }),
});

/**
 * Shows a client's progress while pipes run, a line from time to time: requests, pages from a store, the rate, waiting requests, and the
 * pages and rows of each operation. It says nothing while nothing changes. It stops when the client is closed or the returned function is
 * called, and never keeps the process alive.
 *
 * ```ts
 * const client = createClient();
 * showProgress(client);
 * ```
 */
export function showProgress(client: AnyClient, options: ShowProgressOptions = {}): () => void {
  const { output = process.stderr, everyMs = output.isTTY === true ? 2000 : 10_000 } = showProgressOptions.read('showProgress', options);
  const startedAt = Date.now();
  const before = client.stats();
  const counts = new OperationCounts();
  let last = '';
  const tell = (): void => {
    const now = client.stats();
    const each = Array.from(counts.byName, ([name, { pages, rows, failed }]) =>
      [name, countOf(pages, 'page'), countOf(rows, 'row'), ...(failed > 0 ? [`${formatCount(failed)} failed`] : [])].join('  '),
    );
    const line = [totalOf(now, now.requests - before.requests, now.hits - before.hits), ...each].join('; ');
    if (line !== last) output.write(`${Math.round((Date.now() - startedAt) / 1000)} s, ${line}\n`);
    last = line;
  };
  const timer = setInterval(tell, everyMs).unref();
  const listening = client.events$.subscribe((event) => counts.take(event));
  listening.add(() => {
    clearInterval(timer);
    tell();
  });
  return () => listening.unsubscribe();
}

function totalOf({ inFlight, waiting, failedAttempts, rate, pausedMs, budgetLeft }: ClientStats, requests: number, hits: number): string {
  return [
    countOf(requests, 'request'),
    ...(hits === 0 ? [] : [`${countOf(hits, 'page')} from the store`]),
    ...(rate === undefined ? [] : [`limit ${formatCount(rate)}/s`]),
    ...shownAttempts(failedAttempts, formatCount),
    ...(pausedMs > 0 ? [`paused for ${Math.ceil(pausedMs / 1000)} s`] : []),
    ...(inFlight + waiting > 0 ? [`${formatCount(inFlight)} in flight, ${formatCount(waiting)} waiting`] : []),
    ...(budgetLeft === Infinity ? [] : [`${formatCount(budgetLeft)} left of the budget`]),
  ].join(', ');
}
