import { concatMap, of, throwError, type Observable } from 'rxjs';
import type { Operation } from '../../contract/index.ts';
import { StoreError } from '../../errors/index.ts';
import type { Page } from '../Page.ts';
import type { Source } from './HandedOut.ts';
import { textAt } from './textAt.ts';

/** The query with a valid value. `request` gets one page from the service. */
export function renewQuery(
  source: Source,
  query: object,
  request: (operation: Operation, query: object) => Observable<Page>,
): Observable<object> {
  const { operation, param, at } = source;
  const follow = (page: Page, pages: number): Observable<object> => {
    const value = textAt(page.data, at);
    if (value === undefined) {
      const message = `${operation.name}: a value from a stored page has expired, and the page has none when requested again`;
      return throwError(() => new StoreError(message, { operation: operation.name, query }));
    }
    if (pages === 1) return of({ ...query, [param]: value });
    return request(operation, { ...source.query, [param]: value }).pipe(concatMap((next) => follow(next, pages - 1)));
  };
  return request(operation, source.query).pipe(concatMap((page) => follow(page, source.pages)));
}
