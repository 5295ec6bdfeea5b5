import { type Area, type MapBox, pixelAt, type MapTile, QuadTree, stretchAt } from './Area.ts';
import { failedSearch, learnSight, liesElsewhere, minSight, type Searched, type Sight, type Spotted, type View } from './learnSight.ts';
import { RowCap, type RowCapOptions } from './RowCap.ts';
import type { AreaSpec } from './Splits.ts';

/** Why a tile that holds more than was found is not divided further, and what to do about it. */
export const leftAdvice = {
  zoom: 'it is full at the highest zoom: search for narrower words, or raise zoom',
  elsewhere: 'its rows lie elsewhere: take place names out of the words',
  crowded: 'narrower searches return the same rows: search for narrower words',
  unsteady: 'searches of the same place return different rows: cover it again later',
} as const;

export type LeftBecause = keyof typeof leftAdvice;

/** What to say where an area has no rows at all. */
export const emptyArea = 'no row lies in the area. Longitude comes first: are the two swapped?';

/** Why an area can't be covered at all. */
export const coverFaults = {
  elsewhere: ({ param, words }: AreaSpec) =>
    `the search doesn't heed its view (${param}): it returns rows from elsewhere. Take place names out of ${words}, or search ` +
    `without an area`,
  unsteady: ({ param }: AreaSpec) => `searches of the same place (${param}) return different rows each time, so an area can't be covered`,
  unplaced: ({ latitude, longitude }: AreaSpec) =>
    `most rows of a full search have no position (${latitude}, ${longitude}), so an area can't be covered`,
  alike: (_: AreaSpec, id: string | undefined) => `most rows of a full search have the same ${id ?? 'values'}, so they can't be told apart`,
} as const;

export type Unfit = keyof typeof coverFaults;

/** Why an area can't be covered, by the rows of a full search. `count`: of all its rows, including those without a position. */
function unfitOf(rows: readonly Spotted[], count: number): Unfit | undefined {
  if (rows.length < count / 2) return 'unplaced';
  return new Set(rows.map(({ id }) => id)).size < rows.length / 2 ? 'alike' : undefined;
}

/** A rectangle of the map, and the zoom at which a search from its centre sees all of it. */
export interface Tile extends View {
  /** Half as wide and half as high as the tile. */
  readonly across: number;
  readonly down: number;
}

export interface AreaCoverOptions extends RowCapOptions {
  /** The lowest and highest zoom to search at. */
  readonly zoom: readonly [number, number];
  /** How far a search sees, if that is known. */
  readonly sight?: Sight | undefined;
  readonly cap?: number | undefined;
  /** Cover only this part of the area. */
  readonly box?: MapBox | undefined;
}

type Found = Pick<Searched, 'rows' | 'count'>;

interface Ended extends Searched {
  readonly tile: Tile;
  readonly ids: ReadonlySet<number>;
}

/** If searches see no more than `sight`, a row is in the view of at most four searches of one zoom. This is twice that, as a margin. */
const viewsOfRow = 8;
/** The sight that `viewsOfRow` is used with while the real one is unknown. */
const wideSight: Sight = { across: 512, down: 384 };
/** At most this many tiles are split because their search lacks a place that another search found there. */
const mostLacking = 64;

/**
 * Covers an area with searches, in rounds. All tiles of a round may be searched at once. When all have ended, their results are read in the
 * order in which the tiles were made, and the next round follows. So the tiles don't depend on which search ends first.
 *
 * If it isn't known how far a search sees, the first rounds have one search each, to learn it (`learnSight`). Then the area is divided into
 * tiles, each as large as a search sees. If the search of a tile was full, or lacks a place that another search found in the tile, the tile
 * is divided into its quarters. They are searched in the next round, one zoom level deeper.
 *
 * It does no I/O. The number of searches is bounded, whatever they return (docs/past-the-cap.md).
 */
export class AreaCover {
  /** Why the area can't be covered. If set, no more tiles follow. */
  unfit: Unfit | undefined;
  /** Tiles that hold more than was found. */
  readonly left: { readonly tile: Tile; readonly because: LeftBecause }[] = [];
  /** How far a search sees, once it is known. */
  sight: Sight | undefined;
  private readonly area: Area;
  private readonly options: AreaCoverOptions;
  private readonly middle: number;
  private readonly rowCap: RowCap;
  private readonly places: QuadTree<Spotted>;
  private readonly ids = new Set<number>();
  private lesson: 'first' | ReturnType<typeof learnSight> | undefined;
  private first: Ended | undefined;
  /** The tiles of this round, with the results of those that have ended. null: the search failed. */
  private round: { readonly tile: Tile; found?: Found | null }[] = [];
  private waiting: Tile[] = [];
  /** Tiles of this round that haven't ended. */
  private open = 0;
  /** Searches that returned everything that is known to be in their tile. */
  private whole: Ended[] = [];
  /** The rows of the full searches whose tiles were split, by zoom. */
  private readonly spent = new Map<number, number>();
  private lacking = 0;

  constructor(area: Area, options: AreaCoverOptions) {
    this.area = area;
    this.options = options;
    const { left, right, top, bottom } = area.box;
    this.middle = (left + right) / 2;
    this.places = new QuadTree(this.middle - 0.5);
    this.rowCap = new RowCap(options, options.cap);
    this.sight = options.sight;
    if (this.sight !== undefined) this.layOut();
    else {
      this.lesson = 'first';
      this.look({ x: this.middle, y: (top + bottom) / 2, zoom: layOut(area.box, minSight, options.zoom)[0]!.zoom });
    }
  }

  /** Whether its present search is the first or another one of the lesson, from which it learns how far searches see. */
  get role(): 'first' | 'lesson' | undefined {
    return this.lesson === undefined || this.lesson === 'first' ? this.lesson : 'lesson';
  }

  /** The number of rows at which searches end, as far as known. */
  get cap(): number {
    return this.rowCap.cap;
  }

  /** The next tile to search. undefined: there is none until the open searches have ended. If none is open, the area is done. */
  next(): Tile | undefined {
    return this.waiting.pop();
  }

  /** Whether a search with this many rows may lack some. */
  cuts(count: number): boolean {
    return this.rowCap.cuts(count);
  }

  /** Takes what a search returned. null: it failed, so its tile isn't divided. */
  done(tile: Tile, found: Found | null): void {
    const own = this.round.find((one) => one.tile === tile && one.found === undefined);
    if (own === undefined) return;
    own.found = found;
    this.open -= 1;
    if (this.open === 0) this.endRound(tile);
  }

  private endRound(tile: Tile): void {
    const searches = this.round.flatMap((one) => (one.found ? [this.note(one.tile, one.found)] : []));
    this.round = [];
    if (this.unfit === undefined && this.lesson !== undefined) this.learn(tile, searches[0]);
    else if (this.unfit === undefined) this.judge(searches);
    if (this.unfit === undefined) return;
    this.lesson = undefined;
    this.left.push({ tile, because: 'elsewhere' });
  }

  /** Adds the rows of a search to what is known. */
  private note(tile: Tile, { rows: spotted, count }: Found): Ended {
    const rows = spotted.map((spot) => ({ ...spot, x: spot.x + Math.round(this.middle - spot.x) }));
    for (const row of rows) {
      if (!this.ids.has(row.id)) this.places.add(row);
      this.ids.add(row.id);
    }
    this.rowCap.count(count);
    if (this.rowCap.cuts(count)) this.unfit ??= unfitOf(rows, count);
    return { ...tile, tile, rows, count, ids: new Set(rows.map(({ id }) => id)) };
  }

  /** Takes the result of a lesson's search. A failed search teaches nothing. If the first one fails, nothing follows. */
  private learn(tile: Tile, search: Ended | undefined): void {
    if (this.lesson === 'first') {
      this.lesson = undefined;
      if (search === undefined) return;
      this.first = search;
      this.lesson = learnSight(this.area, search, this.options.zoom[1], ({ count }) => this.rowCap.cuts(count));
    }
    const step = this.lesson!.next(search ?? { ...tile, ...failedSearch });
    if (step.done !== true) return this.look(step.value);
    this.lesson = undefined;
    if (typeof step.value === 'string') this.unfit = step.value;
    else this.sight = step.value;
    if (this.unfit === undefined) this.layOut();
  }

  /** Makes a search of a lesson the only tile of the next round. */
  private look(view: View): void {
    const pixel = pixelAt(view.zoom);
    this.search([{ ...view, across: minSight.across * pixel, down: minSight.down * pixel }]);
  }

  /** Divides the area into tiles, as large as a search sees. */
  private layOut(): void {
    const { box = this.area.box, zoom } = this.options;
    const tiles = layOut(box, sightIn(box, this.sight ?? minSight), zoom);
    const [tile] = tiles;
    const { first } = this;
    // the first search of the lesson was the same as that of the only tile
    if (first !== undefined && tiles.length === 1 && first.zoom === tile!.zoom) this.judge([{ ...first, tile: tile! }]);
    else this.search(this.toSearch(tiles));
  }

  private search(tiles: readonly Tile[]): void {
    this.round = tiles.map((tile) => ({ tile }));
    this.waiting = tiles.toReversed();
    this.open = tiles.length;
  }

  /** Decides which tiles are divided, after a round: also tiles of earlier rounds, in which this round found more places. */
  private judge(searches: readonly Ended[]): void {
    const [whole, lacking]: [Ended[], Ended[]] = [[], []];
    for (const search of [...this.whole, ...searches]) (this.isWhole(search) ? whole : lacking).push(search);
    this.whole = whole;
    this.search(this.toSearch(lacking.flatMap((search) => this.split(search.tile, this.reasonNotToSplit(search)))));
  }

  private isWhole({ tile, count, ids }: Ended): boolean {
    return !this.rowCap.cuts(count) && Array.from(this.places.within(tile)).every(({ id }) => ids.has(id));
  }

  private reasonNotToSplit(search: Ended): LeftBecause | undefined {
    if (search.zoom >= this.options.zoom[1]) return 'zoom';
    if (!this.rowCap.cuts(search.count)) return ++this.lacking > mostLacking ? 'unsteady' : undefined;
    return liesElsewhere(search) ? 'elsewhere' : this.reasonNotToPay(search.tile, search.count);
  }

  /**
   * Whether dividing a tile brings nothing new. If searches heed their view, each known row is in the view of only a few searches of a
   * zoom, so all full searches of a zoom together return only a few times as many rows as are known. More rows mean that they don't.
   */
  private reasonNotToPay({ y, zoom, across, down }: Tile, rows: number): LeftBecause | undefined {
    const seen = this.sight ?? wideSight;
    const stretch = Math.max(1, stretchAt(y) / (seen.stretch ?? Infinity));
    const views = viewsOfRow * Math.max(1, (seen.across * seen.down * (stretch * pixelAt(zoom)) ** 2) / (across * down));
    const spent = (this.spent.get(zoom) ?? 0) + rows;
    if (spent > views * Math.max(rows, this.ids.size)) return 'crowded';
    this.spent.set(zoom, spent);
    return undefined;
  }

  /** The quarters of a tile. With a reason not to divide it: none, and the tile is added to `left`. */
  private split(tile: Tile, because: LeftBecause | undefined): readonly Tile[] {
    if (because === undefined) return quarters(tile);
    this.left.push({ tile, because });
    return [];
  }

  /** The tiles that have to be searched. A tile with more known places than a search returns is divided without a search. */
  private toSearch(tiles: readonly Tile[]): Tile[] {
    return tiles.flatMap((tile) => {
      if (!this.area.touches(boxOf(tile))) return [];
      const { top } = this.rowCap;
      const isKnown = top !== Infinity && Array.from(this.places.within(tile)).length >= top;
      if (!isKnown || tile.zoom >= this.options.zoom[1]) return [tile];
      return this.toSearch(this.split(tile, this.reasonNotToPay(tile, top)));
    });
  }
}

/** The least that a search sees anywhere in a rectangle of the map. A view in kilometres has fewer pixels near the equator. */
function sightIn({ top, bottom }: MapBox, { across, down, stretch }: Sight): Sight {
  if (stretch === undefined) return { across, down };
  const least = top < 0.5 && bottom > 0.5 ? 1 : Math.min(stretchAt(top), stretchAt(bottom));
  const times = Math.min(1, least / stretch);
  return { across: Math.max(minSight.across, across * times), down: Math.max(minSight.down, down * times) };
}

/** Divides a rectangle into tiles of a size in pixels: one tile, or several if one is too small even at the lowest zoom. */
function layOut({ left, top, right, bottom }: MapBox, size: Sight, [min, max]: readonly [number, number]): Tile[] {
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
function quarters({ x, y, across, down, zoom }: Tile): Tile[] {
  const half = { across: across / 2, down: down / 2, zoom: zoom + 1 };
  return [-1, 1].flatMap((below) => [-1, 1].map((right) => ({ x: x + right * half.across, y: y + below * half.down, ...half })));
}
