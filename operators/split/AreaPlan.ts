import type { Area, MapBox } from './Area.ts';
import { unfitOf, type LeftBecause, type Unfit } from './coverFault.ts';
import { AreaSight, type LessonIs } from './AreaSight.ts';
import { type AreaTile, boxOf, layOut, quarters, type PickTiles, type Tile } from './layOut.ts';
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

/** What a search has shown. */
interface SearchFacts {
  readonly rows: readonly Spotted[];
  readonly count: number;
  /** It was cut off, or may have been. */
  readonly isAtCap: boolean;
  /** The places known to be in its tile, if it lacks some of them. Else 0. */
  readonly lacking: number;
  /** Rows that no search had before. */
  readonly added: number;
}

/** Tiles as large as a search is assumed to see. When that changes, others are laid out. */
interface Layout {
  readonly number: number;
  readonly pending: Tile[];
  /** Tiles that hold more than was found. */
  readonly left: { readonly tile: Tile; readonly because: LeftBecause }[];
  readonly budget: SplitBudget;
  /** Searches that lack places. */
  lapses: number;
  /** Searches that seemed whole turned out to be full. */
  outdated: boolean;
}

/** After this many searches that lack places known to be in their tile, a smaller view is assumed. */
const maxLapses = 4;
/** The limit of layouts. Each looks at the whole area again. */
const maxLayouts = 16;
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
  /** Why the area can't be covered. Then nothing follows. */
  unfit: Unfit | undefined;
  readonly #area: Area;
  readonly #options: AreaPlanOptions;
  readonly #middle: number;
  readonly #sight: AreaSight;
  readonly #cap: RowCap;
  readonly #known: KnownPlaces;
  readonly #searched: SearchedViews;
  #layout: Layout = layoutOf(0, []);
  /** Tiles that were split because their search lacks places while the view couldn't shrink. */
  #unsteady = 0;

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

  /** Tiles that hold more than was found. */
  get left(): Layout['left'] {
    return this.#layout.left;
  }

  /** The most rows one search returns, as far as known. */
  get cap(): number {
    return this.#cap.cap;
  }

  /** What to search next. Undefined while a search is running means nothing yet; otherwise the plan is done. */
  next(): Tile | undefined {
    if (this.unfit !== undefined) return undefined;
    if (this.learns) return this.#sight.next(this.#layout.number);
    const { pending } = this.#layout;
    for (let tile = pending.pop(); tile !== undefined; tile = pending.pop()) {
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
    const isLesson = this.#sight.searches(tile);
    const shown = this.#note(tile, spotted, count, isLesson);
    if (isLesson && this.unfit === undefined) this.#teach(tile, shown);
    if (this.unfit !== undefined) return this.#giveUp(tile);
    const end = shown.isAtCap || shown.lacking > 0 ? 'split' : 'whole';
    if (isLesson) return end;
    const { lapses, outdated, number } = this.#layout;
    const shrinks = lapses >= maxLapses && number < maxLayouts && this.#sight.canShrink;
    if (shrinks) this.#sight.shrink();
    if (shrinks || (outdated && number < maxLayouts)) this.#layOut();
    const isOfEarlierLayout = tile.layout !== this.#layout.number;
    return end === 'whole' || isOfEarlierLayout ? end : this.#splitFull(tile, shown);
  }

  /** Notes what a search has shown. */
  #note(tile: Tile, spotted: readonly Spotted[], count: number, isLesson: boolean): SearchFacts {
    const rows = spotted.map((spot) => ({ ...spot, x: spot.x + Math.round(this.#middle - spot.x) }));
    if (this.#cap.count(count)) this.#layout.outdated = this.#searched.setFull(count);
    const isAtCap = this.#cap.cuts(count);
    const lacking = isAtCap || isLesson ? 0 : this.#known.lackedBy(rows, tile);
    if (lacking > 0) this.#layout.lapses += 1;
    const added = this.#known.add(rows);
    this.#searched.add({ x: tile.x, y: tile.y, zoom: tile.zoom, rows: count, full: isAtCap || lacking > 0 });
    if (isAtCap) this.unfit ??= unfitOf(rows, count);
    return { rows, count, isAtCap, lacking, added };
  }

  /** Gives the lesson its search. Where searches are cut off may be known only later. */
  #teach({ x, y, zoom }: Tile, { rows, count }: SearchFacts): void {
    const isCut = (): boolean => this.#cap.cuts(count);
    this.#heed(this.#sight.teach({ x, y, zoom, rows, get full() { return isCut(); } })); // prettier-ignore
  }

  /** Splits the tile of a search that didn't return everything in it, or leaves it. */
  #splitFull(tile: Tile, { rows, count, isAtCap, lacking, added }: SearchFacts): TileEnd {
    const { x, y, zoom } = tile;
    const because = whyLeft({
      isDeepest: zoom >= this.#options.zoom[1],
      isAtCap,
      view: { x, y, zoom, rows },
      sight: this.sight,
      added,
      mayLack: () => this.#mayLack(),
      pays: () => this.#pays(tile, isAtCap ? Math.max(1, count) : lacking),
    });
    // so many full searches show the same rows: the view must be larger than assumed
    if (because === 'crowded' && !this.#sight.isSure && isAtCap && this.#learn({ x, y, zoom, rows, full: true })) return 'split';
    this.#split(tile, because);
    return because ?? 'split';
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
    this.#layout.pending.length = 0;
    this.left.push({ tile, because: 'elsewhere' });
    return 'elsewhere';
  }

  /** Lays out new tiles, as large as currently known: one for the whole area, or several if even the lowest zoom doesn't show it. */
  #layOut(): void {
    const { box = this.#area.box, zoom } = this.#options;
    this.#layout = layoutOf(this.#layout.number + 1, layOut(box, this.#sight.assumed, zoom));
  }

  #split(tile: Tile, because: LeftBecause | undefined): void {
    if (tile.zoom >= this.#options.zoom[1]) this.left.push({ tile, because: 'zoom' });
    else if (because !== undefined) this.left.push({ tile, because });
    else {
      const children = quarters(tile).map((child) => ({ ...child, layout: this.#layout.number, stands: tile.stands }));
      const { pick } = this.#options;
      this.#layout.pending.push(...(pick === undefined ? children : pick(children.filter((child) => this.#area.touches(boxOf(child))))));
    }
  }

  /** Whether the known rows explain one more full search like this. */
  #pays({ zoom }: Tile, rows: number): boolean {
    return this.#layout.budget.pays(zoom, rows, this.#known.size);
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

function layoutOf(number: number, tiles: readonly AreaTile[]): Layout {
  const pending = tiles.map((tile) => ({ ...tile, layout: number }));
  return { number, pending, left: [], budget: new SplitBudget(), lapses: 0, outdated: false };
}
