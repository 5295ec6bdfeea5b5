import type { Area, MapBox } from './Area.ts';
import { unfitOf, type LeftBecause, type Unfit } from './coverFault.ts';
import { AreaSight, type LessonIs } from './AreaSight.ts';
import { boxOf, layOut, quarters, type PickTiles, type Tile } from './layOut.ts';
import { KnownPlaces, SearchedViews } from './KnownPlaces.ts';
import type { SearchResult, Sight, Spotted } from './Reach.ts';
import { RowCap, type RowCapOptions } from './RowCap.ts';
import { SplitBudget, whyLeft } from './whyLeft.ts';

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

/** What follows from a search: it showed all of its tile, narrower searches follow, or its tile is left. */
export type TileEnd = 'whole' | 'split' | LeftBecause;

/** After this many searches that lack places known to be in their tile, a smaller view is assumed. */
const lapses = 4;
/** The limit of layouts. Each looks at the whole area again. */
const layouts = 16;
/** The limit of tiles that are split because their search lacks places, once the view can't shrink any more. */
const unsteadyTiles = 64;

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
  readonly #sight: AreaSight;
  readonly #cap: RowCap;
  readonly #known: KnownPlaces;
  readonly #searched: SearchedViews;
  #pending: Tile[] = [];
  #layout = 0;
  #outdated = false;
  /** Searches of this layout that lack places. */
  #lapses = 0;
  /** Tiles that were split because of that while the view couldn't shrink. */
  #unsteady = 0;
  #budget = new SplitBudget();

  constructor(area: Area, options: AreaPlanOptions) {
    this.#area = area;
    this.#options = options;
    this.#middle = (area.box.left + area.box.right) / 2;
    this.#known = new KnownPlaces(this.#middle - 0.5);
    this.#searched = new SearchedViews(this.#middle - 0.5);
    this.#cap = new RowCap(options, options.cap);
    this.#sight = new AreaSight(area, options.zoom, options.pageSize, options.sight);
    if (options.sight === undefined) this.#learn();
    else this.#layOut();
  }

  /** How far a search sees, once it is measured. */
  get sight(): Sight | undefined {
    return this.#sight.isSure ? this.#sight.assumed : undefined;
  }

  /** It measures how far a search sees. */
  get learns(): boolean {
    return this.#sight.learns;
  }

  /** The most rows one search returns, as far as known. */
  get cap(): number {
    return this.#cap.cap;
  }

  /** What to search next. Undefined while a search is running means nothing yet; otherwise the plan is done. */
  next(): Tile | undefined {
    if (this.unfit !== undefined) return undefined;
    if (this.learns) return this.#sight.next(this.#layout);
    for (let tile = this.#pending.pop(); tile !== undefined; tile = this.#pending.pop()) {
      if (!this.#area.touches(boxOf(tile)) || this.#searched.covers(tile, this.#sight.assumed)) continue;
      const full = this.#rowsKnownFor(tile);
      if (full === undefined) return tile;
      this.#split(tile, this.#pays(tile, full) ? undefined : 'crowded');
    }
    return undefined;
  }

  /** A search failed: its tile is left as it is. */
  failed(tile: Tile): void {
    if (!this.#sight.searches(tile)) return;
    // the plan starts from the result of the first search
    if (this.#searched.isEmpty) this.#sight.giveUp();
    else this.#heed(this.#sight.teach({ x: tile.x, y: tile.y, zoom: tile.zoom, rows: [], full: true }));
  }

  /** Takes the rows of a search and their number, including rows without a position. */
  done(tile: Tile, spotted: readonly Spotted[], count: number = spotted.length): TileEnd {
    const { x, y, zoom } = tile;
    const rows = spotted.map((spot) => ({ ...spot, x: spot.x + Math.round(this.#middle - spot.x) }));
    if (this.#cap.count(count)) this.#outdated = this.#searched.setFull(count);
    const isLesson = this.#sight.searches(tile);
    const atCap = this.#cap.cuts(count);
    const lacking = atCap || isLesson ? 0 : this.#known.lackedBy(rows, tile);
    if (lacking > 0) this.#lapses += 1;
    const added = this.#known.add(rows);
    this.#searched.add({ x, y, zoom, rows: count, full: atCap || lacking > 0 });
    if (atCap) this.unfit ??= unfitOf(rows, count);
    if (isLesson && this.unfit === undefined) {
      const isCut = (): boolean => this.#cap.cuts(count);
      // where searches are cut off may be known only later
      this.#heed(this.#sight.teach({ x, y, zoom, rows, get full() { return isCut(); } })); // prettier-ignore
    }
    if (this.unfit !== undefined) return this.#giveUp(tile);
    const end = atCap || lacking > 0 ? 'split' : 'whole';
    if (isLesson) return end;
    if (this.#lapses >= lapses && this.#shrink()) return end;
    if (this.#outdated && this.#layout < layouts) this.#layOut();
    else if (tile.layout === this.#layout && end === 'split') {
      const because = whyLeft({
        isDeepest: zoom >= this.#options.zoom[1],
        isAtCap: atCap,
        view: { x, y, zoom, rows },
        sight: this.sight,
        added,
        mayLack: () => this.#mayLack(),
        pays: () => this.#pays(tile, atCap ? Math.max(1, count) : lacking),
      });
      // so many full searches show the same rows: the view must be larger than assumed
      if (because === 'crowded' && !this.#sight.isSure && atCap && this.#learn({ x, y, zoom, rows, full: true })) return end;
      this.#split(tile, because);
      return because ?? end;
    }
    return end;
  }

  /** Starts to measure the view. `first`: a full search to begin with. False: that was tried often enough. */
  #learn(first?: SearchResult): boolean {
    const lesson = this.#sight.learn(first);
    if (lesson !== undefined) this.#heed(lesson);
    return lesson !== undefined;
  }

  /** Follows what was learnt, if the lesson is over. */
  #heed(lesson: LessonIs): void {
    if (lesson === 'elsewhere') this.unfit = 'elsewhere';
    else if (lesson === 'over') this.#layOut();
  }

  #giveUp(tile: Tile): TileEnd {
    this.#sight.giveUp();
    this.#pending = [];
    this.left.push({ tile, because: 'elsewhere' });
    return 'elsewhere';
  }

  /** Assumes a smaller view. False if there is none. */
  #shrink(): boolean {
    if (this.#layout >= layouts || !this.#sight.canShrink) return false;
    this.#sight.shrink();
    this.#layOut();
    return true;
  }

  /** Lays out new tiles, as large as currently known: one for the whole area, or several if even the lowest zoom doesn't show it. */
  #layOut(): void {
    [this.#lapses, this.#outdated] = [0, false];
    this.#layout += 1;
    this.#budget = new SplitBudget();
    this.left.length = 0;
    const { box = this.#area.box, zoom } = this.#options;
    this.#pending = layOut(box, this.#sight.assumed, zoom).map((tile) => ({ ...tile, layout: this.#layout }));
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

  /** Whether the known rows explain one more full search like this. */
  #pays({ zoom }: Tile, rows: number): boolean {
    return this.#budget.pays(zoom, rows, this.#known.size);
  }

  /** Whether one more tile may be split because its search lacks places. */
  #mayLack(): boolean {
    if (this.#sight.canShrink) return true;
    this.#unsteady += 1;
    return this.#unsteady <= unsteadyTiles;
  }

  /** If a search of a tile would surely be full: the rows that say so. */
  #rowsKnownFor(tile: Tile): number | undefined {
    if (this.#searched.wasFullIn(tile, this.#sight.assumed)) return Math.max(1, Math.min(this.cap, this.#options.full));
    if (this.cap === Infinity || tile.zoom >= this.#options.zoom[1]) return undefined;
    return this.#known.has(this.cap, tile) ? this.cap : undefined;
  }
}
