import { madeIn } from '../../../operators/kit/once.ts';
import type { ClientEvent } from '../../client/events/clientEvents.ts';
import type { FlowProgress, StageProgress, TileReport, FlowSummary } from '../run/FlowProgress.ts';
import type { ReportFailures } from './failuresByKind.ts';
import type { Preview } from './previewsOf.ts';
import type { GridRanks } from './GridRanks.ts';
import type { StageSeries } from '../../files/dataPackage.ts';
import type { MapRing } from '../../../operators/split/Area.ts';
import type { RecordableHistogram } from 'node:perf_hooks';

/**
 * Gathers the data for the report while a flow runs: counts over time, latencies, searched tiles. Its memory is bounded, however
 * long the run.
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
  }

  #tile(tile: TileReport): void {
    madeIn(this.#maps, tile.stage, () => new MapSketch()).add(tile);
  }

  /** The median time of a response so far, in milliseconds. */
  get medianMs(): number {
    return this.#latency.median;
  }

  /** The record as plain data. `sent`: how many requests were sent. A stop cancels the last ones while they wait for a socket. */
  record(sent: number = Infinity): RunRecord {
    const buckets = this.#series.buckets.map((bucket) => ({ ...bucket }));
    let unsent = buckets.reduce((sum, { requests }) => sum + requests, 0) - sent;
    for (let index = buckets.length - 1; unsent > 0 && index >= 0; index -= 1) {
      const bucket = buckets[index]!;
      const taken = Math.min(unsent, bucket.requests);
      bucket.requests -= taken;
      unsent -= taken;
    }
    return {
      startedAt: this.#series.startedAt,
      widthMs: this.#series.widthMs,
      buckets,
      latency: this.#latency.summary(),
      maps: new Map(this.#maps),
    };
  }
}

function sumRows(stages: readonly StageProgress[]): number {
  return stages.reduce((sum, stage) => sum + stage.rows, 0);
}

/** Everything that `report.html` shows: the summary of a run, what was recorded while it ran, and what the folder has of all runs. */
export interface ReportData extends FlowSummary {
  /** What the run said at its end besides the next steps: an area without rows, rows from which a stage could make no query. */
  readonly remarks?: readonly string[] | undefined;
  readonly record: RunRecord;
  /** Requests of earlier runs that this one resumed. */
  readonly earlierRequests: number;
  /** The commonest failures first. */
  readonly failures: readonly ReportFailures[];
  /** The first rows of each stage that writes files, by its name. */
  readonly previews: ReadonlyMap<string, Preview>;
  /** Figures over all runs, of stages that keep the rows of all of them. */
  readonly series?: readonly StageSeries[] | undefined;
  /** The outlines of the areas that a stage covers, by its name. On a map of size 1, from the north-west. */
  readonly areas?: ReadonlyMap<string, readonly MapRing[]> | undefined;
  /** Where the wanted rows of stages with a grid rank, point by point. */
  readonly ranks?: readonly GridRanks[] | undefined;
  /** The command that ran the flow, without flags for one run only. None if code ran it. */
  readonly command?: string | undefined;
}

/** The data from a `RunRecorder`. */
export interface RunRecord {
  readonly startedAt: number;
  readonly widthMs: number;
  readonly buckets: readonly Readonly<Bucket>[];
  readonly latency: LatencySummary;
  /** The searched tiles of stages that cover areas, by stage. */
  readonly maps?: ReadonlyMap<string, MapSketch> | undefined;
}

/** The view in a query is written with few decimals. On a map of size 1. */
const nearby = 1e-9;

function isAt(one: number, other: number): boolean {
  return Math.abs(one - other) < nearby;
}

const maxTiles = 3000;
const maxDots = 6000;

/** The data for the map of a stage. It is bounded, so a large area keeps only its first tiles and rows. */
export class MapSketch {
  readonly tiles: Omit<TileReport, 'dots'>[] = [];
  readonly dots: (readonly [x: number, y: number])[] = [];

  add({ dots, ...tile }: TileReport): void {
    // a tile that turned out to be full was added before, as far as its search itself told
    const before =
      tile.end === 'full' ? this.tiles.findIndex(({ x, y, zoom }) => zoom === tile.zoom && isAt(x, tile.x) && isAt(y, tile.y)) : -1;
    if (before !== -1) this.tiles[before] = { ...this.tiles[before]!, end: 'full' };
    else if (tile.rows !== undefined && this.tiles.length < maxTiles) this.tiles.push(tile);
    this.dots.push(...dots.slice(0, maxDots - this.dots.length));
  }
}

const barsPerOctave = 2;
const octaves = 18; // up to 262 s. Longer times count as 262 s
const limitMs = 2 ** octaves;

/** Response times in bars of constant ratio, with quantiles. Memory is fixed, whatever the number of responses. */
export class LatencyHistogram {
  /** Made with the first response: many runs resume what was finished, and send nothing. */
  #times: RecordableHistogram | undefined;
  readonly #bars: number[] = Array.from({ length: octaves * barsPerOctave }, () => 0);
  #maxMs = 0;

  add(ms: number): void {
    const whole = Math.min(limitMs, Math.max(1, Math.ceil(ms)));
    this.#times ??= process.getBuiltinModule('node:perf_hooks').createHistogram({ highest: limitMs });
    this.#times.record(whole);
    const bar = Math.floor(Math.log2(Math.max(1, ms)) * barsPerOctave);
    this.#bars[Math.min(bar, this.#bars.length - 1)]! += 1;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  get median(): number {
    return this.#within(50);
  }

  summary(): LatencySummary {
    const count = this.#times?.count ?? 0;
    const edge = (bar: number): number => 2 ** (bar / barsPerOctave);
    const bars = this.#bars.map((count, bar) => ({ fromMs: edge(bar), toMs: edge(bar + 1), count }));
    const filled = bars.slice(
      bars.findIndex((bar) => bar.count > 0),
      bars.findLastIndex((bar) => bar.count > 0) + 1,
    );
    return { count, p50: this.median, p90: this.#within(90), p99: this.#within(99), maxMs: this.#maxMs, bars: filled };
  }

  #within(percent: number): number {
    return Math.min(this.#times?.percentile(percent) ?? 0, this.#maxMs);
  }
}

export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly maxMs: number;
  /** From the first to the last that isn't empty. */
  readonly bars: readonly { readonly fromMs: number; readonly toMs: number; readonly count: number }[];
}

const noCounts = { requests: 0, responses: 0, retries: 0, rows: 0 };

/** What is counted. `retries`: requests that failed, whatever the reason, and are sent again. */
type Count = keyof typeof noCounts;
const counts = Object.keys(noCounts) as readonly Count[];

/** What happened within one bucket of time. */
type Bucket = { [C in Count]: number } & {
  /** The learnt rate at the end of the bucket, if known. */
  rate: number | undefined;
};

/** Counts over time in a fixed number of buckets. When they run out, two become one, so memory doesn't grow with the run. */
export class TimeSeries {
  readonly startedAt: number;
  #widthMs = 100;
  #buckets: Bucket[] = [];
  readonly #limit: number;

  /** `limit` is even. */
  constructor(startedAt: number, limit = 160) {
    this.startedAt = startedAt;
    this.#limit = limit;
  }

  get widthMs(): number {
    return this.#widthMs;
  }

  get buckets(): readonly Readonly<Bucket>[] {
    return this.#buckets;
  }

  add(count: Count, at: number, by = 1): void {
    this.#at(at)[count] += by;
  }

  setRate(rate: number | undefined, at: number): void {
    this.#at(at).rate = rate;
  }

  #at(at: number): Bucket {
    const sinceMs = Math.max(0, at - this.startedAt);
    while (sinceMs >= this.#widthMs * this.#limit) this.#fold();
    const index = Math.floor(sinceMs / this.#widthMs);
    while (this.#buckets.length <= index) this.#buckets.push({ ...noCounts, rate: this.#buckets.at(-1)?.rate });
    return this.#buckets[index]!;
  }

  #fold(): void {
    const folded: Bucket[] = [];
    for (let index = 0; index < this.#buckets.length; index += 2) {
      const bucket = this.#buckets[index]!;
      const next = this.#buckets[index + 1];
      if (next !== undefined) {
        for (const count of counts) bucket[count] += next[count];
        bucket.rate = next.rate;
      }
      folded.push(bucket);
    }
    this.#buckets = folded;
    this.#widthMs *= 2;
  }
}
