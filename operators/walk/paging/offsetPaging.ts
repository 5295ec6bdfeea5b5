import { ownValue } from '../../kit/ownValue.ts';
import { receivedOf } from '../../PageLike.ts';
import { valueAt } from '../../kit/path.ts';
import type { Alone } from './cursorPaging.ts';
import { countAt, type Flags, saysMore, withParam } from './followToken.ts';
import { type PagingKind, usualPaging } from './PagingKind.ts';

/** The query has a number: a page, an offset in fixed steps, or the rows received so far. */
export interface OffsetPaging extends Flags {
  readonly kind: 'offset';
  /** The query's parameter that takes the number. */
  readonly param: string;
  /** The value of the first page. @default 0 */
  readonly first?: number;
  /** What each page adds to the parameter. `'received'` adds the number of rows received. */
  readonly step: number | 'received';
  /**
   * Where `data` lists the existing page numbers, as keys from 1 on. None above `current` means the end. If the page's own number isn't
   * documented, the list only says whether an empty page is doubtful. Descriptions have no field of this name.
   */
  readonly numbers?: PageNumbers;
  /**
   * Where `data` gives the query's total number of rows. The walk ends when exactly so many have come. If more come, the number is wrong
   * and is ignored. A row that is on two pages counts once if it has an `id`.
   */
  readonly total?: string;
  /** Where `data` gives the number of pages, if they are counted in fixed steps. The walk ends with the last of them. */
  readonly pages?: string;
  /** Parameters sent with every page of a walk. */
  readonly fixed?: { readonly [param: string]: string | number | boolean };
  /** A request for a later page has no other parameters than those of the path, and these. */
  readonly alone?: Alone;
  /** Parameters without which a page after the first can't be requested. */
  readonly needs?: readonly string[];
}

interface PageNumbers {
  /** Where the list is. */
  readonly at: string;
  /** Where the page's own number is. @default it isn't documented */
  readonly current?: string;
}

export function offsetPaging(paging: OffsetPaging): PagingKind {
  const { param, first = 0, step, fixed, numbers, total, pages } = paging;
  return {
    ...usualPaging,
    operator: 'offsetPages',
    by: 'by count',
    countsRows: total !== undefined && step === 1,
    resumes: step === 'received',
    pageSize: typeof step === 'number' && step > 1 ? step : undefined,
    takes: step === 'received' ? [] : ['startPage'],
    param: () => param,
    begin(query, { startPage = 0 }, name) {
      const skipped = startPage > 0 && step !== 'received' ? { [param]: first + startPage * step } : undefined;
      const start = fixed === undefined && skipped === undefined ? query : { ...query, ...fixed, ...skipped };
      const number = ownValue(start, param) ?? first;
      if (!Number.isSafeInteger(number) || (number as number) < 0) {
        throw new RangeError(`${name}: ${param} must be a whole number from 0 on to count from, not ${JSON.stringify(number)}`);
      }
      return { query: start, partial: number !== first };
    },
    /**
     * A page that says it is the last is the end. So is an empty page, unless it lists further pages. An empty page that says it isn't the
     * last is a doubtful end. A short page is not the end, because services may return short pages in the middle too.
     */
    onward({ operation, state, page, seenBefore = 0, options }) {
      const received = receivedOf(page);
      if (page.list === 'absent' && operation.listUndocumented === true) return { kind: 'end' };
      const hasMore = saysMore(page.data, paging);
      if (hasMore === false) return { kind: 'end', told: true };
      const number = pageNumberOf(paging, state.query);
      const count = countAt(page, pages);
      const before = (number - first) / Number(step);
      if (areAll(before + 1, count, received)) return { kind: 'end', told: true };
      const current = numbers?.current === undefined ? undefined : valueAt(page.data, numbers.current);
      const highest = numbers === undefined ? undefined : highestNumber(valueAt(page.data, numbers.at));
      if (highest !== undefined && typeof current === 'number') {
        if (highest <= current) return { kind: 'end', told: true };
      } else if (received === 0) {
        return { kind: 'end', doubtful: hasMore === true || count !== undefined || (step === 1 && (highest ?? 0) > number - first + 1) };
      }
      // With a step of 1 the number counts pages. Otherwise it counts rows, so it says how many rows came before.
      const had = step === 1 ? state.items - seenBefore : number - first;
      const isCounted = step !== 1 || options.rows === undefined; // otherwise `state.items` counts rows of another list
      const came = step === 1 ? (page.received ?? page.items.length) : received;
      if (isCounted && areAll(had + came, countAt(page, total), received)) return { kind: 'end', told: true };
      return { kind: 'on', cursor: number + (step === 'received' ? received : step) };
    },
    move: (query, number) => withParam(query, param, number),
    ahead(query, count) {
      return step === 'received' ? undefined : withParam(query, param, pageNumberOf(paging, query) + count * step);
    },
  };
}

/** Whether exactly `count` have come. If more came, `count` is wrong, and ends the walk only at an empty page. */
function areAll(had: number, count: number | undefined, received: number): boolean {
  return count !== undefined && (had === count || (had > count && received === 0));
}

/** The number of a query's page, as its parameter has it. */
export function pageNumberOf({ param, first = 0 }: OffsetPaging, query: object): number {
  return (ownValue(query, param) as number | undefined) ?? first;
}

/** The highest page number that the page lists, 0 if it lists none; undefined if there is no list. */
function highestNumber(numbers: unknown): number | undefined {
  if (typeof numbers !== 'object' || numbers === null) return undefined;
  return Object.keys(numbers).reduce((highest, number) => Math.max(highest, Number(number) || 0), 0);
}
