import type { FlowSummary } from '../run/FlowProgress.ts';
import type { LatencySummary } from './LatencyHistogram.ts';
import type { Bucket } from './TimeSeries.ts';
import type { TileReport } from '../split/tileReport.ts';

/** Everything that `report.html` shows: the summary of a run, and what was recorded while it ran. */
export interface ReportData extends FlowSummary {
  readonly record: RunRecord;
  /** The command that ran the flow, without flags for one run only. None if code ran it. */
  readonly command?: string | undefined;
}

/** The data from a `RunRecorder`. */
export interface RunRecord {
  readonly startedAt: number;
  readonly widthMs: number;
  readonly buckets: readonly Readonly<Bucket>[];
  readonly latency: LatencySummary;
  readonly failures: readonly ReportFailures[];
  /** The first rows of each file, by its path. */
  readonly samples: ReadonlyMap<string, readonly unknown[]>;
  /** The searched tiles of stages that cover areas, by stage. */
  readonly maps?: ReadonlyMap<string, MapSketch> | undefined;
}

/** Failures of one kind: same class, and messages that differ only in query, ids and figures. */
export interface ReportFailures {
  readonly name: string;
  /** The common part of their messages. */
  readonly kind: string;
  readonly count: number;
  readonly example: string;
  readonly stages: readonly string[];
}

const maxTiles = 3000;
const maxDots = 6000;

/** The data for the map of a stage. It is bounded, so a large area keeps only its first tiles and rows. */
export class MapSketch {
  readonly tiles: Omit<TileReport, 'dots'>[] = [];
  readonly dots: (readonly [x: number, y: number])[] = [];

  add({ dots, ...tile }: TileReport): void {
    if (tile.rows !== undefined && this.tiles.length < maxTiles) this.tiles.push(tile);
    this.dots.push(...dots.slice(0, maxDots - this.dots.length));
  }
}
