import { ownValue } from '../../kit/ownValue.ts';
import { receivedOf } from '../../PageLike.ts';
import { valueAt } from '../../kit/path.ts';
import { beginWith, followToken, hasContent, isInside, saysMore, withParam, type Flags, pathOfFlag } from './followToken.ts';
import { type PagingKind, usualPaging } from './PagingKind.ts';

/** A request with a token leaves out the other parameters, except those of the path. A list: also except these. */
export type Alone = true | readonly string[];

/** The response contains a token for the next page, or its address. */
export interface CursorPaging extends Flags {
  readonly kind: 'cursor';
  /** The query's parameter that takes the token. */
  readonly param: string;
  /** Where in `data` to look for it. The first path with a value is used. */
  readonly at: readonly string[];
  /** `at` is a guess: the response's shape doesn't have these fields. */
  readonly undocumented?: true;
  /** Rows of a full page, if documented. A full page without a token is requested once more. */
  readonly size?: number;
  /** The token is the address of the next page. The request goes there instead of to the operation's own path. */
  readonly address?: true;
  /** The address is in the `Link` header, as the page's `next`, and not in `data`. Needs `address`. */
  readonly link?: true;
  /** The token is in this header of the response, such as `x-continuation`, and not in `data`. */
  readonly header?: string;
  /** The token of the first page, such as `'*'`, sent if the query has none. */
  readonly first?: string | number;
  /** A request with a token has no other parameters than those of the path, and these. */
  readonly alone?: Alone;
  /** Another path for requests with a token. It may have the same `{parameters}` as the operation's path. */
  readonly path?: `/${string}`;
  /**
   * The token may stay the same from page to page, because the service counts the pages. A killed flow then walks again from the first
   * page. Otherwise a token that stays the same is an error. @default false
   */
  readonly repeats?: true;
}

/**
 * A field of queries with the number of pages before. It distinguishes requests with the same token, for stores and journals. It is never
 * sent.
 */
export const pageCount = '#';

const sameToken =
  'the token for the next page is that of this page. If the service counts the pages of a token itself, say repeats: true in its paging';

export function cursorPaging(paging: CursorPaging): PagingKind {
  const { param, first, repeats = false } = paging;
  const hasHeader = paging.link === true || paging.header !== undefined;
  return {
    ...usualPaging,
    operator: 'expandCursor',
    by: 'by token',
    endsEmpty: false,
    tokenRepeats: repeats,
    pageSize: paging.size,
    takes: ['startCursor', 'cursorAt'],
    param: () => param,
    begin(query, options) {
      const start = options.startCursor ?? (ownValue(query, param) === undefined ? first : undefined);
      return beginWith(query, param, start, first);
    },
    /** No token, or an empty one, means the end. */
    onward(walked) {
      const { page, options } = walked;
      const { cursorAt } = options;
      const paths = typeof cursorAt === 'string' ? [cursorAt] : paging.at;
      const inHeader = hasHeader && cursorAt === undefined;
      const found =
        typeof cursorAt === 'function'
          ? [cursorAt(page)]
          : [...(inHeader ? [page.next] : []), ...paths.map((path) => valueAt(page.data, path))];
      const more = saysMore(page.data, paging);

      const token = more === false ? undefined : found.find((value) => (typeof value === 'object' ? value !== null : hasContent(value)));
      if (token !== undefined) {
        const next = followToken(walked, param, token, repeats);
        if (next.kind !== 'stays') return next;
        if (repeats) return more === true ? { kind: 'on', cursor: next.cursor } : next;
        return more === true || receivedOf(page) > 0 ? { kind: 'lost', message: sameToken } : { kind: 'end' };
      }
      if (more === true)
        return {
          kind: 'lost',
          message: `${pathOfFlag(paging)} says that there are more pages, and there is no token for the next one`,
        };
      if (more === false) return { kind: 'end', told: true };
      return { kind: 'end' };
    },
    move(query, token) {
      const next = withParam(query, param, token) as typeof query & { [param: string]: unknown };
      return repeats ? Object.assign(next, { [pageCount]: Number(ownValue(query, pageCount) ?? 0) + 1 }) : next;
    },
  };
}

/** The parameter of the token, if the query has one that isn't that of the first page. */
export function tokensOf({ param, first }: CursorPaging, query: object): readonly string[] {
  return isInside(ownValue(query, param), first) ? [param] : [];
}
