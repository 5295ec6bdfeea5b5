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
  /** Each search, with the ids of its rows. */
  readonly #searched: { readonly result: SearchResult; readonly ids: ReadonlySet<number> }[] = [];
  /** Each place, and how many rows it had. */
  readonly #seen = new Map<number, { readonly spot: Spotted; times: number }>();

  add(result: SearchResult): void {
    this.#searched.push({ result, ids: new Set(result.rows.map(({ id }) => id)) });
    for (const spot of result.rows) {
      const known = this.#seen.get(spot.id);
      if (known === undefined) this.#seen.set(spot.id, { spot, times: 1 });
      else known.times++;
    }
  }

  /** The distance known so far. `sure`: both edges were found, so it isn't more. */
  learn(): Sight & { readonly sure: boolean } {
    const points = this.#points();
    const square = grow(minSight.across, points, ({ across, down }) => Math.max(across, down));
    const wide = grow(
      square.to,
      points.filter(({ down }) => down <= square.to * margin),
      ({ across }) => across,
    );
    const high = grow(
      square.to,
      points.filter(({ across }) => across <= wide.to * margin),
      ({ down }) => down,
    );
    return { across: wide.to * margin, down: high.to * margin, sure: wide.edge && high.edge };
  }

  /** Each search that isn't full, with each place that another search found: the distance, and whether this search returned it. */
  #points(): Point[] {
    const points: Point[] = [];
    for (const { result, ids } of this.#searched) {
      if (result.full) continue;
      const size = pixelAt(result.zoom);
      for (const [id, { spot, times }] of this.#seen) {
        const [across, down] = [Math.abs(spot.x - result.x) / size, Math.abs(spot.y - result.y) / size];
        const isNear = across < farthest && down < farthest;
        const there = isNear && ids.has(id);
        if (isNear && (!there || times > 1)) points.push({ across, down, there });
      }
    }
    return points;
  }
}

/** So many places from one that is missing on say whether the view ends there. */
const edgePlaces = 10;

/**
 * How far places are returned. `edge`: beyond that they are missing. One missing place proves nothing, and the last
 * ones returned may be strays. As far as `start` it is taken to see where no places show more, unless some are missing there.
 */
function grow(start: number, points: readonly Point[], at: (point: Point) => number): { readonly to: number; readonly edge: boolean } {
  const returned = points.filter((point) => point.there);
  const last = returned.reduce((most, point) => Math.max(most, at(point)), 0);
  // Beyond the last one, where most points are, all are missing: their order says nothing.
  const near = points.filter((point) => at(point) <= last).sort((a, b) => at(a) - at(b));
  const beyond = points.length - near.length;
  const edge = near.findIndex(({ there }, index) => {
    if (there) return false;
    const next = near.slice(index, index + edgePlaces);
    const others = Math.min(beyond, edgePlaces - next.length);
    return next.filter((point) => !point.there).length + others > (next.length + others) * 0.25;
  });
  const isEdge = edge !== -1 || beyond > 0;
  const there = near.slice(0, edge === -1 ? undefined : edge).filter((point) => point.there);
  const third = there.at(-3);
  const to = third === undefined ? 0 : at(third);
  if (there.length >= 8 && to > start) return { to, edge: isEdge };
  const end = there.at(-1);
  return { to: isEdge ? Math.max(minSight.across, Math.min(start, end === undefined ? 0 : at(end))) : start, edge: false };
}
