import { madeIn } from '../../../operators/kit/once.ts';
import type { FlowProgress, StageProgress } from '../../flow/index.ts';
import type { AnyClient } from '../../index.ts';

/** How the run before ended, as its folder says. */
export interface LastRun {
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

/** The figures of a client, and of the flow that it runs if it runs one, for Prometheus. */
export class RunMetrics {
  readonly #flow: string;
  readonly #requests = new Counters();
  readonly #stored = new Counters();
  readonly #bytes = new Counters();
  readonly #seconds = new Counters();
  #client: AnyClient | undefined;
  #stages: readonly StageProgress[] = [];
  #last: LastRun | undefined;
  #outage = 0;

  constructor(flow: string, last: LastRun | undefined) {
    this.#flow = flow;
    this.#last = last;
  }

  /** Counts what a client does. Returns what ends that. */
  watch(client: AnyClient): () => void {
    this.#client = client;
    const events = client.events$.subscribe((event) => {
      const { operation } = event;
      switch (event.type) {
        case 'response':
          this.#requests.add({ operation, outcome: 'ok' }, 1);
          this.#bytes.add({ operation }, event.bytes);
          return this.#seconds.add({ operation }, event.ms / 1000);
        case 'hit':
          return this.#stored.add({ operation }, 1);
        case 'retry':
        case 'failure':
          // what the client refused was not sent, or counted before
          if (event.error.attempts === 0 || event.error.name === 'BudgetError') return;
          return this.#requests.add({ operation, outcome: outcomeOf(event.error) }, 1);
        case 'outage':
          this.#outage = event.state === 'over' ? 0 : 1;
          return;
        default:
      }
    });
    return () => events.unsubscribe();
  }

  take(progress: FlowProgress): void {
    if ('stages' in progress) this.#stages = progress.stages;
    if (progress.type === 'summary') this.#last = { outcome: progress.outcome, endedAt: progress.endedAt };
  }

  /** All of them, as text. */
  render(): string {
    return this.#metrics()
      .filter(({ samples }) => samples.length > 0)
      .map(({ name, type, help, samples }) =>
        [`# HELP trawler_${name} ${help}`, `# TYPE trawler_${name} ${type}`, ...samples.map((sample) => sampleLine(name, ...sample))].join(
          '\n',
        ),
      )
      .join('\n')
      .concat('\n');
  }

  #metrics(): readonly Metric[] {
    const stats = this.#client?.stats();
    const flow = this.#flow;
    const last = this.#last;
    const none: Labels = {};
    const ofStages = (pick: (stage: StageProgress) => number): Metric['samples'] =>
      this.#stages.map((stage) => [{ flow, stage: stage.name }, pick(stage)]);
    const some = (value: number | undefined): Metric['samples'] => (value === undefined ? [] : [[none, value]]);
    const waits = new Counters();
    for (const wait of this.#client?.explain() ?? []) {
      if (wait.state === 'waits') waits.add({ for: wait.for ?? 'nothing' }, wait.count);
    }
    return [
      counter('requests_total', 'Requests by operation and outcome, retries included.', this.#requests.samples),
      counter('store_pages_total', 'Pages that were read from a store, without a request.', this.#stored.samples),
      counter('response_bytes_total', 'Bytes of responses, decompressed.', this.#bytes.samples),
      counter('response_seconds_total', 'Time that responses took. Divide by the requests with the outcome ok.', this.#seconds.samples),
      gauge('requests_in_flight', 'Requests that are on their way.', some(stats?.inFlight)),
      gauge('requests_waiting', 'Requests that wait to be sent, by what they wait for.', waits.samples),
      gauge('rate', 'Requests a second that the pace allows. Absent if no limit is known.', some(stats?.rate)),
      gauge('pause_seconds', 'How much longer the service wants a pause.', some(stats && stats.pausedMs / 1000)),
      gauge('outage', '1 while nothing gets through.', some(stats && this.#outage)),
      gauge('budget_left', 'Requests that are left of the budget of the client.', some(finite(stats?.budgetLeft))),
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
        this.#stages.flatMap(({ loads = [] }) => loads.map(({ to, waiting }) => [{ flow, to }, waiting] as const)),
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

/** Why an attempt failed: its status, else the name of its error. */
function outcomeOf({ name, status, code }: { readonly name: string; readonly status?: unknown; readonly code?: unknown }): string {
  return String(name === 'EnvelopeError' ? code : (status ?? name));
}

function sampleLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`);
  return `trawler_${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

/** Sums by labels. */
class Counters {
  readonly #sums = new Map<string, { readonly labels: Labels; sum: number }>();

  add(labels: Labels, value: number): void {
    const key = Object.values(labels).join('\0');
    madeIn(this.#sums, key, () => ({ labels, sum: 0 })).sum += value;
  }

  get samples(): Metric['samples'] {
    return Array.from(this.#sums.values(), ({ labels, sum }) => [labels, sum]);
  }
}
