import { pixelAt } from './Area.ts';

/** A row of a search, as far as the map is concerned. */
export interface Spotted {
  /** A number that identifies the row, see `rowMark`. */
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** Where a search looks. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** A search that was walked to its end. */
export interface SearchResult extends View {
  /** It returned as many rows as a search can, so places in its view may be missing. */
  readonly full: boolean;
  readonly rows: readonly Spotted[];
}

/** How far a search sees from its centre, in pixels at its zoom, in both directions. */
export interface Sight {
  readonly across: number;
  readonly down: number;
}

/** Assumed from the start: a search sees a square of 128 pixels. */
export const minSight: Sight = { across: 64, down: 64 };

/** No view reaches farther from its centre. */
export const farthest = 4096;
/** Assume a little less than was measured. */
const margin = 0.95;

interface Point {
  readonly across: number;
  readonly down: number;
  readonly there: boolean;
}

/**
 * Learns from the returned rows how far a search sees. No service documents this.
 *
 * A search that isn't full gives every place in its view. So places known from other searches show where the view ends:
 * they are returned up to the edge and missing beyond it, except for a few that a service adds from outside. The view
 * is assumed to reach as far as all known places are returned, and no farther than there are known places to check.
 */
export class Reach {
  readonly #searched: SearchResult[] = [];

  add(searched: SearchResult): void {
    this.#searched.push(searched);
  }

  /** The distance known so far. `sure`: both edges were found, so it isn't more. */
  learn(): Sight & { readonly sure: boolean } {
    const points = this.#points();
    const along = (list: readonly Point[], at: (point: Point) => number): { at: number; there: boolean }[] =>
      list.map((point) => ({ at: at(point), there: point.there }));
    const square = grow(
      minSight.across,
      along(points, ({ across, down }) => Math.max(across, down)),
    );
    const wide = grow(
      square.to,
      along(
        points.filter(({ down }) => down <= square.to * margin),
        ({ across }) => across,
      ),
    );
    const high = grow(
      square.to,
      along(
        points.filter(({ across }) => across <= wide.to * margin),
        ({ down }) => down,
      ),
    );
    return { across: wide.to * margin, down: high.to * margin, sure: wide.edge && high.edge };
  }

  /** Each search that isn't full, with each place that another search found: the distance, and whether this search returned it. */
  #points(): Point[] {
    const seen = new Map<number, { readonly spot: Spotted; times: number }>();
    for (const { rows } of this.#searched) {
      for (const spot of rows) {
        const known = seen.get(spot.id);
        if (known === undefined) seen.set(spot.id, { spot, times: 1 });
        else known.times++;
      }
    }
    const points: Point[] = [];
    for (const look of this.#searched) {
      if (look.full) continue;
      const own = new Set(look.rows.map(({ id }) => id));
      const size = pixelAt(look.zoom);
      for (const [id, { spot, times }] of seen) {
        const there = own.has(id);
        const [across, down] = [Math.abs(spot.x - look.x) / size, Math.abs(spot.y - look.y) / size];
        if ((!there || times > 1) && across < farthest && down < farthest) points.push({ across, down, there });
      }
    }
    return points;
  }
}

/**
 * How far places are returned. `edge`: beyond that they are missing. One missing place proves nothing, and the last
 * ones returned may be strays. As far as `start` it is taken to see where no places show more, unless some are missing there.
 */
function grow(start: number, points: { readonly at: number; readonly there: boolean }[]): { readonly to: number; readonly edge: boolean } {
  points.sort((a, b) => a.at - b.at);
  const edge = points.findIndex(({ there }, index) => {
    const next = there ? [] : points.slice(index, index + 10);
    return next.filter((point) => !point.there).length > next.length * 0.25;
  });
  const there = points.slice(0, edge === -1 ? undefined : edge).filter((point) => point.there);
  const last = there.at(-3)?.at ?? 0;
  if (there.length >= 8 && last > start) return { to: last, edge: edge !== -1 };
  return { to: edge === -1 ? start : Math.max(minSight.across, Math.min(start, there.at(-1)?.at ?? 0)), edge: false };
}
