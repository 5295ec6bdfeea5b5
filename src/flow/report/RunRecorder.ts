import { madeIn } from '../../../operators/kit/once.ts';
import type { ClientEvent } from '../../client/events/clientEvents.ts';
import type { FlowProgress, TileReport, FlowSummary } from '../run/FlowProgress.ts';
import type { ReportFailures } from './failuresByKind.ts';
import type { Preview } from './previewsOf.ts';
import type { RowMap } from './readRowMaps.ts';
import type { MapRing } from '../../../operators/split/Area.ts';

/**
 * Gathers the data for the report while a flow runs: how long responses take, and searched tiles. Its memory is bounded, however
 * long the run.
 *
 * ```ts
 * const recorder = new RunRecorder();
 * client.events$.subscribe(event => recorder.event(event));
 * runFlow(flow, { client, outDir }).subscribe(progress => recorder.progress(progress));
 * ```
 */
export class RunRecorder {
  readonly maps: Map<string, MapSketch> = new Map();
  #responses = 0;
  #sumMs = 0;

  /** Takes any client event. */
  event(event: ClientEvent): void {
    if (event.type !== 'response') return;
    this.#responses += 1;
    this.#sumMs += event.ms;
  }

  /** Takes any progress value of the run. */
  progress(progress: FlowProgress): void {
    if (progress.type === 'tile') madeIn(this.maps, progress.tile.stage, () => new MapSketch()).add(progress.tile);
  }

  /** The mean time of a response so far, in milliseconds. */
  get meanMs(): number {
    return this.#responses === 0 ? 0 : Math.round(this.#sumMs / this.#responses);
  }
}

/** Everything that `report.html` shows: the summary of a run, what was recorded while it ran, and what the folder has of all runs. */
export interface ReportData extends FlowSummary {
  /** What the run said at its end besides the next steps: an area without rows, rows from which a stage could make no query. */
  readonly remarks?: readonly string[] | undefined;
  /** The searched tiles of stages that cover areas, by stage. */
  readonly maps?: ReadonlyMap<string, MapSketch> | undefined;
  /** Requests of earlier runs that this one resumed. */
  readonly earlierRequests: number;
  /** The commonest failures first. */
  readonly failures: readonly ReportFailures[];
  /** The first rows of each stage that writes files, by its name. */
  readonly previews: ReadonlyMap<string, Preview>;
  /** The outlines of the areas that a stage covers, by its name. On a map of size 1, from the north-west. */
  readonly areas?: ReadonlyMap<string, readonly MapRing[]> | undefined;
  /** The rows of stages with a grid, point by point. */
  readonly rowMaps?: readonly RowMap[] | undefined;
  /** The command that ran the flow, without flags for one run only. None if code ran it. */
  readonly command?: string | undefined;
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
