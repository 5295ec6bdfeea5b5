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

/** Half the width and half the height of the ellipse that a search is assumed to see, in pixels at its zoom. Nothing else counts as seen. */
export interface Sight {
  readonly across: number;
  readonly down: number;
}

/** `sure`: both edges were found, so it isn't more. */
export interface LearntSight extends Sight {
  readonly sure: boolean;
}

/** Half the size of the largest rectangle in an ellipse, as a share of the ellipse's. */
export const inEllipse = Math.SQRT1_2;
/** Assumed from the start: a search sees a square of 128 pixels. */
export const minSight: Sight = { across: 64 / inEllipse, down: 64 / inEllipse };
/** No view reaches farther from its centre. */
export const farthest = 4096;
/** The rows of a search that may come from beyond its view: the farthest ones don't say how far it sees. */
export const strays = 4;
/** A search lacks places if it misses so large a share of those known to be where it sees. Services drop a few rows. */
export const missingShare = 0.02;
/** A place that is missing no farther out than this, as a share of the view, shows where the view ends. */
const nearby = 1.25;
/** A place that is missing farther out than this, as a share of the view, is no row that the service dropped. */
export const nearEdge = 0.8;

/** Ellipses to try where places are missing: as wide and as high as rows lie, or narrower, or lower. */
const shapes = [1, 0.9, 0.8, 0.7, 0.6, 0.5].flatMap((share) => [[share, 1], [1, share]] as const); // prettier-ignore

/** A known place, as a search that isn't full shows it. */
interface Point {
  /** How far it lies from the centre, in pixels. */
  readonly across: number;
  readonly down: number;
  /** The search returned it. */
  readonly there: boolean;
}

/**
 * Learns from the returned rows how far a search sees. No service documents this.
 *
 * A rectangle, a circle or an ellipse is at least as wide as any row in it lies to the side, and as high as any lies above or below. So
 * it contains the ellipse that is as wide and as high as the rows of one search lie, but for the few that may come from beyond the view.
 * Views of other shapes lack places in that ellipse, which other searches return. Then it is made smaller.
 */
export function estimateView(searches: readonly SearchResult[]): LearntSight {
  const points = pointsOf(searches);
  const exact = addsRows(points) ? undefined : estimate(searches, points, 1);
  return exact?.sure === true ? exact : estimate(searches, points, strays);
}

/** `few`: how many rows of a search may lie beyond its view. */
function estimate(searches: readonly SearchResult[], points: readonly Point[], few: number): LearntSight {
  const whole = searches.filter(({ full }) => !full);
  const widest = Math.max(minSight.across, ...whole.map((one) => reach(one, few, (row) => row.x - one.x)));
  const highest = Math.max(minSight.down, ...whole.map((one) => reach(one, few, (row) => row.y - one.y)));
  let [across, down] = [0, 0];
  for (const [wide, high] of shapes) {
    const scale = wholeTo(points, { across: widest * wide, down: highest * high });
    if (widest * wide * scale * highest * high * scale > across * down) [across, down] = [widest * wide * scale, highest * high * scale];
    if (scale === 1) break;
  }
  const edges = points.filter((point) => !point.there && farIn({ across, down }, point) <= nearby);
  const isEdge = (is: (leaning: number) => boolean): boolean => edges.some((point) => is(point.across / across - point.down / down));
  return {
    across: Math.max(minSight.across, across),
    down: Math.max(minSight.down, down),
    sure: isEdge((leaning) => leaning > 0) && isEdge((leaning) => leaning < 0),
  };
}

/** The largest part of an assumed view without these places, which a search lacks: as wide, as high, or of the same shape. */
export function without(sight: Sight, places: readonly Sight[]): Sight {
  const least = (of: (wide: number, high: number) => number): number =>
    Math.min(...places.map(({ across, down }) => of(across / sight.across, down / sight.down)));
  const narrower = least((wide, high) => wide / Math.sqrt(1 - high ** 2));
  const lower = least((wide, high) => high / Math.sqrt(1 - wide ** 2));
  const smaller = least(Math.hypot);
  if (smaller ** 2 >= Math.max(narrower, lower)) return { across: sight.across * smaller, down: sight.down * smaller };
  return narrower > lower ? { ...sight, across: sight.across * narrower } : { ...sight, down: sight.down * lower };
}

/** How far out a place lies in an ellipse. Its edge is at 1. */
export function farIn({ across, down }: Sight, point: Sight): number {
  return Math.sqrt((point.across / across) ** 2 + (point.down / down) ** 2);
}

/** How far the rows of a search lie in one direction, in pixels, but for a few. */
function reach({ zoom, rows }: SearchResult, few: number, at: (row: Spotted) => number): number {
  const pixel = pixelAt(zoom);
  const far = rows.map((row) => Math.abs(at(row)) / pixel).filter((pixels) => pixels < farthest);
  return far.sort((a, b) => b - a)[few] ?? 0;
}

/** Each search that isn't full, with each place that any search found, if a view may reach so far. */
function pointsOf(searches: readonly SearchResult[]): Point[] {
  const places = new Map(searches.flatMap(({ rows }) => rows.map((row) => [row.id, row])));
  const points: Point[] = [];
  for (const { x, y, zoom, full, rows } of searches) {
    if (full) continue;
    const pixel = pixelAt(zoom);
    const ids = new Set(rows.map(({ id }) => id));
    for (const place of places.values()) {
      const [across, down] = [Math.abs(place.x - x) / pixel, Math.abs(place.y - y) / pixel];
      if (across < farthest && down < farthest) points.push({ across, down, there: ids.has(place.id) });
    }
  }
  return points;
}

/** As what share of the assumed view (nearly) no place is missing. Deep inside, a service may have dropped a row. */
function wholeTo(points: readonly Point[], sight: Sight): number {
  const inside: { readonly at: number; readonly there: boolean }[] = [];
  for (const point of points) {
    const at = farIn(sight, point);
    if (at <= 1) inside.push({ at, there: point.there });
  }
  inside.sort((a, b) => a.at - b.at);
  const dropped: number[] = [];
  let whole = 1;
  for (const [index, { there }] of inside.entries()) {
    if (there) continue;
    const before = inside[index - 1]?.at ?? 0;
    if (dropped.length + 1 > (index + 1) * missingShare) {
      whole = before;
      break;
    }
    dropped.push(before);
  }
  return dropped.find((one) => one > whole * nearEdge) ?? whole;
}

/** Whether searches return rows from beyond their view: some lie as far as a place that is missing, or farther, in both directions. */
function addsRows(points: readonly Point[]): boolean {
  let least = Infinity;
  return points
    .toSorted((a, b) => a.across - b.across || Number(a.there) - Number(b.there))
    .some(({ there, down }) => {
      if (!there) least = Math.min(least, down);
      return there && down >= least;
    });
}
