import type { Area } from './Area.ts';
import { type AreaTile, layOut, quarters } from './layOut.ts';
import { type MapBox, pixelAt } from './mercator.ts';
import { findSight } from './findSight.ts';
import { leastSight, type Looked, type Sight, type Spotted, type View } from './Reach.ts';

/** A tile of a plan. */
export interface Tile extends AreaTile {
  /** The layout of the tree that it belongs to. */
  readonly layout: number;
}

/** The record of a search: enough to restart a plan where it was. */
interface TileDone extends View {
  readonly rows: number;
  readonly full: boolean;
}

export interface AreaPlanOptions {
  /** The lowest and highest zoom to search at. */
  readonly zoom: readonly [number, number];
  /** This many rows may mean that there are more, until the searches themselves show where they stop. */
  readonly full: number;
  /** Rows of a full page: a walk whose pages were all full may have been cut off. */
  readonly pageSize: number;
  /** What earlier searches learnt. */
  readonly sight?: Sight | undefined;
}

/**
 * Covers an area with searches: a quadtree of tiles, each as large as a search sees. A tile whose search was full has
 * four children, one zoom level deeper. It does no I/O: `next` says what to search, `done` takes the result.
 *
 * First it finds out how far a search sees (`findSight`), one search at a time. Then it lays out the tree. Earlier
 * searches are not repeated. From then on tiles are independent of each other. A search that lacks a place known to be
 * in its tile didn't see all of it, so the tile is split as if it was full. After several of these the assumed view
 * shrinks, and everything based on it is checked again.
 */
export class AreaPlan {
  readonly area: Area;
  readonly options: AreaPlanOptions;
  /** Tiles that stayed full at the highest zoom. They hold more than was found. */
  readonly left: Tile[] = [];
  #sight: Sight;
  #finding: ReturnType<typeof findSight> | undefined;
  #look: View | undefined;
  #most = 0;
  #cap = Infinity;
  readonly #known = new Map<unknown, Spotted>();
  #done: TileDone[] = [];
  /** Searches from before the current layout. */
  #earlier: TileDone[] = [];
  #layout = 0;
  #pending: Tile[] = [];
  #blind = 0;
  #outdated = false;

  constructor(area: Area, options: AreaPlanOptions) {
    this.area = area;
    this.options = options;
    this.#sight = options.sight ?? leastSight;
    if (options.sight === undefined) {
      this.#finding = findSight(area, options.zoom, options.pageSize);
      this.#look = this.#finding.next().value as View;
    } else {
      this.#layOut();
    }
  }

  /** How far a search sees, once known. */
  get sight(): Sight | undefined {
    return this.#finding === undefined ? this.#sight : undefined;
  }

  /** The most rows one search returns, as far as known. */
  get cap(): number {
    return this.#cap;
  }

  /** What to search next. Undefined while a search is running means nothing yet; otherwise the plan is done. */
  next(): Tile | undefined {
    if (this.#finding !== undefined) {
      const look = this.#look;
      this.#look = undefined;
      const pixel = look === undefined ? 0 : pixelAt(look.zoom);
      return look === undefined ? undefined : { ...look, across: leastSight.across * pixel, down: leastSight.down * pixel, layout: 0 };
    }
    for (let tile = this.#pending.pop(); tile !== undefined; tile = this.#pending.pop()) {
      const here = tile;
      if (!this.area.touches(boxOf(here))) continue;
      if (this.#earlier.some((look) => !look.full && this.#covers(look, here))) continue;
      if (!this.#earlier.some((look) => look.full && this.#liesIn(look, here))) return here;
      this.#split(here);
    }
    return undefined;
  }

  /** A search failed: its tile is left as it is. */
  failed(tile: Tile): void {
    // nothing to learn from either
    if (this.#finding !== undefined) this.#find({ x: tile.x, y: tile.y, zoom: tile.zoom, rows: [], full: true });
  }

  /** Takes the rows of a search and their number, including rows without a position. */
  done(tile: Tile, rows: readonly Spotted[], count: number = rows.length): TileDone {
    const { x, y, zoom } = tile;
    this.#count(count);
    const full = this.#cutOff(count);
    const blind = !full && this.#finding === undefined && this.#lacks(tile, rows);
    for (const row of rows) if (!this.#known.has(row.id)) this.#known.set(row.id, row);
    const look: TileDone = { x, y, zoom, rows: count, full: full || blind };
    this.#done.push(look);
    if (this.#finding !== undefined) {
      const cutOff = (): boolean => this.#cutOff(count);
      // where searches are cut off may be known only later
      this.#find({ x, y, zoom, rows, get full() { return cutOff(); } }); // prettier-ignore
    } else if (this.#blind >= 4) {
      const { across, down } = this.#sight;
      this.#sight = { across: Math.max(leastSight.across, across * 0.95), down: Math.max(leastSight.down, down * 0.95) };
      this.#layOut();
    } else if (this.#outdated) {
      this.#layOut();
    } else if (tile.layout !== this.#layout) {
      this.#earlier.push(look);
    } else if (look.full) {
      this.#split(tile);
    }
    return look;
  }

  #find(looked: Looked): void {
    const step = this.#finding!.next(looked);
    if (step.done !== true) {
      this.#look = step.value;
      return;
    }
    this.#finding = undefined;
    this.#sight = step.value.sight;
    this.#layOut();
  }

  /** Learns where searches are cut off: two end at the same number of rows, and none has more. */
  #count(rows: number): void {
    if (rows > this.#most) {
      [this.#most, this.#cap] = [rows, Infinity];
    } else if (rows === this.#most && rows >= this.options.pageSize && this.#cap !== rows) {
      this.#cap = rows;
      // earlier searches that ended there were cut off too
      this.#done = this.#done.map((look) => (look.rows === rows ? { ...look, full: true } : look));
      this.#outdated = this.#done.some((look) => look.rows === rows);
    }
  }

  #cutOff(rows: number): boolean {
    if (this.#cap !== Infinity) return rows >= this.#cap * 0.95;
    return rows >= this.options.full || (rows >= 2 * this.options.pageSize && rows % this.options.pageSize === 0);
  }

  /** Whether a search that should have seen all of its tile lacks places known to be there. */
  #lacks(tile: Tile, rows: readonly Spotted[]): boolean {
    const ids = new Set(rows.map(({ id }) => id));
    let [inside, missing] = [0, 0];
    for (const [id, { x, y }] of this.#known) {
      if (Math.abs(x - tile.x) > tile.across || Math.abs(y - tile.y) > tile.down) continue;
      inside++;
      if (!ids.has(id)) missing++;
    }
    const blind = missing > inside * 0.02;
    if (blind) this.#blind++;
    return blind;
  }

  /** Lays out new tiles, as large as currently known: one for the whole area, or several if even the lowest zoom doesn't show it. */
  #layOut(): void {
    this.#earlier = [...this.#done];
    [this.#blind, this.#outdated] = [0, false];
    this.#layout++;
    this.left.length = 0;
    this.#pending = layOut(this.area, this.#sight, this.options.zoom).map((tile) => ({ ...tile, layout: this.#layout }));
  }

  #split(tile: Tile): void {
    if (tile.zoom >= this.options.zoom[1]) {
      this.left.push(tile);
      return;
    }
    this.#pending.push(...quarters(tile).map((child) => ({ ...child, layout: this.#layout })));
  }

  /** Whether a search saw all of a tile. */
  #covers(look: TileDone, tile: Tile): boolean {
    const pixel = pixelAt(look.zoom) * 1.0001;
    return (
      Math.abs(look.x - tile.x) + tile.across <= this.#sight.across * pixel &&
      Math.abs(look.y - tile.y) + tile.down <= this.#sight.down * pixel
    );
  }

  /** Whether all that a search saw lies in a tile. */
  #liesIn(look: TileDone, tile: Tile): boolean {
    const pixel = pixelAt(look.zoom) * 0.9999;
    return (
      Math.abs(look.x - tile.x) + this.#sight.across * pixel <= tile.across &&
      Math.abs(look.y - tile.y) + this.#sight.down * pixel <= tile.down
    );
  }
}

export function boxOf({ x, y, across, down }: AreaTile): MapBox {
  return { left: x - across, right: x + across, top: y - down, bottom: y + down };
}
