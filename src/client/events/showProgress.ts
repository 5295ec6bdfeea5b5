import { countOf, formatCount } from '../../../operators/kit/countOf.ts';
import { shownAttempts } from '../../errors/FailedAttempts.ts';
import type { AnyClient, ClientStats } from '../Client.ts';
import { OperationCounts } from './OperationCounts.ts';
import { having, number, declareOptions } from '../../../operators/options/index.ts';

export interface ShowProgressOptions {
  /** Where to write. @default process.stderr */
  readonly output?: ProgressOutput | undefined;
  /** Time between two updates. @default 200 on a terminal, else 10000 */
  readonly everyMs?: number | undefined;
}

/** The stream to write to. It may be a terminal. */
export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

const showProgressOptions = declareOptions<ShowProgressOptions>()({
  output: having('a Writable', 'write'),
  everyMs: number({ from: 10, to: 3_600_000 }),
});

/**
 * Shows a client's progress while pipes run: pages and rows of each operation, requests, pages from a store, the rate, waiting requests. On
 * a terminal it updates the lines in place, below what the program itself writes. Elsewhere it prints a line every ten seconds. It stops
 * when the client is closed or the returned function is called, and never keeps the process alive.
 *
 * ```ts
 * const client = createClient();
 * showProgress(client);
 * ```
 */
export function showProgress(client: AnyClient, options: ShowProgressOptions = {}): () => void {
  const { output = process.stderr, everyMs = output.isTTY === true ? 200 : 10_000 } = showProgressOptions.read('showProgress', options);
  const live = output.isTTY === true;
  const startedAt = Date.now();
  const before = client.stats();
  const counts = new OperationCounts();
  const write = output.write.bind(output);
  let drawn = 0;
  let last = '';
  let midLine = false;
  let stopped = false;

  const lines = (): readonly string[] => {
    const stats = client.stats();
    const seconds = (Date.now() - startedAt) / 1000;
    const names = Array.from(counts.byName.keys());
    const widest = Math.max(0, ...names.map((name) => name.length));
    const each = Array.from(
      counts.byName,
      ([name, { pages, rows, failed }]) =>
        `${name.padEnd(widest)}  ${countOf(pages, 'page')}  ${countOf(rows, 'row')}${failed > 0 ? `  ${formatCount(failed)} failed` : ''}`,
    );
    return [...each, totalOf(stats, stats.requests - before.requests, stats.hits - before.hits, seconds)];
  };
  const draw = (): void => {
    const now = lines();
    const text = live
      ? now.map((line) => `${line.slice(0, (output.columns || 80) - 1)}\u001b[K\n`).join('')
      : `${now.toReversed().join('; ')}\n`;
    if (live && text === last) return;
    write((midLine ? '\n' : '') + (live && drawn > 0 ? `\u001b[${drawn}A\r${text}` : text));
    [drawn, last, midLine] = [now.length, text, false];
  };
  /** Makes room for what the program writes; the lines come again below it. */
  const giveWay = (text: string): void => {
    if (drawn > 0) write(`\u001b[${drawn}A\r\u001b[J`);
    [drawn, last, midLine] = [0, '', !text.endsWith('\n')];
  };
  const streams = output === process.stderr && process.stdout.isTTY ? [process.stderr, process.stdout] : [output];
  const endings = live ? streams.map((stream) => beforeWrites(stream, giveWay)) : [];

  const timer = setInterval(draw, everyMs);
  timer.unref();
  const listening = client.events$.subscribe({
    next: (event) => counts.take(event),
    complete: stop,
  });
  return stop;

  function stop(): void {
    if (stopped) return;
    stopped = true;
    clearInterval(timer);
    listening.unsubscribe();
    for (const end of endings) end();
    draw();
  }
}

function totalOf(
  { inFlight, waiting, failedAttempts, rate, pausedMs, budgetLeft }: ClientStats,
  requests: number,
  hits: number,
  seconds: number,
): string {
  return [
    `${Math.round(seconds)} s`,
    countOf(requests, 'request'),
    ...(hits === 0 ? [] : [`${countOf(hits, 'page')} from the store`]),
    ...(rate === undefined ? [] : [`limit ${formatCount(rate)}/s`]),
    ...shownAttempts(failedAttempts, formatCount),
    ...(pausedMs > 0 ? [`paused for ${Math.ceil(pausedMs / 1000)} s`] : []),
    ...(inFlight + waiting > 0 ? [`${formatCount(inFlight)} in flight, ${formatCount(waiting)} waiting`] : []),
    ...(budgetLeft === Infinity ? [] : [`${formatCount(budgetLeft)} left of the budget`]),
  ].join(', ');
}

/** Calls `before` in front of each text that anybody writes to a stream. Returns a function that ends that. */
function beforeWrites(stream: { write: (text: string) => unknown }, before: (text: string) => void): () => void {
  const { write } = stream;
  const watched = (text: string | Uint8Array, ...more: readonly unknown[]): unknown => {
    before(typeof text === 'string' ? text : Buffer.from(text).toString());
    return Reflect.apply(write, stream, [text, ...more]);
  };
  stream.write = watched;
  return () => {
    if (stream.write === watched) stream.write = write;
  };
}
