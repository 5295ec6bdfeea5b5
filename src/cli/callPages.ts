import { of, type Observable } from 'rxjs';
import { type CountedPaging, expandCursor, offsetPages, type PageFactory, type PageLike, type TokenPaging } from '../../operators/index.ts';
import { lackingParams, pagingKindOf, type Operation } from '../contract/index.ts';
import { UsageError } from './Command.ts';

type PagesOf<P> = PageFactory<object, PageLike, P>;

/** The pages of one query of any operation that has several. */
export function callPages(
  factory: PagesOf<never>,
  { name, spec }: Operation,
  query: object,
  walk: { readonly maxPages: number },
): Observable<PageLike> {
  const lacking = lackingParams(spec.paging, query);
  if (lacking.length > 0) throw new UsageError(`Pages after the first of ${name} need --${lacking.join(' and --')}.`);
  const kind = pagingKindOf(spec.paging);
  if (kind.operator === 'expandCursor') return of(query).pipe(expandCursor(factory as PagesOf<TokenPaging>, walk));
  if (kind.operator === 'offsetPages') return of(query).pipe(offsetPages(factory as PagesOf<CountedPaging>, walk));
  throw new UsageError(`${name} has only one page, so it takes no --pages.`);
}
