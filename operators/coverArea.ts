import { concat, defer, EMPTY, finalize, from, map, Observable, Subject, tap, throwError } from 'rxjs';
import { mergeBounded } from './mergeBounded.ts';
import { fanOut, fanOutOptions, type FanOutOptions } from './fanOut.ts';
import type { PageFactory } from './PageFactory.ts';
import type { PageLike } from './PageLike.ts';
import type { Within } from './split/Area.ts';
import { areaOf } from './split/areaOf.ts';
import { AreaCover, type Tile, coverFaults, emptyArea, leftAdvice } from './split/AreaCover.ts';
import { isOutside, spotsOf, statedSight, writeView } from './split/AreaSpec.ts';
import { walkLimit, usualPage } from './split/RowCap.ts';
import type { Sight } from './split/learnSight.ts';
import { type SplitSummary, withoutCapped } from './split/Split.ts';
import { valueAt } from './kit/path.ts';
import { pageError } from './walk/Walk.ts';
import { type CountedPaging, kindOf } from './walk/paging/pagingKinds.ts';
import { specOf } from './walk/WalkedOperation.ts';
import { walkPages, withRows } from './walk/walkPages.ts';
import { anything, flag, having, like, whole, declareOptions } from './options/index.ts';

export interface CoverAreaOptions<Query extends object> extends Pick<
  FanOutOptions<Query, PageLike>,
  'concurrency' | 'onError' | 'failures'
> {
  /** What to cover: `[west, south, east, north]`, `{ center: [longitude, latitude], radiusKm }`, or GeoJSON. */
  readonly within: Within;
  /** What to search for: words, or a query without the parameter of the view, or several of either. */
  readonly query: string | Partial<Query> | readonly (string | Partial<Query>)[];
  /** The lowest and highest zoom to search at. @default what the operation says */
  readonly zoom?: readonly [number, number] | undefined;
  /** This many rows may mean that there are more. @default what the operation says; limits seen in actual searches take precedence */
  readonly full?: number | undefined;
  /** Drop rows outside the area. @default true */
  readonly clip?: boolean | undefined;
  /** Receives a summary of each query when it ends: how many rows lay outside, which tiles stayed full. */
  readonly summary?: { next(summary: SplitSummary<Query>): void } | undefined;
}

const zoomWords = 'two whole numbers from 0 to 22, the least first';
const isZoom = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every((one) => Number.isInteger(one) && one >= 0 && one <= 22) &&
  value[0] <= value[1];
const isQuery = (value: unknown): boolean => [value].flat().length > 0 && [value].flat().every((one) => one !== undefined && one !== '');
const { concurrency, onError, failures } = fanOutOptions.kinds;
const coverAreaOptions = declareOptions<CoverAreaOptions<object>>()({
  within: anything<Within>(),
  query: like<CoverAreaOptions<object>['query']>('words or a query, or several of them', isQuery).needed(),
  zoom: like(zoomWords, isZoom),
  full: whole({ from: 1 }),
  clip: flag().or(true),
  concurrency,
  summary: having('an object with next', 'next'),
  onError,
  failures,
});

/**
 * Finds all rows in an area, for map searches that return only the first hundred or so of a view. It searches tiles,
 * each as large as a search sees, and smaller ones where a search was full. It emits pages, with each row once.
 *
 * How far a search sees is learnt first, usually from nine searches, unless the operation says it. Then the area is
 * divided into tiles. Tiles that are still full at the highest zoom are reported as an event of the client and in the summary.
 *
 * - Order: not guaranteed. Rows and requests are the same at any `concurrency`.
 * - Concurrency: `concurrency` walks at once, after the first searches, which run one at a time. Queries also run one
 *   at a time.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: up to half a request per row in dense areas, more in sparse ones, and one request for an empty tile of any
 *   size. Ids and positions of rows are kept in memory.
 *
 * @example
 * coverArea(client.mapsSearch, { within: [13.09, 52.34, 13.76, 52.68], query: 'bakery' }).pipe(items(), toCsv('bakeries.csv'))
 */
export function coverArea<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page, CountedPaging>,
  options: CoverAreaOptions<Query>,
): Observable<Page> {
  const caller = `coverArea(${factory.name})`;
  const { query, clip, concurrency, summary, full: wanted, zoom: range } = coverAreaOptions.read(caller, options);
  const { name, splits, id } = specOf(factory);
  const inArea = splits?.area;
  if (splits === undefined || inArea === undefined)
    throw new RangeError(`${caller}: the operation doesn't say how to search one part of the map`);
  const within = areaOf(caller, options.within);
  const [full, zoom] = [wanted ?? splits.full, range ?? inArea.zoom];
  const queries = [query].flat() as (string | Partial<Query>)[];
  const quiet = withoutCapped<Query, Page>(factory);
  const pageSize = kindOf(factory.paging).pageSize ?? usualPage;

  const cover = (base: object, shared: { sight?: Sight | undefined }): Observable<Page> =>
    new Observable((destination) => {
      const area = new AreaCover(within, { zoom, full, pageSize, sight: shared.sight });
      const counts = { queries: 0, rows: 0, again: 0, outside: 0 };
      const known = new Set<unknown>();
      const queryOf = (tile: Tile): Query => ({ ...base, [inArea.param]: writeView(inArea, tile) }) as Query;
      const tiles = new Map<Query, Tile>();
      const queries = new Subject<Query>();
      let open = 0;
      let feeding = false;
      // A loop, because a walk that ends at once calls `feed` from inside `feed`, and the stack would grow.
      const feed = (): void => {
        if (feeding) return;
        feeding = true;
        while (open < concurrency && !destination.closed) {
          const tile = area.next();
          if (tile === undefined) break;
          open++;
          counts.queries++;
          const query = queryOf(tile);
          tiles.set(query, tile);
          queries.next(query);
        }
        feeding = false;
        if (open === 0) queries.complete();
      };
      /** Whether a row is new and lies in the area. Rows without a position are kept. */
      const isKept = (row: unknown): boolean => {
        const mark = id === undefined ? undefined : valueAt(row, id);
        const fate =
          clip && isOutside(row, within, inArea) ? 'outside' : mark !== undefined && mark !== null && known.has(mark) ? 'again' : 'rows';
        counts[fate]++;
        if (fate === 'rows') known.add(mark);
        return fate === 'rows';
      };
      const walk = (query: Query): Observable<Page> => {
        const tile = tiles.get(query)!;
        tiles.delete(query);
        const rows: unknown[] = [];
        const pages = walkPages(quiet, { maxItems: walkLimit(area.cap, full) })(query).pipe(
          map((page) => {
            for (const row of page.items) rows.push(row);
            const kept = page.items.filter(isKept);
            return kept.length === page.items.length ? page : withRows(page, kept);
          }),
        );
        const end = defer(() => {
          area.done(tile, { rows: spotsOf(rows, inArea, id), count: rows.length });
          const { unfit } = area;
          return unfit === undefined
            ? EMPTY
            : throwError(() => pageError(factory, { message: `${name}: ${coverFaults[unfit](inArea, id)}`, query, lastCursor: undefined }));
        });
        return concat(pages, end).pipe(
          finalize(() => {
            area.done(tile, null);
            open--;
            feed();
          }),
        );
      };
      const { onError, failures } = options;
      const complete = (): void => {
        if (counts.rows === 0) factory.notify?.({ type: 'thinPage', operation: factory.name, query: base, message: emptyArea });
      };
      const walks = fanOut(walk, { concurrency, onError: onError as 'fail', failures });
      destination.add(queries.pipe(walks, tap({ complete })).subscribe(destination));
      destination.add(() => {
        shared.sight ??= area.sight;
        const left = area.left.map(({ tile, because }) => ({ query: queryOf(tile), message: leftAdvice[because] }));
        for (const { query, message } of left)
          factory.notify?.({ type: 'capped', operation: factory.name, query, limit: 'full', pages: 0, items: 0, message });
        summary?.next({ ...counts, full: left.map(({ query }) => query) });
      });
      feed();
    });
  return defer(() => {
    const shared = { sight: statedSight(inArea) };
    return from(queries).pipe(
      mergeBounded((query: string | object) => cover(typeof query === 'string' ? { [inArea.words]: query } : query, shared), {
        concurrency: 1,
      }),
    );
  });
}
