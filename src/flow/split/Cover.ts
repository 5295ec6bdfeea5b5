import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { AreaPlan, type AreaPlanOptions, type TileEnd } from '../../../operators/split/AreaPlan.ts';
import { boxOf, type PickTiles, type Tile } from '../../../operators/split/layOut.ts';
import { pixelAt } from '../../../operators/split/Area.ts';
import type { Sight, Spotted } from '../../../operators/split/Reach.ts';
import { readView, writeView } from '../../../operators/split/AreaSpec.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { FoundQuery } from '../core/Query.ts';
import type { AreaSplit } from './StageSplit.ts';

/** A tile that is searched, with its rows so far. */
export interface TileQuery {
  readonly cover: Cover;
  readonly query: FoundQuery;
  /** undefined: there is nothing to split. */
  readonly tile: Tile | undefined;
  spots: Spotted[];
  rows: number;
  failed: boolean;
}

/** An area that a stage covers: its plan, in queries. */
export class Cover {
  readonly plan: AreaPlan;
  readonly #split: AreaSplit;
  /** The query without its view. */
  readonly #root: FoundQuery;
  #searching = 0;
  #isFirst: boolean;

  private constructor(stage: FlowStage, root: FoundQuery, options: Pick<AreaPlanOptions, 'sight' | 'cap' | 'box' | 'pick'>) {
    this.#split = stage.split as AreaSplit;
    this.#root = root;
    this.#isFirst = options.sight === undefined;
    const { areaOf, zoom, full, pageSize } = this.#split;
    this.plan = new AreaPlan(areaOf(root.tile?.area), { zoom, full, pageSize, ...options });
  }

  /** Covers the area of a seed. `sight`: the view of a search, if it is known. */
  static of(stage: FlowStage, root: FoundQuery, sight: Sight | undefined, pick: PickTiles | undefined): Cover {
    return new Cover(stage, root, { sight, pick });
  }

  /** A tile that is searched again in another run: it is covered by itself, and the first one with its whole area. */
  static again(stage: FlowStage, query: FoundQuery): TileQuery {
    const { spec } = stage.split as AreaSplit;
    const { [spec.param]: at, ...params } = query.params;
    const { across, down, cap, first, learns, sure = false } = query.tile!;
    const view = readView(spec, textOfValue(at));
    const pixel = pixelAt(view?.zoom ?? 0);
    const own =
      first === true || view === undefined || across === undefined || down === undefined
        ? {}
        : { sight: { across, down, sure }, cap, box: boxOf({ ...view, across: across * pixel, down: down * pixel }) };
    const cover = new Cover(stage, { ...query, params }, own);
    const isTile = first === true || learns !== true;
    return { ...((isTile ? cover.#next() : undefined) ?? { cover, tile: undefined }), query, spots: [], rows: 0, failed: false };
  }

  /** The next tiles, as many as are searched at once. */
  draw(): TileQuery[] {
    const tiles: TileQuery[] = [];
    while (this.#searching < (this.#root.tile?.atOnce ?? 1)) {
      const tile = this.#next();
      if (tile === undefined) break;
      tiles.push(tile);
    }
    return tiles;
  }

  /** A tile was searched, or its search failed. */
  end({ tile, spots, rows }: TileQuery, how: 'done' | 'failed'): TileEnd | undefined {
    if (tile === undefined) return 'split';
    this.#searching -= 1;
    if (how === 'done') return this.plan.done(tile, spots, rows);
    this.plan.failed(tile);
    return undefined;
  }

  /** The view of a tile, as in its query. */
  viewOf(tile: Tile): string {
    return writeView(this.#split.spec, tile);
  }

  #next(): TileQuery | undefined {
    const tile = this.plan.next();
    if (tile === undefined) return undefined;
    this.#searching += 1;
    const pixel = pixelAt(tile.zoom);
    const { cap } = this.plan;
    const state = {
      ...this.#root.tile,
      first: this.#isFirst ? (true as const) : undefined,
      learns: this.plan.learns ? (true as const) : undefined,
      sure: this.plan.sight === undefined ? undefined : (true as const),
      across: tile.across / pixel,
      down: tile.down / pixel,
      cap: cap === Infinity ? undefined : cap,
      stands: tile.stands,
    };
    this.#isFirst = false;
    const params = { ...this.#root.params, [this.#split.spec.param]: this.viewOf(tile) };
    return { cover: this, query: { ...this.#root, params, tile: state }, tile, spots: [], rows: 0, failed: false };
  }
}
