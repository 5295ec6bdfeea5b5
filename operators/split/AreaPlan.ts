import type { Area } from './Area.ts';
import { findSight, liesElsewhere, type KnownSight } from './findSight.ts';
import { type AreaTile, boxOf, layOut, quarters } from './layOut.ts';
import { type MapBox, pixelAt } from './mercator.ts';
import { QuadTree } from './QuadTree.ts';
import { leastSight, type Looked, type Sight, type Spotted, type View } from './Reach.ts';
import { RowCap, type RowCapOptions } from './RowCap.ts';
import { SearchedViews } from './SearchedViews.ts';

/** A tile of a plan. */
export interface Tile extends AreaTile {
  /** The layout of the tree that it belongs to. */
  readonly layout: number;
  /** In a sample: how many tiles it stands for. */
  readonly stands?: number | undefined;
}

/** For a sample: which of some tiles to search, each for how many. */
export type PickTiles = (tiles: readonly Tile[]) => readonly Tile[];

export interface AreaPlanOptions extends RowCapOptions {
  /** The lowest and highest zoom to search at. */
  readonly zoom: readonly [number, number];
  /** What earlier searches learnt. */
  readonly sight?: (Sight & { readonly sure?: boolean }) | undefined;
  readonly cap?: number | undefined;
  /** Cover only this part of the area. */
  readonly box?: MapBox | undefined;
  /** Search only some of the tiles that a tile is split into. */
  readonly pick?: PickTiles | undefined;
}

/** Why a tile is left although it holds more than was found. */
export type LeftBecause = 'zoom' | 'elsewhere' | 'crowded' | 'unsteady';

/** Why an area can't be covered at all. */
export type Unfit = 'elsewhere' | 'unplaced' | 'alike';

/** What follows from a search: it showed all of its tile, narrower searches follow, or its tile is left. */
export type TileEnd = 'whole' | 'split' | LeftBecause;

/** After this many searches that lack places known to be in their tile, a smaller view is assumed. */
const lapses = 4;
/** A search lacks places if it misses so large a share of those known to be in its tile. */
const missingShare = 0.02;
/** The view is assumed so much smaller at first. From the fourth time on, it shrinks faster each time. */
const shrinkage = 0.95;
const slowShrinks = 3;
/** The limit of layouts. Each looks at the whole area again. */
const layouts = 16;
/** A row lies in the views of four searches of a zoom. Twice as many allows for views that are larger than was measured. */
const viewsOfRow = 8;
/** How far beyond its tile a search sees if its view was measured. */
const overlap = 1.25;
/** The limit of tiles that are split because their search lacks places, once the view can't shrink any more. */
const unsteadyTiles = 64;
/** The limit of measurements of the view. */
const lessons = 2;

/** Searches that measure the view: the next one, and the one that is running. */
interface Lesson {
  readonly steps: ReturnType<typeof findSight>;
  look: View | undefined;
  tile: Tile | undefined;
}

/** What a plan knows of a full search when it decides whether to split its tile. */
interface FullSearch {
  readonly tile: Tile;
  readonly rows: readonly Spotted[];
  readonly count: number;
  /** Rows that no search had before. */
  readonly news: number;
  /** It isn't full, but it lacks some of so many places known to be in its tile. 0 if it is full. */
  readonly lacking: number;
}

/**
 * Covers an area with searches: a quadtree of tiles, each as large as a search sees. A tile whose search was full has
 * four children, one zoom level deeper. It does no I/O: `next` says what to search, `done` takes the result.
 *
 * First it finds out how far a search sees (`findSight`), one search at a time. Then it lays out the tree. Earlier
 * searches are not repeated. From then on tiles are independent of each other. A search that lacks a place known to be
 * in its tile didn't see all of it, so the tile is split as if it was full. After several of these the assumed view
 * shrinks, and everything based on it is checked again.
 *
 * The number of searches is bounded, whatever they return (docs/past-the-cap.md).
 */
export class AreaPlan {
  /** Tiles that hold more than was found. */
  readonly left: { readonly tile: Tile; readonly because: LeftBecause }[] = [];
  /** Why the area can't be covered. Then nothing follows. */
  unfit: Unfit | undefined;
  readonly #area: Area;
  readonly #options: AreaPlanOptions;
  readonly #middle: number;
  #sight: NonNullable<KnownSight>;
  #lesson: Lesson | undefined;
  #lessons = 0;
  readonly #cap: RowCap;
  readonly #known = new Set<number>();
  readonly #places: QuadTree<Spotted>;
  readonly #searched: SearchedViews;
  #pending: Tile[] = [];
  #layout = 0;
  #outdated = false;
  #shrinks = 0;
  /** Searches of this layout that lack places. */
  #lapses = 0;
  /** Tiles that were split because of that while the view couldn't shrink. */
  #unsteady = 0;
  /** The rows of the full searches of this layout whose tiles were split, by zoom. */
  #spent = new Map<number, number>();

  constructor(area: Area, options: AreaPlanOptions) {
    this.#area = area;
    this.#options = options;
    this.#middle = (area.box.left + area.box.right) / 2;
    this.#places = new QuadTree(this.#middle - 0.5);
    this.#searched = new SearchedViews(this.#middle - 0.5);
    this.#cap = new RowCap(options, options.cap);
    this.#sight = { ...(options.sight ?? leastSight), sure: options.sight?.sure ?? options.sight !== undefined };
    if (options.sight === undefined) this.#learn();
    else this.#layOut();
  }

  /** How far a search sees, once it is measured. */
  get sight(): Sight | undefined {
    return this.#sight.sure ? this.#sight : undefined;
  }

  /** It measures how far a search sees. */
  get learns(): boolean {
    return this.#lesson !== undefined;
  }

  /** The most rows one search returns, as far as known. */
  get cap(): number {
    return this.#cap.cap;
  }

  /** What to search next. Undefined while a search is running means nothing yet; otherwise the plan is done. */
  next(): Tile | undefined {
    if (this.#lesson !== undefined) return this.#nextLook(this.#lesson);
    for (let tile = this.#pending.pop(); tile !== undefined; tile = this.#pending.pop()) {
      if (!this.#area.touches(boxOf(tile)) || this.#searched.covers(tile, this.#sight)) continue;
      const full = this.#rowsKnownFor(tile);
      if (full === undefined) return tile;
      this.#split(tile, this.#pays(tile, full) ? undefined : 'crowded');
    }
    return undefined;
  }

  /** A search failed: its tile is left as it is. */
  failed(tile: Tile): void {
    if (this.#lesson?.tile !== tile) return;
    // the plan starts from the result of the first search
    if (this.#searched.isEmpty) this.#lesson = undefined;
    else this.#look({ x: tile.x, y: tile.y, zoom: tile.zoom, rows: [], full: true });
  }

  /** Takes the rows of a search and their number, including rows without a position. */
  done(tile: Tile, spotted: readonly Spotted[], count: number = spotted.length): TileEnd {
    const { x, y, zoom } = tile;
    const rows = spotted.map((spot) => ({ ...spot, x: spot.x + Math.round(this.#middle - spot.x) }));
    if (this.#cap.count(count)) this.#outdated = this.#searched.markFull(count);
    const isLook = this.#lesson?.tile === tile;
    const cutOff = this.#cap.cuts(count);
    const lacking = cutOff || isLook ? 0 : this.#lacking(tile, rows);
    const news = this.#remember(rows);
    this.#searched.add({ x, y, zoom, rows: count, full: cutOff || lacking > 0 });
    if (cutOff) this.unfit ??= unfitOf(rows, count);
    if (isLook && this.unfit === undefined) {
      const isCut = (): boolean => this.#cap.cuts(count);
      // where searches are cut off may be known only later
      this.#look({ x, y, zoom, rows, get full() { return isCut(); } }); // prettier-ignore
    }
    if (this.unfit !== undefined) return this.#giveUp(tile);
    const end = cutOff || lacking > 0 ? 'split' : 'whole';
    if (isLook) return end;
    if (this.#lapses >= lapses && this.#shrink()) return end;
    if (this.#outdated && this.#layout < layouts) this.#layOut();
    else if (tile.layout === this.#layout && end === 'split') {
      const because = this.#whyLeft({ tile, rows, count, news, lacking });
      // so many full searches show the same rows: the view must be larger than assumed
      if (because === 'crowded' && !this.#sight.sure && cutOff && this.#learn({ x, y, zoom, rows, full: true })) return end;
      this.#split(tile, because);
      return because ?? end;
    }
    return end;
  }

  /** Starts to measure the view. `first`: a full search to begin with. False: that was tried often enough. */
  #learn(first?: Looked): boolean {
    if (this.#lessons >= lessons) return false;
    this.#lessons += 1;
    const steps = findSight(this.#area, this.#options.zoom, this.#options.pageSize, first);
    this.#lesson = { steps, look: undefined, tile: undefined };
    this.#step(steps.next());
    return true;
  }

  #nextLook(lesson: Lesson): Tile | undefined {
    const { look } = lesson;
    if (look === undefined) return undefined;
    const pixel = pixelAt(look.zoom);
    lesson.look = undefined;
    lesson.tile = { ...look, across: leastSight.across * pixel, down: leastSight.down * pixel, layout: this.#layout };
    return lesson.tile;
  }

  #look(looked: Looked): void {
    this.#step(this.#lesson!.steps.next(looked));
  }

  #step(step: IteratorResult<View, KnownSight>): void {
    if (step.done !== true) {
      this.#lesson!.look = step.value;
      return;
    }
    this.#lesson = undefined;
    if (step.value === undefined) this.unfit = 'elsewhere';
    else {
      this.#sight = step.value;
      this.#layOut();
    }
  }

  #giveUp(tile: Tile): TileEnd {
    this.#lesson = undefined;
    this.#pending = [];
    this.left.push({ tile, because: 'elsewhere' });
    return 'elsewhere';
  }

  /** Assumes a smaller view. False if there is none. */
  #shrink(): boolean {
    const { across, down } = this.#sight;
    if ((across <= leastSight.across && down <= leastSight.down) || this.#layout >= layouts) return false;
    this.#shrinks += 1;
    const share = shrinkage ** (2 ** Math.max(0, this.#shrinks - slowShrinks));
    this.#sight = {
      across: Math.max(leastSight.across, across * share),
      down: Math.max(leastSight.down, down * share),
      sure: this.#sight.sure,
    };
    this.#layOut();
    return true;
  }

  /** Lays out new tiles, as large as currently known: one for the whole area, or several if even the lowest zoom doesn't show it. */
  #layOut(): void {
    [this.#lapses, this.#outdated] = [0, false];
    this.#layout += 1;
    this.#spent = new Map();
    this.left.length = 0;
    const { box = this.#area.box, zoom } = this.#options;
    this.#pending = layOut(box, this.#sight, zoom).map((tile) => ({ ...tile, layout: this.#layout }));
  }

  #split(tile: Tile, because: LeftBecause | undefined): void {
    if (tile.zoom >= this.#options.zoom[1]) this.left.push({ tile, because: 'zoom' });
    else if (because !== undefined) this.left.push({ tile, because });
    else {
      const children = quarters(tile).map((child) => ({ ...child, layout: this.#layout, stands: tile.stands }));
      const { pick } = this.#options;
      this.#pending.push(...(pick === undefined ? children : pick(children.filter((child) => this.#area.touches(boxOf(child))))));
    }
  }

  /** Why splitting the tile of a full search would bring nothing. Undefined if it may. */
  #whyLeft({ tile, rows, count, news, lacking }: FullSearch): LeftBecause | undefined {
    const { across, down, sure } = this.#sight;
    const inView = { across: across * overlap, down: down * overlap };
    const cases: readonly (readonly [LeftBecause, boolean])[] = [
      ['zoom', tile.zoom >= this.#options.zoom[1]],
      ['elsewhere', lacking === 0 && liesElsewhere({ ...tile, rows })],
      ['elsewhere', lacking === 0 && sure && news === 0 && liesElsewhere({ ...tile, rows }, inView)],
      ['unsteady', lacking > 0 && !this.#mayLapse()],
    ];
    return (
      cases.find(([, holds]) => holds)?.[0] ?? (this.#pays(tile, Math.max(1, lacking === 0 ? count : lacking)) ? undefined : 'crowded')
    );
  }

  /** Whether the known rows pay for one more full search at this zoom. */
  #pays({ zoom }: Tile, rows: number): boolean {
    const spent = (this.#spent.get(zoom) ?? 0) + rows;
    if (spent > viewsOfRow * Math.max(rows, this.#known.size)) return false;
    this.#spent.set(zoom, spent);
    return true;
  }

  /** Whether one more tile may be split because its search lacks places. */
  #mayLapse(): boolean {
    const { across, down } = this.#sight;
    if (across > leastSight.across || down > leastSight.down) return true;
    this.#unsteady += 1;
    return this.#unsteady <= unsteadyTiles;
  }

  /** If a search of a tile would surely be full: the rows that say so. */
  #rowsKnownFor(tile: Tile): number | undefined {
    if (this.#searched.wasFullIn(tile, this.#sight)) return Math.max(1, Math.min(this.cap, this.#options.full));
    if (this.cap === Infinity || tile.zoom >= this.#options.zoom[1]) return undefined;
    let rows = 0;
    for (const _ of this.#places.within(tile)) if (++rows >= this.cap) return rows;
    return undefined;
  }

  /** The number of places known in a tile if its search should have returned them, and lacks some. */
  #lacking(tile: Tile, rows: readonly Spotted[]): number {
    const ids = new Set(rows.map(({ id }) => id));
    let [inside, missing] = [0, 0];
    for (const { id } of this.#places.within(tile)) {
      inside += 1;
      if (!ids.has(id)) missing += 1;
    }
    if (missing <= inside * missingShare) return 0;
    this.#lapses += 1;
    return inside;
  }

  /** How many of the rows no search had before. */
  #remember(rows: readonly Spotted[]): number {
    const news = rows.filter(({ id }) => !this.#known.has(id));
    for (const row of news) {
      if (this.#known.has(row.id)) continue;
      this.#known.add(row.id);
      this.#places.add(row);
    }
    return news.length;
  }
}

/** Why the rows of a full search can't guide a plan. */
function unfitOf(rows: readonly Spotted[], count: number): Unfit | undefined {
  if (rows.length < count / 2) return 'unplaced';
  return new Set(rows.map(({ id }) => id)).size < rows.length / 2 ? 'alike' : undefined;
}
