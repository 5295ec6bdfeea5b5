import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getOrInsert } from '../../operators/kit/once.ts';
import { namesServer, serverUrl, requestedAddress } from '../../operators/kit/parsedUrl.ts';
import { type Io, UsageError, portTaken } from './Command.ts';
import type { FlowProgress, StageProgress } from '../flow/index.ts';
import { type OperationCount, OperationCounts, RunRecorder } from '../flow/report/index.ts';
import type { AnyClient, ClientStats } from '../index.ts';

export const metricsOption = {
  metrics: { type: 'string', value: 'HOST:PORT', about: 'serve /metrics for Prometheus, and /live: 127.0.0.1:9464' },
} as const;

interface Watched {
  readonly flow: string;
  /** Where the run is: it says how the one before ended. */
  readonly folder?: string | undefined;
  /** The address isn't printed. */
  readonly quiet?: boolean | undefined;
  readonly io: Io;
}

/** Serves the figures of a run to whoever asks, as long as the command goes on. undefined: nobody wants them. */
export async function serveMetrics(
  address: string | undefined,
  { flow, folder, quiet = false, io }: Watched,
): Promise<(RunMetrics & AsyncDisposable) | undefined> {
  if (address === undefined) return undefined;
  const metrics = new RunMetrics(flow, folder === undefined ? undefined : await lastRunIn(folder));
  const { url, close } = await serveTexts(address, { '/metrics': () => metrics.render() });
  if (!quiet) io.stderr.write(`Metrics: ${url}/metrics\n`);
  return Object.assign(metrics, { [Symbol.asyncDispose]: close });
}

/** Serves texts by their paths at `HOST:PORT`, and `/live`. `/` is a page, and is served under the server's own names only. */
export async function serveTexts(
  address: string,
  texts: { readonly [path: string]: () => string },
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const [, name, port] = /^(\[[\da-f:.]+\]|[^:/\s]+):(\d{1,5})$/i.exec(address) ?? [];
  if (name === undefined || Number(port) > 65_535) throw new UsageError('--metrics takes HOST:PORT, such as 127.0.0.1:9464.');
  const host = name.replaceAll(/[[\]]/g, '');
  const all = { ...texts, '/live': () => 'live\n' };
  const server = createServer(({ url, headers }, response) => {
    const path = requestedAddress(url)?.path;
    const send = (status: number, body: string, type = 'text/plain'): void =>
      void response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': policy }).end(body);
    const text = path === undefined || !Object.hasOwn(all, path) ? undefined : all[path as keyof typeof all];
    if (path === undefined) send(400, 'This is no address.\n');
    else if (text === undefined) send(404, `There are ${Object.keys(all).join(', ')}.\n`);
    else if (path !== '/') send(200, text(), 'text/plain; version=0.0.4');
    else if (namesServer(headers.host, host)) send(200, text(), 'text/html');
    else send(403, 'This page is served under its own address only.\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(Number(port), host, resolve)).catch(portTaken);
  server.unref();
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { url: serverUrl(host, (server.address() as AddressInfo).port), close };
}

const policy = "default-src 'none'; style-src 'unsafe-inline'";

async function lastRunIn(folder: string): Promise<LastRun | undefined> {
  try {
    const { trawler } = JSON.parse(await readFile(join(folder, 'datapackage.json'), 'utf8')) as {
      readonly trawler: { readonly outcome: string; readonly endedAt: string };
    };
    return { outcome: trawler.outcome, endedAt: Date.parse(trawler.endedAt) };
  } catch {
    return undefined; // there was none, or it isn't one of ours
  }
}

/** How the run before ended, as its folder says. */
interface LastRun {
  readonly outcome: string;
  /** When it ended, in milliseconds since 1970. */
  readonly endedAt: number;
}

type Labels = { readonly [label: string]: string };

/** A metric with its samples, in the text form of Prometheus. */
interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly (readonly [labels: Labels, value: number])[];
}

/** The figures of clients, and of the flow that they run if they run one, for Prometheus. */
class RunMetrics {
  readonly #flow: string;
  readonly #recorder = new RunRecorder();
  /** What each client has done, and what tells it from the others. */
  readonly #clients = new Map<AnyClient, { readonly labels: Labels; readonly counts: OperationCounts }>();
  #last: LastRun | undefined;

  constructor(flow: string, last: LastRun | undefined) {
    this.#flow = flow;
    this.#last = last;
  }

  /** Counts what a client does. `service`: which, if there are several. Returns a function that stops it. */
  watch(client: AnyClient, service?: string): () => void {
    const labels: Labels = service === undefined ? {} : { service };
    const { counts } = getOrInsert(this.#clients, client, () => ({ labels, counts: new OperationCounts() }));
    const events = client.events$.subscribe((event) => counts.take(event));
    return () => events.unsubscribe();
  }

  take(progress: FlowProgress): void {
    this.#recorder.progress(progress);
    if (progress.type === 'summary') this.#last = progress;
  }

  /** All of them, as text. */
  render(): string {
    return renderMetrics(this.#metrics());
  }

  #metrics(): readonly Metric[] {
    const clients = Array.from(this.#clients, ([client, known]) => ({ ...known, client, stats: client.stats() }));
    const flow = this.#flow;
    const { stages } = this.#recorder;
    const last = this.#last;
    const operations = clients.flatMap(({ labels, counts }) =>
      Array.from(counts.byName, ([operation, count]) => [{ ...labels, operation }, count] as const),
    );
    const each = (pick: (count: OperationCount) => number): Metric['samples'] =>
      operations.filter(([, count]) => pick(count) > 0).map(([labels, count]) => [labels, pick(count)]);
    const requests = operations.flatMap(([labels, { responses, refused }]) =>
      [['ok', responses] as const, ...refused]
        .filter(([, count]) => count > 0)
        .map(([outcome, count]) => [{ ...labels, outcome }, count] as const),
    );
    const ofStages = (pick: (stage: StageProgress) => number): Metric['samples'] =>
      stages.map((stage) => [{ flow, stage: stage.name }, pick(stage)]);
    const now = (pick: (stats: ClientStats) => number | undefined): Metric['samples'] =>
      clients.flatMap(({ labels, stats }) => {
        const value = pick(stats);
        return value === undefined ? [] : [[labels, value] as const];
      });
    const waiting = clients.flatMap(({ labels, client }) => {
      const waits = new Map<string, number>();
      for (const { state, for: reason = 'nothing', count } of client.explain())
        if (state === 'waits') waits.set(reason, (waits.get(reason) ?? 0) + count);
      return Array.from(waits, ([reason, count]) => [{ ...labels, for: reason }, count] as const);
    });
    return [
      counter('requests_total', 'Requests by operation and outcome, retries included.', requests),
      counter(
        'store_pages_total',
        'Pages that were read from a store, without a request.',
        each(({ stored }) => stored),
      ),
      counter(
        'response_bytes_total',
        'Bytes of responses, decompressed.',
        each(({ bytes }) => bytes),
      ),
      counter(
        'response_seconds_total',
        'Time that responses took. Divide by the requests with the outcome ok.',
        each(({ ms }) => ms / 1000),
      ),
      gauge(
        'requests_in_flight',
        'Requests that are on their way.',
        now(({ inFlight }) => inFlight),
      ),
      gauge('requests_waiting', 'Requests that wait to be sent, by what they wait for.', waiting),
      gauge(
        'rate',
        'Requests a second that the pace allows. Absent if no limit is known.',
        now(({ rate }) => rate),
      ),
      gauge(
        'pause_seconds',
        'How much longer the service wants a pause.',
        now(({ pausedMs }) => pausedMs / 1000),
      ),
      gauge(
        'outage',
        '1 while nothing gets through.',
        clients.map(({ labels, counts }) => [labels, Number(counts.inOutage)]),
      ),
      gauge(
        'budget_left',
        'Requests that are left of the budget of the client.',
        now(({ budgetLeft }) => finite(budgetLeft)),
      ),
      gauge(
        'rows',
        'Rows so far, by stage.',
        ofStages(({ rows }) => rows),
      ),
      gauge(
        'queries_done',
        'Queries that have ended, by stage.',
        ofStages(({ done }) => done),
      ),
      gauge(
        'queries_failed',
        'Queries that have failed, by stage.',
        ofStages(({ failed }) => failed),
      ),
      gauge(
        'load_waiting_bytes',
        'Bytes of rows on disk that are not yet loaded, by destination.',
        stages.flatMap(({ loads = [] }) => loads.map(({ to, waiting }) => [{ flow, to }, waiting] as const)),
      ),
      gauge(
        'last_run_outcome',
        'How the last run ended: 1 at its outcome.',
        last === undefined ? [] : [[{ flow, outcome: last.outcome }, 1]],
      ),
      gauge('last_run_end_timestamp_seconds', 'When the last run ended.', last === undefined ? [] : [[{ flow }, last.endedAt / 1000]]),
    ];
  }
}

const counter = (name: string, help: string, samples: Metric['samples']): Metric => ({ name, type: 'counter', help, samples });
const gauge = (name: string, help: string, samples: Metric['samples']): Metric => ({ name, type: 'gauge', help, samples });
const finite = (value: number | undefined): number | undefined => (value === Infinity ? undefined : value);

/** Metrics as text. Those without samples are left out. */
export function renderMetrics(metrics: readonly Metric[]): string {
  const lines = metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP trawler_${name} ${help}`,
      `# TYPE trawler_${name} ${type}`,
      ...samples.map((sample) => sampleLine(name, ...sample)),
    ]);
  return `${lines.join('\n')}\n`;
}

function sampleLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`);
  return `trawler_${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}
