import type { ClientEvent } from '../../client/events/clientEvents.ts';
import type { FlowProgress, StageProgress } from '../run/FlowProgress.ts';
import { type ReportFailures, type RunRecord, MapSketch, LatencyHistogram, TimeSeries } from './ReportData.ts';
import type { TileReport } from '../run/FlowProgress.ts';

const sampleRows = 5;
const maxFiles = 100;
const maxKinds = 40;

/**
 * Gathers the data for the report while a flow runs: counts over time, latencies, failures by kind, the
 * first rows of each file. Its memory is bounded, however long the run.
 *
 * ```ts
 * const recorder = new RunRecorder(Date.now());
 * client.events$.subscribe(event => recorder.event(event));
 * runFlow(flow, { client, outDir }).subscribe(progress => recorder.progress(progress));
 * ```
 */
export class RunRecorder {
  readonly #series: TimeSeries;
  readonly #latency = new LatencyHistogram();
  readonly #failures = new Map<string, { name: string; kind: string; count: number; example: string; stages: Set<string> }>();
  readonly #samples = new Map<string, unknown[]>();
  readonly #maps = new Map<string, MapSketch>();
  #rows = 0;

  /** `startedAt` in milliseconds since 1970, as are all times here. */
  constructor(startedAt: number) {
    this.#series = new TimeSeries(startedAt);
  }

  /** Takes any client event. */
  event(event: ClientEvent): void {
    if (event.type === 'request') this.#series.add('requests', event.at);
    else if (event.type === 'response') {
      this.#series.add('responses', event.at);
      this.#latency.add(event.ms);
    } else if (event.type === 'retry') this.#series.add('retries', event.at);
    else if (event.type === 'throttle' && event.status === 429) this.#series.add('throttled', event.at);
  }

  /** Takes any progress value of the run. */
  progress(progress: FlowProgress): void {
    if (progress.type === 'start') this.#rows = sumRows(progress.stages);
    else if (progress.type === 'progress') {
      const rows = sumRows(progress.stages);
      if (rows > this.#rows) this.#series.add('rows', progress.at, rows - this.#rows);
      this.#rows = rows;
      this.#series.setRate(progress.client.rate, progress.at);
    } else if (progress.type === 'tile') this.#tile(progress.tile);
    else if (progress.type === 'sample') this.#sample(progress.file, progress.row);
    else if (progress.type === 'failure') this.#failed(progress.stage, progress.error, progress.at);
  }

  #tile(tile: TileReport): void {
    let sketch = this.#maps.get(tile.stage);
    if (sketch === undefined) this.#maps.set(tile.stage, (sketch = new MapSketch()));
    sketch.add(tile);
  }

  #sample(file: string, row: unknown): void {
    const rows = this.#samples.get(file) ?? [];
    if (rows.length >= sampleRows || (rows.length === 0 && this.#samples.size >= maxFiles)) return;
    rows.push(row);
    this.#samples.set(file, rows);
  }

  #failed(stage: string, error: { readonly name: string; readonly message: string }, at: number): void {
    this.#series.add('failures', at);
    const kind = failureKind(error.message);
    const key = `${error.name}\n${kind}`;
    const known = this.#failures.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.stages.add(stage);
    } else if (this.#failures.size < maxKinds) {
      const example = error.message.slice(0, 500);
      this.#failures.set(key, { name: error.name, kind, count: 1, example, stages: new Set([stage]) });
    }
  }

  /** The record as plain data. */
  record(): RunRecord {
    return {
      startedAt: this.#series.startedAt,
      widthMs: this.#series.widthMs,
      buckets: this.#series.buckets.map((bucket) => ({ ...bucket })),
      latency: this.#latency.summary(),
      failures: this.#kinds(),
      samples: new Map(this.#samples),
      maps: new Map(this.#maps),
    };
  }

  #kinds(): readonly ReportFailures[] {
    return [...this.#failures.values()]
      .map(({ stages, ...failure }) => ({ ...failure, stages: [...stages] }))
      .toSorted((one, other) => other.count - one.count);
  }
}

function sumRows(stages: readonly StageProgress[]): number {
  return stages.reduce((sum, stage) => sum + stage.rows, 0);
}

/** Groups failures: the message without query, ids, figures and the operation in front. Failures of one kind share it. */
export function failureKind(message: string): string {
  return message
    .replaceAll(/ ?\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\}/g, '')
    .replace(/^\w+: /, '')
    .replaceAll(/\b(?=[\w-]*\d)(?=[\w-]*[a-f-])[\w-]{12,}\b/g, '…')
    .replaceAll(/\d{4,}/g, '…')
    .slice(0, 300);
}
