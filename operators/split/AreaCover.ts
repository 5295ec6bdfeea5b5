import { type Area, type MapBox, pixelAt, type MapTile, QuadTree } from './Area.ts';
import { type LeftBecause, reasonNotSplit, SplitBudget, type Unfit, unfitOf } from './reasonNotSplit.ts';
import { RowCap, type RowCapOptions } from './RowCap.ts';
import {
  farIn,
  inEllipse,
  type LearntSight,
  minSight,
  missingShare,
  nearEdge,
  type Sight,
  type Spotted,
  type View,
  without,
} from './estimateView.ts';
import { learnView } from './learnView.ts';

/** A rectangle of the map, and the zoom at which a search from its centre sees all of it. */
export interface AreaTile extends View {
  /** Half as wide and half as high as the tile. */
  readonly across: number;
  readonly down: number;
}

/** A tile to search. */
export interface Tile extends AreaTile {
  /** Its search measures the view. The tiles that follow cover what it sees. */
  readonly isLesson: boolean;
}

export interface AreaCoverOptions extends RowCapOptions {
  /** The lowest and highest zoom to search at. */
  readonly zoom: readonly [number, number];
  /** What earlier searches learnt. */
  readonly sight?: Sight | undefined;
  readonly cap?: number | undefined;
  /** Cover only this part of the area. */
  readonly box?: MapBox | undefined;
}

/** What a search returned: where its rows lie, and their number, including those without a position. */
interface SpottedRows {
  readonly rows: readonly Spotted[];
  readonly count: number;
}

/** A tile that holds more than was found. */
interface LeftTile {
  readonly tile: Tile;
  readonly because: LeftBecause;
}

/** A search that has ended. */
interface Ended extends SpottedRows {
  readonly tile: Tile;
  readonly ids: ReadonlySet<number>;
  /** Rows that no search had before. */
  readonly added: number;
  /** The places known to be in its tile, if it lacks some of them. Else 0. */
  lacking: number;
}

/** After this many searches that lack places known to be in their tile, a smaller view is assumed. */
const maxLapses = 4;
/** The limit of layouts. Each looks at the whole area again. */
const maxLayouts = 16;
/** The limit of tiles that are split because their search lacks places, once the view can't shrink any more. */
const unsteadyTiles = 64;
/** The limit of lessons. */
const maxLessons = 2;
/** A smaller view is assumed: this share of it. */
const smaller = 0.8;
/** A view and a tile of the same size are the same in spite of rounding. */
const rounding = 1e-4;
/** Searches that cover a tile together are found by dividing it into quarters so often. */
const coverDepth = 2;

/**
 * Covers an area with searches, in rounds. All tiles of a round may be searched at once. When all have ended, their results are taken in
 * the order in which the tiles were made, and the next round follows. So the tiles don't depend on which search ends first.
 *
 * The first rounds have one search each and find out how far a search sees (`learnView`). Then a quadtree of tiles is laid out, each as
 * large as a search sees. A tile whose search was full has four children, one zoom level deeper, in the next round. A search that lacks
 * a place that is known to be in its tile didn't see all of it, so the tile is split as if it was full. After several of these the
 * assumed view shrinks, and the area is laid out again. No search is repeated.
 *
 * It does no I/O. The number of searches is bounded, whatever they return (docs/past-the-cap.md).
 */
export class AreaCover {
  /** Why the area can't be covered. Then nothing follows. */
  unfit: Unfit | undefined;
  /** Tiles that hold more than was found. */
  left: LeftTile[] = [];
  private readonly area: Area;
  private readonly options: AreaCoverOptions;
  private readonly middle: number;
  private view: LearntSight;
  private readonly rowCap: RowCap;
  private readonly places: QuadTree<Spotted>;
  private readonly ids = new Set<number>();
  /** All searches so far, by zoom. */
  private readonly ended = new Map<number, QuadTree<{ readonly x: number; readonly y: number; readonly search: Ended }>>();
  /** The searches of lessons. */
  private readonly lessons: Ended[] = [];
  private lesson: { readonly first: Ended | undefined } | undefined;
  private lessonCount = 0;
  /** The tiles of this round, with what came of those that have ended. null: the search failed. */
  private round: { readonly tile: Tile; found?: SpottedRows | null }[] = [];
  private waiting: Tile[] = [];
  /** Tiles of this round that haven't ended. */
  private open = 0;
  /** Tiles of this layout whose search returned all that is in them, and tiles that other searches cover. */
  private whole: Ended[] = [];
  private covered: Tile[] = [];
  private budget = new SplitBudget();
  private lapses = 0;
  private layouts = 0;
  private unsteady = 0;

  constructor(area: Area, options: AreaCoverOptions) {
    this.area = area;
    this.options = options;
    this.middle = (area.box.left + area.box.right) / 2;
    this.places = new QuadTree(this.middle - 0.5);
    this.rowCap = new RowCap(options, options.cap);
    this.view = { ...(options.sight ?? minSight), sure: options.sight !== undefined };
    if (options.sight === undefined) this.learn();
    else this.layOut();
  }

  /** How far a search sees, once it is measured. */
  get sight(): Sight | undefined {
    return this.view.sure ? this.view : undefined;
  }

  /** It measures how far a search sees. */
  get learns(): boolean {
    return this.lesson !== undefined;
  }

  /** No search has ended yet. */
  get isFirst(): boolean {
    return this.ended.size === 0 && this.learns;
  }

  /** The number of rows at which searches end, as far as known. */
  get cap(): number {
    return this.rowCap.cap;
  }

  /** A tile to search. undefined: none before those that are searched have ended. If none is, the area is done. */
  next(): Tile | undefined {
    return this.waiting.pop();
  }

  /** A search failed: its tile is left as it is. */
  failed(tile: Tile): void {
    this.end(tile, null);
  }

  /** Takes what a search returned. Returns whether that may be all, as far as it says itself. */
  done(tile: Tile, found: SpottedRows): 'whole' | 'split' {
    const isCut = this.rowCap.cuts(found.count);
    this.end(tile, found);
    return isCut ? 'split' : 'whole';
  }

  private end(tile: Tile, found: SpottedRows | null): void {
    const own = this.round.find((one) => one.tile === tile && one.found === undefined);
    if (own === undefined) return;
    own.found = found;
    this.open -= 1;
    if (this.open > 0) return;
    const isLesson = this.learns;
    const searches = this.round.flatMap((one) => (one.found ? [this.note(one.tile, one.found)] : []));
    this.round = [];
    if (this.unfit !== undefined) this.giveUp(tile);
    else if (isLesson) this.learnFrom(searches[0], tile);
    else this.judge(searches);
  }

  /** Notes what a search has shown. */
  private note(tile: Tile, { rows: spotted, count }: SpottedRows): Ended {
    const rows = spotted.map((spot) => ({ ...spot, x: spot.x + Math.round(this.middle - spot.x) }));
    let added = 0;
    for (const row of rows) {
      if (this.ids.has(row.id)) continue;
      this.ids.add(row.id);
      this.places.add(row);
      added += 1;
    }
    const search: Ended = { tile, rows, count, ids: new Set(rows.map(({ id }) => id)), added, lacking: 0 };
    this.rowCap.count(count);
    if (!this.ended.has(tile.zoom)) this.ended.set(tile.zoom, new QuadTree(this.middle - 0.5));
    this.ended.get(tile.zoom)!.add({ x: tile.x, y: tile.y, search });
    if (this.rowCap.cuts(count)) this.unfit ??= unfitOf(rows, count);
    return search;
  }

  private isCut({ count }: Ended): boolean {
    return this.rowCap.cuts(count);
  }

  private isFull(search: Ended): boolean {
    return search.lacking > 0 || this.isCut(search);
  }

  /** The number of places known to be in a tile, if a search lacks some of them. Else 0. */
  private lackedBy({ ids }: Ended, tile: AreaTile): number {
    let [inside, missing] = [0, 0];
    for (const { id } of this.places.within(tile)) {
      inside += 1;
      if (!ids.has(id)) missing += 1;
    }
    return missing > inside * missingShare ? inside : 0;
  }

  /** Starts to measure the view. `first`: a full search to begin with. */
  private learn(first?: Ended): void {
    this.lessonCount += 1;
    this.lesson = { first };
    this.continueLesson();
  }

  private learnFrom(search: Ended | undefined, tile: Tile): void {
    const isFirst = this.lessons.length === 0;
    // everything starts from the first search
    if (search === undefined && isFirst) this.lesson = undefined;
    else {
      this.lessons.push(search ?? { tile, rows: [], count: 0, ids: new Set(), added: 0, lacking: 1 });
      this.continueLesson();
    }
  }

  private continueLesson(): void {
    const { zoom, pageSize } = this.options;
    const result = (search: Ended): Parameters<typeof learnView>[3][number] => {
      if (search.count > 0) search.lacking = this.lackedBy(search, search.tile);
      return { ...search.tile, rows: search.rows, full: this.isFull(search) };
    };
    const first = this.lesson!.first;
    const lesson = learnView(this.area, zoom, pageSize, this.lessons.map(result), first && result(first));
    if ('search' in lesson) {
      const pixel = pixelAt(lesson.search.zoom) * inEllipse;
      this.search([{ ...lesson.search, across: minSight.across * pixel, down: minSight.down * pixel, isLesson: true }]);
      return;
    }
    this.lesson = undefined;
    if (typeof lesson.sight === 'string') {
      this.unfit = lesson.sight;
      this.giveUp(this.lessons.at(-1)!.tile);
      return;
    }
    this.view = lesson.sight;
    this.layOut();
  }

  private giveUp(tile: Tile): void {
    this.lesson = undefined;
    this.left.push({ tile, because: 'elsewhere' });
  }

  /** Lays out new tiles, as large as currently known. */
  private layOut(): void {
    const { box = this.area.box, zoom } = this.options;
    this.layouts += 1;
    this.left = [];
    this.whole = [];
    this.covered = [];
    this.budget = new SplitBudget();
    this.lapses = 0;
    const tile = { across: this.view.across * inEllipse, down: this.view.down * inEllipse };
    this.search(this.toSearch(layOut(box, tile, zoom).map((one) => ({ ...one, isLesson: false }))));
  }

  private search(tiles: readonly Tile[]): void {
    this.round = tiles.map((tile) => ({ tile }));
    this.waiting = tiles.toReversed();
    this.open = tiles.length;
  }

  /** Decides what follows from the searches of a round, and what they say of earlier ones. */
  private judge(searches: readonly Ended[]): void {
    const incomplete: Ended[] = [];
    const whole: Ended[] = [];
    for (const search of [...this.whole, ...searches]) {
      if (!this.isCut(search)) {
        search.lacking = this.lackedBy(search, search.tile);
        if (search.lacking > 0) this.lapses += 1;
      }
      (this.isFull(search) ? incomplete : whole).push(search);
    }
    this.whole = whole;
    if (this.canShrink && this.layouts < maxLayouts) {
      const missing = this.missingAtEdge(whole);
      if (missing.length > 0 || this.lapses >= maxLapses) {
        this.shrink(
          missing.length > 0 ? without(this.view, missing) : { across: this.view.across * smaller, down: this.view.down * smaller },
        );
        this.layOut();
        return;
      }
    }
    const children: Tile[] = [];
    for (const search of incomplete) {
      const isAtCap = this.isCut(search);
      const { tile, rows, count, lacking, added } = search;
      const because = reasonNotSplit({
        isDeepest: tile.zoom >= this.options.zoom[1],
        isAtCap,
        view: { ...tile, rows },
        sight: this.sight,
        added,
        mayLack: () => this.mayLack(),
        pays: () => this.pays(tile, isAtCap ? Math.max(1, count) : lacking),
      });
      // too many full searches show the same rows: the view must be larger than assumed
      if (because === 'crowded' && !this.view.sure && isAtCap && this.lessonCount < maxLessons) {
        this.learn(search);
        return;
      }
      children.push(...this.split(tile, because));
    }
    const uncovered = this.covered;
    this.covered = [];
    this.search(this.toSearch([...children, ...uncovered]));
  }

  /** The tiles of some that have to be searched. Those that would surely be full are split at once. */
  private toSearch(tiles: readonly Tile[]): Tile[] {
    const open: Tile[] = [];
    const stack = tiles.toReversed();
    for (let tile = stack.pop(); tile !== undefined; tile = stack.pop()) {
      if (!this.area.touches(boxOf(tile))) continue;
      if (this.covers(tile)) {
        this.covered.push(tile);
        continue;
      }
      const rows = this.rowsKnownFor(tile);
      if (rows === undefined) open.push(tile);
      else stack.push(...this.split(tile, this.pays(tile, rows) ? undefined : 'crowded').toReversed());
    }
    return open;
  }

  /** The quarters of a tile. None if it is left. */
  private split(tile: Tile, because: LeftBecause | undefined): readonly Tile[] {
    const reason = tile.zoom >= this.options.zoom[1] ? 'zoom' : because;
    if (reason !== undefined) {
      this.left.push({ tile, because: reason });
      return [];
    }
    return quarters(tile).map((child): Tile => ({ ...child, isLesson: false }));
  }

  private get canShrink(): boolean {
    return this.view.across > minSight.across || this.view.down > minSight.down;
  }

  private shrink({ across, down }: Sight): void {
    const { sure } = this.view;
    this.view = { across: Math.max(minSight.across, across * (1 - rounding)), down: Math.max(minSight.down, down * (1 - rounding)), sure };
  }

  /** Known places that searches lack near the edge of their assumed view, in pixels from its centre, if these are many. */
  private missingAtEdge(searches: readonly Ended[]): Sight[] {
    const missing: Sight[] = [];
    let known = 0;
    for (const { tile, ids } of searches) {
      const pixel = pixelAt(tile.zoom);
      for (const place of this.places.within({ ...tile, across: this.view.across * pixel, down: this.view.down * pixel })) {
        const spot = { across: Math.abs(place.x - tile.x) / pixel, down: Math.abs(place.y - tile.y) / pixel };
        const far = farIn(this.view, spot);
        if (far < nearEdge || far >= 1) continue;
        known += 1;
        if (!ids.has(place.id)) missing.push(spot);
      }
    }
    return missing.length > known * missingShare ? missing : [];
  }

  /** Whether the known rows explain one more full search like this. */
  private pays({ zoom }: Tile, rows: number): boolean {
    return this.budget.pays(zoom, rows, this.ids.size);
  }

  /** Whether one more tile may be split because its search lacks places. */
  private mayLack(): boolean {
    if (this.canShrink) return true;
    this.unsteady += 1;
    return this.unsteady <= unsteadyTiles;
  }

  /** Whether searches returned everything in a rectangle: one whose ellipse contains it, or one for each quarter. */
  private covers(tile: AreaTile, depth: number = coverDepth): boolean {
    for (const [zoom, searches] of this.ended) {
      const pixel = pixelAt(zoom) * (1 + rounding);
      const [across, down] = [this.view.across * pixel, this.view.down * pixel];
      const room = { x: tile.x, y: tile.y, across: across - tile.across, down: down - tile.down };
      if (room.across < 0 || room.down < 0) continue;
      for (const { x, y, search } of searches.within(room)) {
        const far = Math.hypot((Math.abs(x - tile.x) + tile.across) / across, (Math.abs(y - tile.y) + tile.down) / down);
        if (far <= 1 && !this.isFull(search) && this.lackedBy(search, tile) === 0) return true;
      }
    }
    return depth > 0 && quarters(tile).every((quarter) => this.covers(quarter, depth - 1));
  }

  /** If a search of a tile would surely be full: the rows that say so. */
  private rowsKnownFor(tile: Tile): number | undefined {
    const { top } = this.rowCap;
    if (this.wasFull(tile)) return Math.max(1, Math.min(top, this.options.full));
    if (top === Infinity || tile.zoom >= this.options.zoom[1]) return undefined;
    let found = 0;
    for (const _ of this.places.within(tile)) if (++found >= top) return top;
    return undefined;
  }

  /** Whether a search was full that looked where a search of this tile would, or whose whole view lies in the tile. */
  private wasFull(tile: Tile): boolean {
    for (const [zoom, searches] of this.ended) {
      const pixel = pixelAt(zoom) * (1 - rounding);
      const least = zoom === tile.zoom ? tile.across * rounding : -1;
      const room = {
        across: Math.max(least, tile.across - this.view.across * pixel),
        down: Math.max(least, tile.down - this.view.down * pixel),
      };
      if (room.across < 0 || room.down < 0) continue;
      for (const { search } of searches.within({ x: tile.x, y: tile.y, ...room })) if (this.isFull(search)) return true;
    }
    return false;
  }
}

/** Divides a rectangle into tiles of a size in pixels: one for all of it, or several if even the lowest zoom doesn't show it. */
function layOut({ left, top, right, bottom }: MapBox, size: Sight, [min, max]: readonly [number, number]): AreaTile[] {
  const fits = Math.min((2 * size.across) / 256 / (right - left), (2 * size.down) / 256 / (bottom - top));
  const zoom = Math.max(min, Math.min(max, Math.floor(Math.log2(fits) + 1e-9)));
  const [across, down] = [size.across * pixelAt(zoom), size.down * pixelAt(zoom)];
  const columns = Math.ceil((right - left) / across / 2 - 1e-9);
  const rows = Math.ceil((bottom - top) / down / 2 - 1e-9);
  const [x, y] = [(left + right) / 2 - (columns - 1) * across, (top + bottom) / 2 - (rows - 1) * down];
  return Array.from({ length: columns * rows }, (_, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    return { x: x + 2 * column * across, y: y + 2 * row * down, across, down, zoom };
  });
}

export function boxOf({ x, y, across, down }: MapTile): MapBox {
  return { left: x - across, right: x + across, top: y - down, bottom: y + down };
}

/** The four quarters of a tile, one zoom level deeper. */
function quarters({ x, y, across, down, zoom }: AreaTile): AreaTile[] {
  const [right, below] = [across / 2, down / 2];
  return [-1, 1].flatMap((one) =>
    [-1, 1].map((other) => ({ x: x + one * right, y: y + other * below, across: right, down: below, zoom: zoom + 1 })),
  );
}
