import type { PageLike, WalkEvent } from '../PageFactory.ts';
import { valueAt } from './valueAt.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';
import type { WalkState } from './WalkState.ts';
import type { Onward } from './WalkStep.ts';

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
