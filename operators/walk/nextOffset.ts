import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { valueAt } from './valueAt.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';
import type { WalkState } from './WalkState.ts';
import type { Onward } from './WalkStep.ts';

/**
 * The offset of the page after `page`. An empty page is the end unless it lists further pages, and so is one that says it
 * is the last. A short page is not the end: services may return short pages in the middle too.
 */
export function nextOffset(factory: WalkFactory, state: WalkState, page: PageLike, options: WalkOptions, notices: WalkEvent[]): Onward {
  const { paging } = factory;
  if (paging.kind !== 'offset') return { kind: 'end' };
  const received = page.received ?? page.items.length;
  if (page.list === 'absent') {
    if (factory.listUndocumented === true) return { kind: 'end' };
    const message = 'the list is not there at all, which is not the same as empty: whether this is the last page is not known';
    notices.push({ type: 'drift', operation: factory.name, query: state.query, issues: [{ path: '', message }] });
    // With maxPages the walk is sure to end, so it may look further. Without, it might never end.
    if (options.maxPages === undefined || options.maxPages === Infinity || paging.step === 'received') return { kind: 'broken', message };
  } else if (paging.more !== undefined && valueAt(page.data, paging.more) === false) {
    return { kind: 'end' };
  }
  const offset = (state.query as { readonly [param: string]: number | undefined })[paging.param] ?? paging.first ?? 0;
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
