import { type Area, latitudeAt, longitudeAt, pixelAt, stretchAt } from './Area.ts';
import {
  estimateView,
  farthest,
  inEllipse,
  type LearntSight,
  minSight,
  type SearchResult,
  type Sight,
  type Spotted,
  strays,
  type View,
} from './estimateView.ts';

/** The number of spots to try. */
const spots = 3;
/** Beside a crowd: the nearest and the farthest view, as powers of two of pixels from its centre. */
const [nearest, widest] = [6, 12] as const;

/** The limit of searches that measure a view. */
const maxSearches = 90;

/** What comes next: a search, or what was learnt, or why searches can't teach it. */
type Lesson = { readonly search: View } | { readonly sight: LearntSight | Unteachable };

/** Searches return rows from elsewhere, or others each time. */
type Unteachable = 'elsewhere' | 'unsteady';

/** Yields where to search, takes the result, returns what it learnt. */
type Search<T> = Generator<View, T, SearchResult>;

/**
 * What follows from the searches so far: where to search next to find out how far a search sees, or the answer. It goes through the
 * whole lesson each time, so it needs no memory, and what a later search teaches of an earlier one counts.
 */
export function learnView(
  area: Area,
  zoom: readonly [number, number],
  enough: number,
  searches: readonly SearchResult[],
  first?: SearchResult,
): Lesson {
  const lesson = findSight(area, zoom, enough, first);
  for (let step = lesson.next(); ;) {
    if (step.done === true) return { sight: step.value };
    const { x, y, zoom: at } = step.value;
    const known = searches.find((one) => one.x === x && one.y === y && one.zoom === at);
    if (known === undefined) return searches.length < maxSearches ? { search: step.value } : { sight: { ...minSight, sure: false } };
    step = lesson.next(known);
  }
}

/**
 * Finds out how far a search sees, with few searches.
 *
 * It searches the whole area (`first`, if that was searched already), then zooms in on a spot that has rows until a search
 * isn't full but returns enough to learn from. Then it searches beside that one, on each side, where its edges must be. It
 * tries three spots at most. Where every search is full, it measures from how far away the spot is seen.
 */
function* findSight(area: Area, zoom: readonly [number, number], enough: number, first?: SearchResult): Search<LearntSight | Unteachable> {
  const start = first ?? (yield wholeView(area, zoom));
  if (!start.full) return yield* lookBeside(area, [start], start);
  const searches = [start];
  const around = spotsOf(start, area);
  let learnt: LearntSight | 'unsteady' = around.length === 0 ? { ...minSight, sure: false } : 'unsteady';
  for (const spot of around) {
    const close = yield* zoomIn(searches, spot, [start.zoom, zoom[1]], enough);
    if (close === 'elsewhere') return close;
    if (close === 'unsteady') continue;
    const isCrowd = searches.some(({ rows }) => rows.filter((row) => isAt(row, spot)).length > strays);
    if (close === undefined) return yield* lookAt(spot, zoom[1], isCrowd ? 0 : minSight.across);
    learnt = yield* lookBeside(area, searches, close);
    if (learnt.sure) return learnt;
    if (isCrowd) return yield* lookAt(spot, close.zoom, 0);
  }
  return learnt;
}

/** Whether most of the rows of a search lie where its view doesn't reach. `reach`: without it, as far as any view does. */
export function liesElsewhere(search: View & { readonly rows: readonly Spotted[] }, reach?: Sight): boolean {
  return near(search, reach).length < search.rows.length / 2;
}

/** The rows of a search that lie where its view may reach. */
function near({ x, y, zoom, rows }: View & { readonly rows: readonly Spotted[] }, reach: Sight = widestAt(y)): readonly Spotted[] {
  const pixel = pixelAt(zoom);
  const aside = (row: Spotted): number => Math.abs(row.x - x - Math.round(row.x - x)); // across the date line
  return rows.filter((row) => aside(row) <= reach.across * pixel && Math.abs(row.y - y) <= reach.down * pixel);
}

function widestAt(y: number): Sight {
  const pixels = farthest * stretchAt(y);
  return { across: pixels, down: pixels };
}

/** The whole area, so small that the smallest view shows it. */
function wholeView({ box: { left, right, top, bottom } }: Area, [lowest, highest]: readonly [number, number]): View {
  const fits = Math.log2(
    Math.min((minSight.across * inEllipse) / 128 / (right - left), (minSight.down * inEllipse) / 128 / (bottom - top)),
  );
  return { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(lowest, Math.min(highest, Math.floor(fits))) };
}

/** Rows to zoom in on: different places in the area, or one outside if it shows none inside. */
function spotsOf({ rows }: SearchResult, area: Area): Spotted[] {
  const inside = rows.filter((row) => isIn(area, row));
  const around = inside.length > 0 ? inside : rows;
  const chosen = Array.from(
    { length: inside.length > 0 ? spots : 1 },
    (_, spot) => around[Math.floor(((spot + 0.5) / spots) * around.length)],
  );
  return chosen.filter((one): one is Spotted => one !== undefined && chosen.find((other) => isAt(other, one)) === one);
}

function isIn(area: Area, { x, y }: Spotted): boolean {
  return area.contains(longitudeAt(x), latitudeAt(y));
}

function isAt(one: Spotted | undefined, other: Spotted): boolean {
  return one !== undefined && one.x === other.x && one.y === other.y;
}

/** The search at a spot that returns the most rows without being full. */
function* zoomIn(
  searches: SearchResult[],
  { id, x, y }: Spotted,
  [widest_, highest]: readonly [number, number],
  enough: number,
): Search<SearchResult | undefined | Unteachable> {
  let best: SearchResult | undefined;
  let [looks, misses] = [0, 0];
  for (let [low, high] = [widest_, highest + 1]; high - low > 1;) {
    const middle = Math.floor((low + high) / 2);
    const look = yield { x, y, zoom: middle };
    searches.push(look);
    // there is a row at this spot, so a full search shows the rows around it
    if (look.full && look.rows.length > 0 && liesElsewhere(look)) return 'elsewhere';
    // whatever comes first in a wide view comes first in a narrow one, too
    if (look.rows.length > 0) looks += 1;
    if (look.rows.length > 0 && !look.rows.some((row) => row.id === id)) misses += 1;
    if (look.full) low = middle;
    else high = middle;
    const rows = near(look);
    if (!look.full && rows.length > (best?.rows.length ?? -1)) best = { ...look, rows };
    if (!look.full && rows.length >= enough) break;
  }
  return misses > 1 && misses > looks / 2 ? 'unsteady' : best;
}

/** Searches on each side of a search, as far away as its rows in the area lie. Others may lie anywhere. */
function* lookBeside(area: Area, searches: SearchResult[], { x, y, zoom, rows: all }: SearchResult): Search<LearntSight> {
  const inside = all.filter((row) => isIn(area, row));
  const rows = inside.length < 3 ? all : inside;
  let learnt: LearntSight = { ...minSight, sure: false };
  if (rows.length < 3) return learnt;
  const across = ninetieth(rows.map((row) => Math.abs(row.x - x)));
  const down = ninetieth(rows.map((row) => Math.abs(row.y - y)));
  for (const [right, below] of [[across, 0], [0, down], [-across, 0], [0, -down]] as const) {
    searches.push(yield { x: x + right, y: y + below, zoom });
    learnt = estimateView(searches);
    if (learnt.sure) break;
  }
  return learnt;
} // prettier-ignore

function ninetieth(distances: readonly number[]): number {
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length * 0.9)] ?? pixelAt(0);
}

/** Measures from how far away a crowd is seen. `size`: its rows lie no more pixels from the spot. */
function* lookAt({ x, y }: Spotted, zoom: number, size: number): Search<LearntSight | Unteachable> {
  const pixel = pixelAt(zoom);
  const look = (right: number, below: number): View => ({ x: x + right * pixel, y: y + below * pixel, zoom });
  const shows = ({ rows }: SearchResult): boolean =>
    rows.filter((row) => Math.abs(row.x - x) <= size * pixel && Math.abs(row.y - y) <= size * pixel).length > strays;
  const away = yield look(2 * widestAt(y).across, 0);
  if (shows(away) || (away.full && liesElsewhere(away))) return 'elsewhere';
  const edge = function* (axis: (pixels: number) => readonly [number, number]): Search<number> {
    let [seen, unseen]: [number, number] = [nearest, widest];
    while (unseen - seen > precision) {
      const middle = (seen + unseen) / 2;
      if (shows(yield look(...axis(2 ** middle)))) seen = middle;
      else unseen = middle;
    }
    return Math.max(minSight.across, 2 ** seen - size);
  };
  const [across, down] = [yield* edge((pixels) => [pixels, 0]), yield* edge((pixels) => [0, pixels])];
  return { across, down, sure: across > minSight.across && down > minSight.down };
}

/** A quarter of an octave: the edge of a view is known to a fifth. */
const precision = 0.25;
