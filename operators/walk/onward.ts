import { ownValue } from '../kit/ownValue.ts';
import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { receivedOf } from './suspicions.ts';
import { valueAt } from './valueAt.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';
import type { WalkState } from './WalkState.ts';

/** Where a walk goes after a page: to the next cursor, to its end, or to an error because neither can be known. */
type Onward =
  | { readonly kind: 'cursor'; readonly cursor: string | number }
  /** `doubtful`: the page says itself that there are more. */
  | { readonly kind: 'end'; readonly doubtful?: boolean }
  | { readonly kind: 'broken'; readonly message: string };

/** The token of a page. A missing token, null and '' mean the end. Anything else must be a new string, or the walk fails. */
export function nextToken(factory: WalkFactory, state: WalkState, page: PageLike, options: WalkOptions, notices: WalkEvent[]): Onward {
  const { paging } = factory;
  if (paging.kind !== 'cursor') return { kind: 'end' };
  const { cursorAt } = options;
  const back = options.direction === 'previous';
  const paths = typeof cursorAt === 'string' ? [cursorAt] : ((back ? paging.previous?.at : paging.at) ?? []);
  const inLink = paging.link === true && !back && cursorAt === undefined;
  const found = typeof cursorAt === 'function' ? [cursorAt(page)] : inLink ? [page.next] : paths.map((path) => valueAt(page.data, path));
  const token = found.find((value) => value !== undefined && value !== null && value !== '');

  if (typeof token === 'string') {
    return state.seen?.has(token) === true
      ? {
          kind: 'broken',
          message: `the token for the next page was used before (${state.seen.size} so far), so the walk would circle`,
        }
      : { kind: 'cursor', cursor: token };
  }
  if (token !== undefined) {
    return {
      kind: 'broken',
      message: `the token for the next page should be a text and is of type ${Array.isArray(token) ? 'array' : typeof token}`,
    };
  }
  if (page.list === 'absent' && factory.listUndocumented !== true && state.pages > 0) {
    return { kind: 'broken', message: 'this page has neither its list nor a token, though the page before had a token for it' };
  }
  if (paging.documented === true && cursorAt === undefined && found.every((value) => value === undefined)) {
    const issues = [{ path: paths[0] ?? '', message: 'the documented token is missing; on the last page it should be null or empty' }];
    notices.push({ type: 'drift', operation: factory.name, query: state.query, issues });
  }
  return { kind: 'end' };
}

/**
 * The offset of the page after `page`. An empty page is the end unless it lists further pages, and so is one that says it
 * is the last. A short page is not the end: services may return short pages in the middle too.
 */
export function nextOffset(factory: WalkFactory, state: WalkState, page: PageLike, options: WalkOptions, notices: WalkEvent[]): Onward {
  const { paging } = factory;
  if (paging.kind !== 'offset') return { kind: 'end' };
  const received = receivedOf(page);
  if (page.list === 'absent') {
    if (factory.listUndocumented === true) return { kind: 'end' };
    const message = 'the list is not there at all, which is not the same as empty: whether this is the last page is not known';
    notices.push({ type: 'drift', operation: factory.name, query: state.query, issues: [{ path: '', message }] });
    // With maxPages the walk is sure to end, so it may look further. Without, it might never end.
    if (options.maxPages === undefined || options.maxPages === Infinity || paging.step === 'received') return { kind: 'broken', message };
  } else if (paging.more !== undefined && valueAt(page.data, paging.more) === false) {
    return { kind: 'end' };
  }
  const offset = (ownValue(state.query, paging.param) as number | undefined) ?? paging.first ?? 0;
  const current = paging.numbers?.current === undefined ? undefined : valueAt(page.data, paging.numbers.current);
  const highest = paging.numbers === undefined ? undefined : highestNumber(valueAt(page.data, paging.numbers.at));
  if (highest !== undefined && typeof current === 'number') {
    if (highest <= current) return { kind: 'end' };
  } else if (received === 0 && page.list !== 'absent') {
    return { kind: 'end', doubtful: paging.step === 1 && (highest ?? 0) > offset - (paging.first ?? 0) + 1 };
  }
  const total = paging.total === undefined ? undefined : valueAt(page.data, paging.total);
  if (typeof total === 'number' && state.items + received >= total) return { kind: 'end' };
  return { kind: 'cursor', cursor: offset + (paging.step === 'received' ? received : paging.step) };
}

/** The highest page number that the page lists, 0 if it lists none; undefined if there is no list. */
function highestNumber(numbers: unknown): number | undefined {
  if (typeof numbers !== 'object' || numbers === null) return undefined;
  return Object.keys(numbers).reduce((highest, number) => Math.max(highest, Number(number) || 0), 0);
}
