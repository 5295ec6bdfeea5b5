import type { AreaTile } from './layOut.ts';
import { QuadTree } from './QuadTree.ts';
import type { Spotted, Sight, View } from './Reach.ts';
import { pixelAt } from './Area.ts';

/** A search lacks places if it misses so large a share of those known to be in its tile. */
const missingShare = 0.02;

/** The places that searches have returned so far. */
export class KnownPlaces {
  readonly #ids = new Set<number>();
  readonly #places: QuadTree<Spotted>;

  /** `left`: where the map begins, see `QuadTree`. */
  constructor(left: number) {
    this.#places = new QuadTree(left);
  }

  get size(): number {
    return this.#ids.size;
  }

  /** Takes the rows of a search. Returns how many of them are new. */
  add(rows: readonly Spotted[]): number {
    const before = this.#ids.size;
    for (const row of rows) {
      if (this.#ids.has(row.id)) continue;
      this.#ids.add(row.id);
      this.#places.add(row);
    }
    return this.#ids.size - before;
  }

  /** Whether at least this many are in a tile. */
  has(count: number, tile: AreaTile): boolean {
    let found = 0;
    for (const _ of this.#places.within(tile)) if (++found >= count) return true;
    return false;
  }

  /** The number of places in a tile, if its search should have returned them and lacks some. Else 0. */
  lackedBy(rows: readonly Spotted[], tile: AreaTile): number {
    const ids = new Set(rows.map(({ id }) => id));
    let [inside, missing] = [0, 0];
    for (const { id } of this.#places.within(tile)) {
      inside += 1;
      if (!ids.has(id)) missing += 1;
    }
    return missing > inside * missingShare ? inside : 0;
  }
}

/** A search that has ended. */
interface SearchedView extends View {
  readonly rows: number;
  /** It may not have returned all that is in its view. */
  full: boolean;
}

/** A view and a tile of the same size are the same in spite of rounding. */
const rounding = 1e-4;

/** The searches so far, so that none is repeated. */
export class SearchedViews {
  readonly #left: number;
  readonly #byZoom = new Map<number, QuadTree<SearchedView>>();
  readonly #byRows = new Map<number, SearchedView[]>();

  /** `left`: where the map begins, see `QuadTree`. */
  constructor(left: number) {
    this.#left = left;
  }

  get isEmpty(): boolean {
    return this.#byZoom.size === 0;
  }

  add(view: SearchedView): void {
    if (!this.#byZoom.has(view.zoom)) this.#byZoom.set(view.zoom, new QuadTree(this.#left));
    this.#byZoom.get(view.zoom)!.add(view);
    if (!this.#byRows.has(view.rows)) this.#byRows.set(view.rows, []);
    this.#byRows.get(view.rows)!.push(view);
  }

  /** Searches with so many rows were cut off. Returns whether there are any. */
  setFull(rows: number): boolean {
    const views = this.#byRows.get(rows) ?? [];
    for (const view of views) view.full = true;
    return views.length > 0;
  }

  /** Whether a search returned everything in a tile. */
  covers(tile: AreaTile, sight: Sight): boolean {
    for (const [zoom, views] of this.#byZoom) {
      const pixel = pixelAt(zoom) * (1 + rounding);
      const room = { x: tile.x, y: tile.y, across: sight.across * pixel - tile.across, down: sight.down * pixel - tile.down };
      if (some(views, room, ({ full }) => !full)) return true;
    }
    return false;
  }

  /** Whether a search was full whose whole view lies in a tile: then a search of the tile would be full too. */
  wasFullIn(tile: AreaTile, sight: Sight): boolean {
    for (const [zoom, views] of this.#byZoom) {
      const pixel = pixelAt(zoom) * (1 - rounding);
      const room = { x: tile.x, y: tile.y, across: tile.across - sight.across * pixel, down: tile.down - sight.down * pixel };
      if (some(views, room, ({ full }) => full)) return true;
    }
    return false;
  }
}

type Room = Pick<AreaTile, 'x' | 'y' | 'across' | 'down'>;

function some(views: QuadTree<SearchedView>, room: Room, is: (view: SearchedView) => boolean): boolean {
  if (room.across < 0 || room.down < 0) return false;
  for (const view of views.within(room)) if (is(view)) return true;
  return false;
}
