import { type Area, latitudeAt, longitudeAt, pixelAt, stretchAt } from './Area.ts';
import { farthest, minSight, Reach, type SearchResult, type Sight, type Spotted, type View } from './Reach.ts';

/** The number of spots to try. */
const spots = 3;
/** Beside a crowd: the nearest and the farthest view, as powers of two of pixels from its centre. */
const [nearest, widest] = [6, 12] as const;

/** What is known of the view of a search. `sure`: both edges were found. undefined: the search doesn't heed its view. */
export type KnownSight = (Sight & { readonly sure: boolean }) | undefined;

/** Yields where to search, takes the result, returns what it learnt. */
export type Search<T> = Generator<View, T, SearchResult>;

/**
 * Finds out how far a search sees, with few searches.
 *
 * It searches the whole area (`first`, if that was searched already), then zooms in on a spot that has rows until a search
 * isn't full but returns enough to learn from. Then it searches beside that one, on each side, where its edges must be. It
 * tries three spots at most. Where every search is full, it measures from how far away the spot is seen.
 */
export function* findSight(area: Area, zoom: readonly [number, number], enough: number, first?: SearchResult): Search<KnownSight> {
  const reach = new Reach();
  const start = first ?? (yield wholeView(area, zoom));
  reach.add(start);
  const around = spotsOf(start, area);
  let learnt: KnownSight = { ...minSight, sure: false };
  if (!start.full) {
    learnt = yield* lookBeside(reach, start);
    // where searches are cut off may be known only now
    if (learnt.sure || !start.full) return learnt;
    around.shift();
  }
  for (const at of around) {
    const close = yield* zoomIn(reach, at, [start.zoom, zoom[1]], enough);
    if (close === 'elsewhere') return undefined;
    if (close === undefined) return yield* lookAt(at, zoom[1]);
    if (close.rows.length < 3) break;
    learnt = yield* lookBeside(reach, close);
    if (learnt.sure) break;
  }
  return learnt;
}

/** Whether most of the rows of a search lie where its view doesn't reach. `reach`: without it, as far as any view does. */
export function liesElsewhere({ x, y, zoom, rows }: View & { readonly rows: readonly Spotted[] }, reach: Sight = widestAt(y)): boolean {
  const pixel = pixelAt(zoom);
  const near = rows.filter((row) => Math.abs(row.x - x) <= reach.across * pixel && Math.abs(row.y - y) <= reach.down * pixel);
  return near.length < rows.length / 2;
}

function widestAt(y: number): Sight {
  const pixels = farthest * stretchAt(y);
  return { across: pixels, down: pixels };
}

/** The whole area, so small that the smallest view shows it. */
function wholeView({ box: { left, right, top, bottom } }: Area, [lowest, highest]: readonly [number, number]): View {
  const fits = Math.log2(Math.min(minSight.across / 128 / (right - left), minSight.down / 128 / (bottom - top)));
  return { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(lowest, Math.min(highest, Math.floor(fits))) };
}

/** Rows to zoom in on: different places in the area, or one outside if it shows none inside. */
function spotsOf({ rows }: SearchResult, area: Area): Spotted[] {
  const inside = rows.filter(({ x, y }) => area.contains(longitudeAt(x), latitudeAt(y)));
  const around = inside.length > 0 ? inside : rows;
  const chosen = Array.from(
    { length: inside.length > 0 ? spots : 1 },
    (_, spot) => around[Math.floor(((spot + 0.5) / spots) * around.length)],
  );
  return chosen.filter((one): one is Spotted => one !== undefined && chosen.find((other) => isAt(other, one)) === one);
}

function isAt(one: Spotted | undefined, other: Spotted): boolean {
  return one !== undefined && one.x === other.x && one.y === other.y;
}

/** The search at a spot that returns the most rows without being full. */
function* zoomIn(
  reach: Reach,
  { x, y }: Spotted,
  [widest_, highest]: readonly [number, number],
  enough: number,
): Search<SearchResult | undefined | 'elsewhere'> {
  let best: SearchResult | undefined;
  for (let [low, high] = [widest_, highest + 1]; high - low > 1;) {
    const middle = Math.floor((low + high) / 2);
    const look = yield { x, y, zoom: middle };
    reach.add(look);
    // there is a row at this spot, so a full search shows the rows around it
    if (look.full && look.rows.length > 0 && liesElsewhere(look)) return 'elsewhere';
    if (look.full) low = middle;
    else high = middle;
    if (!look.full && look.rows.length > (best?.rows.length ?? -1)) best = look;
    if (!look.full && look.rows.length >= enough) break;
  }
  return best;
}

/** Searches on each side of a search, as far away as its rows lie. */
function* lookBeside(reach: Reach, { x, y, zoom, rows }: SearchResult): Search<Sight & { readonly sure: boolean }> {
  let learnt: Sight & { readonly sure: boolean } = { ...minSight, sure: false };
  if (rows.length < 3) return learnt;
  const across = ninetieth(rows.map((row) => Math.abs(row.x - x)));
  const down = ninetieth(rows.map((row) => Math.abs(row.y - y)));
  for (const [right, below] of [[across, 0], [0, down], [-across, 0], [0, -down]] as const) {
    reach.add(yield { x: x + right, y: y + below, zoom });
    learnt = reach.learn();
    if (learnt.sure) break;
  }
  return learnt;
} // prettier-ignore

function ninetieth(distances: readonly number[]): number {
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length * 0.9)] ?? pixelAt(0);
}

/** Measures from how far away a crowd is seen that is too large for any search. */
function* lookAt({ x, y }: Spotted, zoom: number): Search<KnownSight> {
  const pixel = pixelAt(zoom);
  const sees = function* (right: number, below: number): Search<boolean> {
    const look = yield { x: x + right * pixel, y: y + below * pixel, zoom };
    return look.rows.some((row) => Math.abs(row.x - x) <= minSight.across * pixel && Math.abs(row.y - y) <= minSight.down * pixel);
  };
  if (yield* sees(2 * widestAt(y).across, 0)) return undefined;
  const edge = function* (axis: (pixels: number) => readonly [number, number]): Search<number> {
    let [seen, unseen]: [number, number] = [nearest, widest];
    while (unseen - seen > precision) {
      const middle = (seen + unseen) / 2;
      if (yield* sees(...axis(2 ** middle))) seen = middle;
      else unseen = middle;
    }
    return 2 ** seen;
  };
  return { across: yield* edge((pixels) => [pixels, 0]), down: yield* edge((pixels) => [0, pixels]), sure: true };
}

/** A quarter of an octave: the edge of a view is known to a fifth. */
const precision = 0.25;
