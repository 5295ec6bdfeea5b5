import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { valueAt } from './valueAt.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';
import type { WalkState } from './WalkState.ts';
import type { Onward } from './WalkStep.ts';

/**
 * The offset of the page after `page`. An empty page is the end, and so is one that says it is the last. A short page
 * is not the end: services may return short pages in the middle too.
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
  } else if (received === 0 || (paging.more !== undefined && valueAt(page.data, paging.more) === false)) {
    return { kind: 'end' };
  }
  if (paging.numbers !== undefined && isLastNumber(page, paging.numbers)) return { kind: 'end' };
  const total = paging.total === undefined ? undefined : valueAt(page.data, paging.total);
  if (typeof total === 'number' && state.items + received >= total) return { kind: 'end' };
  const offset = (state.query as { readonly [param: string]: number | undefined })[paging.param] ?? paging.first ?? 0;
  return { kind: 'cursor', cursor: offset + (paging.step === 'received' ? received : paging.step) };
}

/** Whether the page lists the page numbers and none is greater than its own. */
function isLastNumber(page: PageLike, numbers: { readonly at: string; readonly current: string }): boolean {
  const known = valueAt(page.data, numbers.at);
  const current = valueAt(page.data, numbers.current);
  if (typeof known !== 'object' || known === null || typeof current !== 'number') return false;
  return !Object.keys(known).some((number) => Number(number) > current);
}
