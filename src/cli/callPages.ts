import { type Observable, of } from 'rxjs';
import { type CursorPaging, expandCursor, type OffsetPaging, offsetPages, type PageFactory, type PageLike } from '../../operators/index.ts';
import type { Operation } from '../contract/index.ts';
import type { AnyClient } from '../index.ts';
import { UsageError } from './UsageError.ts';

export interface PagesWanted {
  /** The page limit. Infinity: all pages. */
  readonly pages: number;
  /** Another list of the response to use as rows. */
  readonly rows: string | undefined;
}

/** The pages of one query of any operation. */
export function callPages(client: AnyClient, operation: Operation, query: object, { pages, rows }: PagesWanted): Observable<PageLike> {
  const factory = client[operation.name as keyof AnyClient] as unknown as PageFactory<object, PageLike>;
  if (pages === 1) return factory(query, { rows });
  const walk: { readonly maxPages: number } = { maxPages: pages, ...(rows === undefined ? {} : { rows }) };
  if (isCursor(factory)) return of(query).pipe(expandCursor(factory, walk));
  if (isOffset(factory)) return of(query).pipe(offsetPages(factory, walk));
  throw new UsageError(`${operation.name} has only one page, so it takes no --pages.`);
}

function isCursor(factory: PageFactory<object, PageLike>): factory is PageFactory<object, PageLike, CursorPaging> {
  return factory.paging.kind === 'cursor';
}

function isOffset(factory: PageFactory<object, PageLike>): factory is PageFactory<object, PageLike, OffsetPaging> {
  return factory.paging.kind === 'offset';
}
