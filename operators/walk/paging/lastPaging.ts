import { LazyRow, wholeRow } from '../../LazyRow.ts';
import { rowCountOf } from '../../PageLike.ts';
import { valueAt } from '../../kit/path.ts';
import type { Alone } from './cursorPaging.ts';
import { beginWith, followToken, type Flags, pathOfFlag, saysMore, withParam } from './followToken.ts';
import { type Onward, type PagingKind, usualPaging } from './PagingKind.ts';

/** The next page begins after the last row of this one. */
export interface LastPaging extends Flags {
  readonly kind: 'last';
  /** The query's parameter that takes the token. */
  readonly param: string;
  /** The token: a dotted path in the last row. Several give a list. */
  readonly from: string | readonly string[];
  /** Rows of a full page, if documented. */
  readonly size?: number;
  /** A request with a token has no other parameters than those of the path, and these. */
  readonly alone?: Alone;
}

export function lastPaging(paging: LastPaging): PagingKind {
  const { param, from, size } = paging;
  return {
    ...usualPaging,
    operator: 'expandCursor',
    by: 'by last row',
    resumes: true,
    pageSize: size,
    takes: ['startCursor'],
    param: () => param,
    begin: (query, { startCursor }) => beginWith(query, param, startCursor),
    onward(walked) {
      const { page } = walked;
      const hasMore = saysMore(page.data, paging);
      if (hasMore === false) return { kind: 'end', told: true };
      const lost = (message: string): Onward => ({ kind: 'lost', message });
      if (rowCountOf(page) === 0) {
        if (hasMore === true) return lost(`${pathOfFlag(paging)} says that there are more pages, and this one has no row to go on from`);
        return { kind: 'end' };
      }
      const row = page.items.at(-1);
      const values = [from].flat().map((path) => rowValue(row, path));
      if (values.some((value) => value === undefined || value === null || value === ''))
        return lost(`the last row has no ${[from].flat().join(' and ')}, which leads to the next page`);
      const next = followToken(walked, param, typeof from === 'string' ? values[0] : values);
      return next.kind === 'stays' ? lost(`this page ends with the row that it was to begin after, so ${param} has no effect`) : next;
    },
    move: (query, token) => withParam(query, param, token),
  };
}

/** What a row has at a dotted path, also if it stayed bytes. */
function rowValue(row: unknown, path: string): unknown {
  return row instanceof LazyRow && !path.includes('.') ? row.field(path) : valueAt(wholeRow(row), path);
}
