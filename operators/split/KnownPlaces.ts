import type { AreaTile } from './layOut.ts';
import { QuadTree } from './QuadTree.ts';
import type { Spotted } from './Reach.ts';

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
