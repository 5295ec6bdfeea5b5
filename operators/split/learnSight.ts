import { type Area, latitudeAt, longitudeAt, pixelAt, stretchAt } from './Area.ts';

/** A row of a search on the map. */
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
export interface Searched extends View {
  readonly rows: readonly Spotted[];
  /** The number of its rows, including those without a position. */
  readonly count: number;
}

/** The result that a lesson gets for a failed search. */
export const failedSearch = { rows: [], count: Infinity } as const;

/** Half the width and half the height of the rectangle that a search sees all of, in pixels at its zoom. */
export interface Sight {
  readonly across: number;
  readonly down: number;
  /** `stretchAt` where this was learnt. A view that is measured in kilometres has fewer pixels where the map is stretched less. */
  readonly stretch?: number | undefined;
}

/** Why nothing can be learnt: searches return rows from outside their view, or other rows each time. */
type Unteachable = 'elsewhere' | 'unsteady';

/** The least that every search is assumed to see: a square of 128 pixels. */
export const minSight: Sight = { across: 64, down: 64 };
/** No view reaches farther from its centre, in pixels at the equator. */
const farthest = 4096;
/** Up to this many rows of a search may come from beyond its view. */
export const strays = 4;
/** The limit of spots to zoom in on. */
const maxSpots = 2;
/** For `lookFrom`: the largest distance in pixels, and the ratio of two distances that is exact enough. */
const [widest, precision]: readonly [number, number] = [1024, 1.25];
/** The size of the largest rectangle in an ellipse, as a share of the ellipse's size. A little less, for rounding. */
const inEllipse = Math.SQRT1_2 * (1 - 1e-4);

/** Whether a search was cut off, as far as known. */
type IsCut = (search: Searched) => boolean;
/** Yields where to search, gets what came, and returns what it learnt. */
type Lesson<T> = Generator<View, T | Unteachable | undefined, Searched>;

/**
 * Learns how far a search sees, from `start` and usually eight more searches. It zooms in on a spot until a search isn't cut off, and then
 * searches on each side of that one. It returns undefined if nothing was learnt.
 */
export function* learnSight(area: Area, start: Searched, deepest: number, isCut: IsCut): Lesson<Sight> {
  const searches = [start];
  for (const spot of [undefined, ...spotsOf(start, area)]) {
    // later searches may show that the first one was cut off
    if (isCut(start) === (spot === undefined)) continue;
    const close = spot === undefined ? start : yield* zoomIn(searches, spot, start.zoom, deepest + 1, isCut);
    if (typeof close === 'string') return close;
    if (close !== undefined) yield* lookBeside(searches, close, area, isCut);
    else {
      const found = yield* lookFrom(spot!, deepest, isCut);
      if (found !== undefined) return found;
      continue;
    }
    const sight = sightOf(
      searches,
      searches.filter((search) => !isCut(search)),
    );
    if (sight !== undefined && (spot !== undefined || !isCut(start))) return sight;
  }
  return undefined;
}

/** The search at a spot that returns the most rows without being cut off. */
function* zoomIn(searches: Searched[], { x, y }: Spotted, low: number, high: number, isCut: IsCut): Lesson<Searched> {
  let close: Searched | undefined;
  let [looks, misses] = [0, 0];
  while (high - low > 1) {
    const zoom = Math.floor((low + high) / 2);
    const look = yield { x, y, zoom };
    searches.push(look);
    if (isCut(look) && liesElsewhere(look)) return 'elsewhere';
    // the row at the spot came in a wide view, so it has to come in a narrow one too
    if (look.count !== failedSearch.count) {
      looks += 1;
      if (!look.rows.some((row) => row.x === x && row.y === y)) misses += 1;
    }
    if (isCut(look)) low = zoom;
    else [high, close] = [zoom, close === undefined || look.rows.length > close.rows.length ? look : close];
  }
  return misses > 1 && misses > looks / 2 ? 'unsteady' : close;
}

/** Searches on each side of a search: as far away as its rows lie, then farther, until a search lacks some of these rows. */
function* lookBeside(searches: Searched[], close: Searched, area: Area, isCut: IsCut): Lesson<void> {
  const { x, y, zoom, rows } = close;
  if (rows.length <= strays) return;
  const inside = rows.filter((row) => isIn(area, row));
  const around = inside.length > strays ? inside : rows;
  const across = ninetieth(around.map((row) => Math.abs(row.x - x)));
  const down = ninetieth(around.map((row) => Math.abs(row.y - y)));
  for (const [right, below] of [[across, 0], [0, down]] as const) {
    let isEdge = false;
    for (const times of [1, -1, 2, -4]) {
      if ((isEdge || isCut(close)) && Math.abs(times) > 1) break;
      const look = yield { x: x + times * right, y: y + times * below, zoom };
      searches.push(look);
      isEdge ||= !isCut(look) && rows.filter(({ id }) => look.rows.every((row) => row.id !== id)).length > strays;
    }
  }
} // prettier-ignore

/** For a spot with more places than a search returns. Searches from farther and farther away, to learn from where they are seen. */
function* lookFrom({ x, y }: Spotted, zoom: number, isCut: IsCut): Lesson<Sight> {
  const from = (pixels: number): View => ({ x: x + pixels * pixelAt(zoom), y: y + pixels * pixelAt(zoom), zoom });
  const away = yield from(2 * farthest * stretchAt(y));
  if (isCut(away) && liesElsewhere(away)) return 'elsewhere';
  let [near, far] = [minSight.across, widest];
  while (far > near * precision) {
    const pixels = Math.sqrt(near * far);
    if (isCut(yield from(pixels))) near = pixels;
    else far = pixels;
  }
  return near > minSight.across ? { across: near, down: near, stretch: stretchAt(y) } : undefined;
}

/** Whether most of the rows of a search lie where no view reaches. */
export function liesElsewhere({ rows, ...view }: Searched): boolean {
  return rows.length > 0 && offsetsOf(view, rows).length < rows.length / 2;
}

/** How far places lie from the centre of a search, in pixels. Places that no view reaches are left out. */
function offsetsOf({ x, y, zoom }: View, places: Iterable<Spotted>): Sight[] {
  const pixel = pixelAt(zoom);
  const reach = farthest * stretchAt(y);
  return Array.from(places, (place) => ({
    across: Math.abs(place.x - x - Math.round(place.x - x)) / pixel, // across the date line
    down: Math.abs(place.y - y) / pixel,
  })).filter(({ across, down }) => across <= reach && down <= reach);
}

/**
 * The largest rectangle around the centre in which no search lacks a place that another one found. It isn't larger than the area in which
 * the searches returned rows. A view may be round, and there may be no places in its corners to show it. So the rectangle is made smaller,
 * to fit into an ellipse of that size. If searches lack places right at their centre, they return other rows each time: `unsteady`.
 */
function sightOf(searches: readonly Searched[], whole: readonly Searched[]): Sight | Unteachable | undefined {
  const places = new Map(searches.flatMap(({ rows }) => rows.map((row) => [row.id, row])));
  const lacking = whole.flatMap((search) => {
    const ids = new Set(search.rows.map(({ id }) => id));
    return offsetsOf(search, [...places.values()].filter(({ id }) => !ids.has(id))); // prettier-ignore
  });
  const seen = whole.map((search) => offsetsOf(search, search.rows));
  const isNear = ({ across, down }: Sight): boolean => across <= minSight.across && down <= minSight.down;
  if (lacking.filter(isNear).length > seen.flat().filter(isNear).length) return 'unsteady';
  const reach = (of: 'across' | 'down'): number =>
    Math.max(...seen.map((rows) => rows.map((row) => row[of]).sort((a, b) => b - a)[strays] ?? 0));
  const [widest, highest] = [reach('across'), reach('down')];
  let best: Sight = { across: 0, down: 0 };
  for (const across of [widest, ...lacking.map((one) => one.across).filter((one) => one < widest)]) {
    const down = Math.min(highest, ...lacking.filter((one) => one.across < across).map((one) => one.down));
    if (across * down > best.across * best.down) best = { across, down };
  }
  const [across, down] = [best.across * inEllipse, best.down * inEllipse];
  if (across < minSight.across || down < minSight.down) return undefined;
  return {
    across,
    down,
    stretch: Math.max(
      ...whole.map(({ y, zoom }) => Math.max(stretchAt(y - best.down * pixelAt(zoom)), stretchAt(y + best.down * pixelAt(zoom)))),
    ),
  };
}

/** Rows to zoom in on: with different positions in the area, or one outside if none is inside. */
function spotsOf({ rows }: Searched, area: Area): Spotted[] {
  const places = new Map(rows.map((row) => [`${row.x} ${row.y}`, row]));
  const inside = [...places.values()].filter((row) => isIn(area, row));
  const around = inside.length > 0 ? inside : [...places.values()].slice(0, 1);
  return around.filter((_, index) => index % Math.ceil(around.length / maxSpots) === 0);
}

function isIn(area: Area, { x, y }: Spotted): boolean {
  return area.contains(longitudeAt(x), latitudeAt(y));
}

function ninetieth(distances: readonly number[]): number {
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length * 0.9)]!;
}
