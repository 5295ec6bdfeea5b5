import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { withPage } from './PageSizes.ts';
import { valueAt } from './valueAt.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkState } from './WalkState.ts';

/** The estimated number of rows, if a walk's first page has none although the estimate says that there are some. */
export function unmetEstimate({ estimates }: WalkFactory, { sizes, partial }: WalkState, page: PageLike): number | undefined {
  if (estimates === undefined || sizes !== undefined || partial === true || received(page) > 0) return undefined;
  const value = valueAt(page.data, estimates);
  return typeof value === 'number' && value > 0 ? value : undefined;
}

/** Reports that the page before `page` was in the middle of the walk, and had at most half the rows of the longest one. */
export function thinPage(factory: WalkFactory, state: WalkState, page: PageLike): readonly WalkEvent[] {
  const { sizes } = state;
  const most = withPage(sizes, received(page))?.most ?? 0;
  if (sizes === undefined || received(page) === 0 || most < 5 || sizes.last * 2 > most) return [];
  return [
    suspect(factory, state, `the page before this one has ${sizes.last} ${sizes.last === 1 ? 'row' : 'rows'}, and another has ${most}`),
  ];
}

export function suspect({ name }: WalkFactory, { query }: WalkState, message: string): WalkEvent {
  return { type: 'suspect', operation: name, query, message };
}

function received(page: PageLike): number {
  return page.received ?? page.items.length;
}
