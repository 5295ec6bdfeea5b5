import { type MapRing, pixelAt } from '../../../operators/split/Area.ts';
import {
  AreaCover,
  type AreaCoverOptions,
  coverFaults,
  boxOf,
  type Tile,
  type LeftBecause,
  type Unfit,
} from '../../../operators/split/AreaCover.ts';
import { statedSight, writeView, readView } from '../../../operators/split/AreaSpec.ts';
import type { Sight, Spotted } from '../../../operators/split/learnSight.ts';
import { PaginationError } from '../../errors/index.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { queryKey, type BegunQuery, type FoundQuery } from '../core/Query.ts';
import { type AreaSplit, isTile } from './StageSplit.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import type { AreaSpec } from '../../../operators/split/Splits.ts';

/** An area that a stage covers. */
interface StageArea {
  readonly cover: AreaCover;
  /** Its query, without a view. */
  readonly root: FoundQuery;
}

/** A tile that is searched, with its rows so far. */
interface SearchedTile {
  readonly area: StageArea;
  /** undefined: it isn't divided further. */
  readonly tile: Tile | undefined;
  spots: Spotted[];
  rows: number;
  failed: boolean;
}

/** A page of a tile. */
export interface TilePage {
  /** Where its rows lie, and how many there are, including those without a position. */
  readonly spots: readonly Spotted[];
  readonly rows: number;
  /** How the walk ended. undefined while it goes on. */
  readonly ended?: 'done' | 'failed' | undefined;
}

/** A tile that turned out to hold more than was found, and why. */
export interface LeftTile {
  readonly at: string;
  readonly because: LeftBecause;
  readonly tile: Tile;
  /** The number of the query whose page has shown it. */
  readonly by: number;
}

/** The areas of one stage. They are covered one after the other until it is known how far a search sees, and then all at once. */
interface StageAreas {
  sight: Sight | undefined;
  /** The area whose searches tell that. */
  learner: AreaCover | undefined;
  readonly waiting: FoundQuery[];
  /** Tiles to request now, by number. */
  readonly due: Map<number, FoundQuery>;
  readonly left: LeftTile[];
  /** The outlines of the first areas, for the map of the report. */
  readonly rings: MapRing[];
}

const maxRings = 300;

/**
 * The areas that stages are covering. It changes by `start`, `takePage`, `postponed` and `requested` only, so that repeating them in the
 * same order gives the same tiles.
 */
export class StageCovers {
  private readonly stages = new Map<string, StageAreas>();
  private readonly tiles = new Map<string, SearchedTile>();
  private next = 0;

  /** Areas wait until it is known how far a search sees. */
  get waits(): boolean {
    return Array.from(this.stages.values()).some(({ waiting }) => waiting.length > 0);
  }

  /** The outlines of the areas of each stage. */
  get rings(): ReadonlyMap<string, readonly MapRing[]> {
    return new Map(Array.from(this.stages, ([name, { rings }]) => [name, rings]));
  }

  /** Tiles to be requested now. */
  get due(): readonly FoundQuery[] {
    return Array.from(this.stages.values()).flatMap(({ due }) => [...due.values()]);
  }

  /** The tiles that turned out to hold more than was found, with a query of a stage. */
  leftBy({ stage, number }: BegunQuery): readonly LeftTile[] {
    return this.stages.get(stage)?.left.filter(({ by }) => by === number) ?? [];
  }

  /** Whether the search of a tile was cut off, if it ends with `more` rows in addition to those so far. */
  isCut(stage: FlowStage, query: BegunQuery, more: number): boolean {
    const { area, tile, rows } = this.searchedBy(stage, query);
    return tile === undefined || area.cover.cuts((query.walk.pages === 0 ? 0 : rows) + more);
  }

  /** A tile that was due is requested. */
  requested({ name }: FlowStage, number: number): void {
    this.stages.get(name)?.due.delete(number);
  }

  /** Starts to cover the area of a seed. Its first tiles are due, unless it has to wait. */
  start(stage: FlowStage, root: FoundQuery): void {
    const areas = this.areasOf(stage);
    areas.waiting.push(root);
    areas.rings.push(...(stage.split as AreaSplit).areaOf(root.tile?.area).rings.slice(0, maxRings - areas.rings.length));
    this.coverWaiting(stage, areas);
  }

  /** Takes a page of a tile. Returns why the area can't be covered, if that has turned out. */
  takePage(stage: FlowStage, query: BegunQuery, page: TilePage): Unfit | undefined {
    const key = keyOf(stage, query);
    const searched = this.searchedBy(stage, query);
    this.tiles.set(key, searched);
    if (query.walk.pages === 0) [searched.spots, searched.rows] = [[], 0];
    searched.spots.push(...page.spots);
    searched.rows += page.rows;
    const areas = this.areasOf(stage);
    if (page.ended === undefined) return undefined;
    // a failed walk may continue in another run
    if (page.ended === 'failed') searched.failed = true;
    else this.tiles.delete(key);
    const { area, tile, spots, rows, failed } = searched;
    const { cover } = area;
    const before = cover.left.length;
    if (tile !== undefined) {
      cover.done(tile, failed ? null : { rows: spots, count: rows });
      this.makeDue(stage, area);
    }
    this.coverWaiting(stage, areas);
    const { spec } = stage.split as AreaSplit;
    areas.left.push(...cover.left.slice(before).map((one) => ({ ...one, at: writeView(spec, one.tile), by: query.number })));
    return cover.unfit;
  }

  /** The search of a query so far. One that failed in another run begins anew. */
  private searchedBy(stage: FlowStage, query: BegunQuery): SearchedTile {
    const searched = this.tiles.get(keyOf(stage, query));
    if (searched?.failed === false) return searched;
    return { ...searchedAnew(stage, query), spots: searched?.spots ?? [], rows: searched?.rows ?? 0, failed: false };
  }

  /** A search was postponed. If other areas wait to learn how far it sees, the next of them is searched for that instead. */
  postponed(stage: FlowStage, query: BegunQuery): void {
    const areas = this.areasOf(stage);
    if (areas.learner === undefined || this.tiles.get(keyOf(stage, query))?.area.cover !== areas.learner) return;
    areas.learner = undefined;
    this.coverWaiting(stage, areas);
  }

  /** Begins to cover the waiting areas that may begin now. */
  private coverWaiting(stage: FlowStage, areas: StageAreas): void {
    while (areas.learner?.role === undefined) {
      areas.sight ??= areas.learner?.sight;
      const root = areas.waiting.shift();
      if (root === undefined) return;
      const cover = coverOf(stage, root, { sight: areas.sight });
      areas.learner = cover;
      this.makeDue(stage, { cover, root });
    }
  }

  /** Makes the tiles due that may be searched now. */
  private makeDue(stage: FlowStage, area: StageArea): void {
    const { cover, root } = area;
    const { spec } = stage.split as AreaSplit;
    const { due } = this.areasOf(stage);
    for (let tile = cover.next(); tile !== undefined; tile = cover.next()) {
      const pixel = pixelAt(tile.zoom);
      const state = {
        number: this.next++,
        area: root.tile?.area,
        role: cover.role,
        across: tile.across / pixel,
        down: tile.down / pixel,
        cap: cover.cap === Infinity ? undefined : cover.cap,
      };
      const query: FoundQuery = { ...root, params: { ...root.params, [spec.param]: writeView(spec, tile) }, tile: state };
      this.tiles.set(keyOf(stage, query), { area, tile, spots: [], rows: 0, failed: false });
      due.set(state.number, query);
    }
  }

  private areasOf(stage: FlowStage): StageAreas {
    const known = this.stages.get(stage.name);
    if (known !== undefined) return known;
    const sight = statedSight((stage.split as AreaSplit).spec);
    const areas: StageAreas = { sight, learner: undefined, waiting: [], due: new Map(), left: [], rings: [] };
    this.stages.set(stage.name, areas);
    return areas;
  }
}

function coverOf(stage: FlowStage, root: FoundQuery, options: Pick<AreaCoverOptions, 'sight' | 'cap' | 'box'>): AreaCover {
  const { areaOf, zoom, full, pageSize } = stage.split as AreaSplit;
  return new AreaCover(areaOf(root.tile?.area), { zoom, full, pageSize, ...options });
}

/** Why an area can't be covered. */
export function unfitError({ operation, split }: FlowStage, { walk: { query } }: BegunQuery, unfit: Unfit): PaginationError {
  const message = `${operation.name}: ${coverFaults[unfit]((split as AreaSplit).spec, operation.spec.id)}`;
  return new PaginationError(message, { operation: operation.name, query });
}

/**
 * A tile that is searched again in another run. It is covered as an area of its own. The first search of an area covers the whole area. A
 * search of a lesson isn't divided: the area was covered without it.
 */
function searchedAnew(stage: FlowStage, query: BegunQuery): Pick<SearchedTile, 'area' | 'tile'> {
  const { spec } = stage.split as AreaSplit;
  const { [spec.param]: _, ...params } = query.params;
  const root = { ...query, params };
  const box = tileOf(spec, query);
  const own = isTile(query.tile) && query.tile.role !== 'first' ? query.tile : undefined;
  const options = own && box ? { sight: { across: own.across, down: own.down }, cap: own.cap, box: boxOf(box) } : {};
  const cover = coverOf(stage, root, options);
  return { area: { cover, root }, tile: own?.role === 'lesson' ? undefined : cover.next() };
}

/** Identifies a tile. The number isn't enough, as tiles of earlier runs may have the same; nor is the view, as two areas may share it. */
function keyOf(stage: FlowStage, { params, tile }: Pick<FoundQuery, 'params' | 'tile'>): string {
  return `${isTile(tile) ? tile.number : ''} ${tile?.area ?? ''} ${queryKey(stage, params)}`;
}

/** The rectangle of the map that a query of a stage covers. undefined before it has a size. */
export function tileOf(spec: AreaSpec, { tile, params }: Pick<FoundQuery, 'tile' | 'params'>): Tile | undefined {
  if (!isTile(tile)) return undefined;
  const view = readView(spec, textOfValue(params[spec.param]));
  if (view === undefined) return undefined;
  const pixel = pixelAt(view.zoom);
  return { ...view, across: tile.across * pixel, down: tile.down * pixel };
}
