import type { AreaTile } from './layOut.ts';
import { pixelAt } from './mercator.ts';
import { QuadTree } from './QuadTree.ts';
import type { Sight, View } from './Reach.ts';

/** A search that has ended. */
export interface SearchedView extends View {
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
  markFull(rows: number): boolean {
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
