import { getOrInsert } from '../../../operators/kit/once.ts';
import type { ClientEvent } from '../../client/events/clientEvents.ts';
import { OperationCounts } from '../../client/events/OperationCounts.ts';
import { type FailedAttempts, failedSince } from '../../errors/FailedAttempts.ts';
import type { FlowProgress, TileReport, FlowSummary, StageProgress } from '../run/FlowProgress.ts';
import { expectPages, sharesOf, timeLeft, type Shares, type StagePages, type TimeLeft } from './expectPages.ts';
import { FailureKinds, type ReportFailures } from './failuresByKind.ts';
import type { Preview } from './previewsOf.ts';
import type { Headline } from './readHeadlines.ts';
import type { MapRing } from '../../../operators/split/Area.ts';

/**
 * Collects the events of a run. The terminal, the page, the report and metrics show views of it. Its memory is bounded, even for a long
 * run.
 *
 * ```ts
 * const recorder = new RunRecorder();
 * client.events$.subscribe(event => recorder.event(event));
 * runFlow(flow, { client, outDir }).subscribe(progress => recorder.progress(progress));
 * ```
 */
export class RunRecorder {
  readonly maps: Map<string, MapSketch> = new Map();
  readonly operations: OperationCounts = new OperationCounts();
  readonly #maxRequests: number | undefined;
  #pace = new RecentPace();
  readonly #furthest = new Map<string, number>();
  #failures = new FailureKinds();
  #start: Extract<FlowProgress, { type: 'start' }> | undefined;
  #latest: Extract<FlowProgress, { type: 'progress' }> | undefined;
  #summary: FlowSummary | undefined;
  #stopping = false;

  constructor(maxRequests?: number) {
    this.#maxRequests = maxRequests;
  }

  event(event: ClientEvent): void {
    this.operations.take(event);
  }

  /** Takes any progress value of the run. Returns whether it is the first failure of its kind in a stage. */
  progress(progress: FlowProgress): boolean {
    if (progress.type === 'start') {
      this.#start = progress;
      this.#latest = this.#summary = undefined;
      this.#failures = new FailureKinds();
      this.#furthest.clear();
      this.#pace = new RecentPace();
    } else if (progress.type === 'progress') {
      this.#latest = progress;
      this.#pace.take(progress.at, progress.client.requests);
    } else if (progress.type === 'tile') getOrInsert(this.maps, progress.tile.stage, () => new MapSketch()).add(progress.tile);
    else if (progress.type === 'summary') this.#summary = progress;
    return progress.type === 'failure' && this.#failures.add(progress.stage, progress.error);
  }

  stop(): void {
    this.#stopping = true;
  }

  /** The mean time of a response so far, in milliseconds. */
  get meanMs(): number {
    const all = [...this.operations.byName.values()];
    const responses = all.reduce((sum, one) => sum + one.responses, 0);
    return responses === 0 ? 0 : Math.round(all.reduce((sum, { ms }) => sum + ms, 0) / responses);
  }

  get stages(): readonly StageProgress[] {
    return (this.#summary ?? this.#latest ?? this.#start)?.stages ?? [];
  }

  get summary(): FlowSummary | undefined {
    return this.#summary;
  }

  /** The run at a moment. undefined before it has started. */
  view(now: number): RunView | undefined {
    const start = this.#start;
    if (start === undefined) return undefined;
    const client = this.#latest?.client ?? start.client;
    const { stages } = this;
    const elapsedMs = Math.max(0, (this.#summary?.endedAt ?? now) - start.at);
    const pages = expectPages(stages);
    const before = start.stages.reduce((sum, stage) => sum + stage.pages, 0);
    const isOver = (stage: StageProgress): boolean => stage.outcome !== 'interrupted';
    return {
      name: start.name,
      resumed: start.resumed,
      startedAt: start.at,
      elapsedMs,
      before,
      left: timeLeft(pages, before, elapsedMs),
      stages,
      bars: stages.map((stage, index) => this.#shares(stage.name, [pages[index]!], isOver(stage))),
      total: this.#shares('', pages, stages.every(isOver)),
      failures: this.#failures.list,
      requests: this.#summary?.requests ?? client.requests - start.client.requests,
      maxRequests: this.#maxRequests,
      requestsPerSecond: this.#pace.perSecond,
      failedAttempts: this.#summary?.failedAttempts ?? failedSince(client.failedAttempts, start.client.failedAttempts),
      rate: client.rate,
      pausedMs: client.pausedMs,
      stopping: this.#stopping,
      ended: this.#summary !== undefined,
    };
  }

  /**
   * When more queries are found, the finished share shrinks. The bar then stands still, because a bar that moves backwards
   * confuses.
   */
  #shares(name: string, pages: readonly StagePages[], ended: boolean): Shares {
    const shares = sharesOf(pages, ended);
    if (ended) return shares;
    const done = Math.max(this.#furthest.get(name) ?? 0, shares.done);
    this.#furthest.set(name, done);
    return { done, found: Math.min(1 - done, shares.found) };
  }
}

/** What the client of a run does at this moment. */
interface RequestView {
  /** Sent by this run, retries included. */
  readonly requests: number;
  readonly maxRequests: number | undefined;
  /** Over the last few seconds. */
  readonly requestsPerSecond: number;
  /** Attempts that failed, retried or not, by reason: the most frequent first. */
  readonly failedAttempts: readonly FailedAttempts[];
  /** The client's rate limit. undefined if none is known. */
  readonly rate: number | undefined;
  readonly pausedMs: number;
}

/** The visible state of a run at one moment. */
export interface RunView extends RequestView {
  readonly name: string;
  /** The run continues an earlier one. */
  readonly resumed: boolean;
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** Pages of earlier runs that it resumes. */
  readonly before: number;
  /** The estimated time left, if there is one. */
  readonly left: TimeLeft | undefined;
  readonly stages: readonly StageProgress[];
  /** How far each stage is, in the order of `stages`. What is done never decreases. */
  readonly bars: readonly Shares[];
  readonly total: Shares;
  /** Each kind of failure once, the most frequent first. */
  readonly failures: readonly ReportFailures[];
  /** The run was told to stop and is finishing its writes. */
  readonly stopping: boolean;
  /** The run has ended, with or without success. */
  readonly ended: boolean;
}

/** Everything that `report.html` shows: the summary of a run, what was recorded while it ran, and what the folder has of all runs. */
export interface ReportData extends FlowSummary {
  /** What the run said at its end besides the next steps: an area without rows, rows from which a stage could make no query. */
  readonly remarks?: readonly string[] | undefined;
  /** The searched tiles of stages that cover areas, by stage. */
  readonly maps?: ReadonlyMap<string, MapSketch> | undefined;
  /** The commonest failures first. */
  readonly failures: readonly ReportFailures[];
  /** The first rows of each stage that writes files, by its name. */
  readonly previews: ReadonlyMap<string, Preview>;
  /** The outlines of the areas that a stage covers, by its name. On a map of size 1, from the north-west. */
  readonly areas?: ReadonlyMap<string, readonly MapRing[]> | undefined;
  /** What the flow's headlines say. */
  readonly headlines?: readonly Headline[] | undefined;
  /** The command that ran the flow, without flags for one run only. None if code ran it. */
  readonly command?: string | undefined;
}

/** Positions this close are the same, because a query has its view with few decimals. On a map of size 1. */
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
    // a tile that later turned out to hold more was added before
    const before =
      tile.end === 'full' ? this.tiles.findIndex(({ x, y, zoom }) => zoom === tile.zoom && isAt(x, tile.x) && isAt(y, tile.y)) : -1;
    if (before !== -1) this.tiles[before] = { ...this.tiles[before]!, end: 'full' };
    else if (tile.rows !== undefined && this.tiles.length < maxTiles) this.tiles.push(tile);
    this.dots.push(...dots.slice(0, maxDots - this.dots.length));
  }
}

const windowMs = 5000;

/** How fast requests are sent, over the last few seconds. */
class RecentPace {
  readonly #recent: { readonly at: number; readonly requests: number }[] = [];

  /** Takes how many requests were sent until a moment. */
  take(at: number, requests: number): void {
    this.#recent.push({ at, requests });
    while (this.#recent.length > 2 && this.#recent[1]!.at < at - windowMs) this.#recent.shift();
  }

  get perSecond(): number {
    const [first, last] = [this.#recent[0], this.#recent.at(-1)];
    return first === undefined || last === undefined || last.at <= first.at
      ? 0
      : ((last.requests - first.requests) * 1000) / (last.at - first.at);
  }
}
