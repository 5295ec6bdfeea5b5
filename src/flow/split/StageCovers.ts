import type { TileEnd } from '../../../operators/split/AreaPlan.ts';
import type { LeftBecause, Unfit } from '../../../operators/split/coverFault.ts';
import type { PickTiles } from '../../../operators/split/layOut.ts';
import type { Sight, Spotted } from '../../../operators/split/Reach.ts';
import type { MapRing } from '../../../operators/split/Area.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { queryKey, type BegunQuery, type FoundQuery } from '../core/Query.ts';
import { Cover, type TileQuery } from './Cover.ts';

/** A page of a tile. */
export interface TilePage {
  /** Where its rows lie, and how many there are, including those without a position. */
  readonly spots: readonly Spotted[];
  readonly rows: number;
  /** How the walk ended. undefined while it goes on. */
  readonly over?: 'done' | 'failed' | undefined;
}

/** What follows from a page of a tile. */
export interface CoverStep {
  /** How its tile ended. undefined while its walk goes on. */
  readonly end?: TileEnd | undefined;
  /** Tiles that hold more than was found, and why. */
  readonly left: readonly { readonly at: string; readonly because: LeftBecause }[];
  /** How many more of them there are than before. Fewer after the area was divided again. */
  readonly more: number;
  /** Why the area can't be covered. */
  readonly unfit?: Unfit | undefined;
}

/** The areas of one stage, one after the other until the view of a search is known, and then all at once. */
interface StageAreas {
  sight: Sight | undefined;
  learner: Cover | undefined;
  readonly waiting: FoundQuery[];
  /** Tiles whose turn has come. */
  due: FoundQuery[];
  /** What followed from the last page. */
  outcome: CoverStep | undefined;
  /** The outlines of the first areas, for the map of the report. */
  readonly rings: MapRing[];
}

const maxRings = 300;

/**
 * The areas that stages are covering. It changes by `start`, `take`, `pass` and `opened` only, so that repeating them in the same order
 * gives the same tiles.
 */
export class StageCovers {
  readonly #pick: PickTiles | undefined;
  readonly #stages = new Map<string, StageAreas>();
  readonly #tiles = new Map<string, TileQuery>();
  #next = 0;

  /** `pick`: for a sample, which of the tiles to search. */
  constructor(pick?: PickTiles) {
    this.#pick = pick;
  }

  /** Areas wait until the view of a search is known. */
  get waits(): boolean {
    return Array.from(this.#stages.values()).some(({ waiting }) => waiting.length > 0);
  }

  /** The outlines of the areas of each stage. */
  get rings(): ReadonlyMap<string, readonly MapRing[]> {
    return new Map(Array.from(this.#stages, ([name, { rings }]) => [name, rings]));
  }

  /** Tiles of a stage to be requested now. */
  due({ name }: FlowStage): readonly FoundQuery[] {
    return this.#stages.get(name)?.due ?? [];
  }

  /** What followed from the last page of a tile of a stage. */
  outcome({ name }: FlowStage): CoverStep | undefined {
    return this.#stages.get(name)?.outcome;
  }

  /** A tile that was due is requested. */
  opened({ name }: FlowStage, number: number): void {
    const areas = this.#stages.get(name);
    if (areas !== undefined) areas.due = areas.due.filter(({ tile }) => tile?.number !== number);
  }

  /** Starts to cover the area of a seed. Its first tiles are due, unless it has to wait. */
  start(stage: FlowStage, root: FoundQuery): void {
    const areas = this.#areasOf(stage);
    areas.waiting.push(root);
    if (stage.split?.kind === 'area')
      areas.rings.push(...stage.split.areaOf(root.tile?.area).rings.slice(0, maxRings - areas.rings.length));
    this.#open(stage, areas);
  }

  /** Takes a page of a tile. */
  take(stage: FlowStage, query: BegunQuery, page: TilePage): CoverStep {
    const key = keyOf(stage, query);
    let tile = this.#tiles.get(key);
    if (tile === undefined || tile.failed) this.#tiles.set(key, (tile = { ...Cover.again(stage, query), ...rowsOf(tile) }));
    if (query.walk.pages === 0) [tile.spots, tile.rows] = [[], 0];
    tile.spots.push(...page.spots);
    tile.rows += page.rows;
    const areas = this.#areasOf(stage);
    if (page.over === undefined) return (areas.outcome = { left: [], more: 0 });
    // a failed walk may continue in another run
    if (page.over === 'failed') tile.failed = true;
    else this.#tiles.delete(key);
    const { cover } = tile;
    const before = cover.plan.left.length;
    const end = cover.end(tile, page.over);
    this.#draw(stage, cover);
    this.#open(stage, areas);
    const { left, unfit } = cover.plan;
    areas.outcome = {
      end,
      left: left.slice(before).map(({ tile: one, because }) => ({ at: cover.viewOf(one), because })),
      more: left.length - before,
      unfit,
    };
    return areas.outcome;
  }

  /** Whether the areas of a stage learn the view of a search from this query. */
  learnsFrom(stage: FlowStage, query: BegunQuery): boolean {
    const learner = this.#stages.get(stage.name)?.learner;
    return learner !== undefined && this.#tiles.get(keyOf(stage, query))?.cover === learner;
  }

  /** A search comes later. If the view was to be learnt from it, the next area teaches it instead. */
  pass(stage: FlowStage, query: BegunQuery): void {
    if (!this.learnsFrom(stage, query)) return;
    const areas = this.#areasOf(stage);
    areas.learner = undefined;
    this.#open(stage, areas);
  }

  /** Opens the areas that wait, if their turn has come. */
  #open(stage: FlowStage, areas: StageAreas): void {
    for (;;) {
      if (areas.learner !== undefined && !areas.learner.plan.learns) {
        areas.sight ??= areas.learner.plan.sight;
        areas.learner = undefined;
      }
      if (areas.learner !== undefined) return;
      const root = areas.waiting.shift();
      if (root === undefined) return;
      const cover = Cover.of(stage, root, areas.sight, this.#pick);
      if (cover.plan.learns) areas.learner = cover;
      this.#draw(stage, cover);
    }
  }

  #draw(stage: FlowStage, cover: Cover): void {
    const { due } = this.#areasOf(stage);
    for (const tile of cover.draw()) {
      const query = { ...tile.query, tile: { ...tile.query.tile, number: this.#next++ } };
      this.#tiles.set(keyOf(stage, query), tile);
      due.push(query);
    }
  }

  #areasOf({ name }: FlowStage): StageAreas {
    let areas = this.#stages.get(name);
    if (areas === undefined)
      this.#stages.set(name, (areas = { sight: undefined, learner: undefined, waiting: [], due: [], outcome: undefined, rings: [] }));
    return areas;
  }
}

function rowsOf({ spots, rows }: Pick<TileQuery, 'spots' | 'rows'> = { spots: [], rows: 0 }): Pick<TileQuery, 'spots' | 'rows'> {
  return { spots, rows };
}

/** Tiles of earlier runs may have the same number, and two areas the same view. */
function keyOf(stage: FlowStage, { params, tile }: Pick<FoundQuery, 'params' | 'tile'>): string {
  return `${tile?.number} ${tile?.area ?? ''} ${queryKey(stage, params)}`;
}
