import { LastUsed } from '../../../operators/kit/LastUsed.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { valueAt } from '../../../operators/walk/valueAt.ts';
import { pagingKindOf, pagingRequestOf, type Operation, type Service } from '../../contract/index.ts';
import { concatMap, of, throwError, type Observable } from 'rxjs';
import { StoreError } from '../../errors/index.ts';
import type { Page } from '../Client.ts';
import type { Token } from '../../../operators/PageLike.ts';
import { hasContent, isToken } from '../../../operators/walk/paging/followToken.ts';

/** Where a value of a query came from: a stored page. Requesting that page again gives a valid value. */
export interface Source {
  readonly param: string;
  /** What to request first. */
  readonly operation: Operation;
  readonly query: object;
  /** Where in a page the value is. The first path that exists counts. */
  readonly at: readonly string[];
  /** The pages to request, in order. Each needs the token of the one before. */
  readonly pages: number;
  /** When the value expires, in milliseconds since 1970. */
  readonly until: number;
}

const longest = 10_000;

/**
 * Remembers the last 10,000 values that stored pages gave to later queries: tokens, and values that expire. If the service
 * refuses such a query, or its value is too old, this says which page to request again.
 */
export class HandedOut {
  readonly #sources = new LastUsed<string, Source>(longest);
  /** For each operation: the parameters of other operations that its pages have values for. */
  readonly #expiring = new Map<
    string,
    { readonly target: string; readonly param: string; readonly at: string; readonly afterMs: number }[]
  >();

  /** Operations with a parameter whose values expire. */
  readonly #targets = new Set<string>();

  constructor(service: Service) {
    for (const { name, params } of Object.values(service.operations)) {
      for (const [param, { expires }] of Object.entries(params)) {
        if (expires === undefined) continue;
        const { operation, at, afterMs } = expires;
        this.#targets.add(name);
        this.#expiring.set(operation, [...(this.#expiring.get(operation) ?? []), { target: name, param, at, afterMs }]);
      }
    }
  }

  /** Notes the token and the values in a page read from the store. `storedAt`: when it arrived. Returns the token. */
  note(operation: Operation, query: object, data: unknown, storedAt: number): Token | undefined {
    const { paging } = operation.spec;
    const {
      tokenAt: at,
      params: [param = ''],
    } = pagingRequestOf(paging);
    this.noteExpiring(operation, query, data, storedAt);
    const token = tokenIn(data, at);
    if (token === undefined) return undefined;
    const own = ownValue(query, param);
    const first = firstQueryOf(operation, query);
    const isFirst = own === undefined || own === ownValue(first, param);
    const before = isFirst ? undefined : this.#sources.peek(keyOf(operation, param, query));
    // A walk that began in the middle can't be restarted.
    if (isFirst || before !== undefined) {
      const pages = (before?.pages ?? 0) + 1;
      const next = pagingKindOf(paging).move(query, token, {});
      this.#sources.put(keyOf(operation, param, next), { param, operation, query: first, at, pages, until: Infinity });
    }
    return token;
  }

  /** Notes the values in a page that expire. */
  noteExpiring(operation: Operation, query: object, data: unknown, storedAt: number): void {
    for (const { target, param, at, afterMs } of this.#expiring.get(operation.name) ?? []) {
      const value = valueAt(data, at);
      if (typeof value === 'string') {
        this.#sources.put(keyOfValue(target, param, value), { param, operation, query, at: [at], pages: 1, until: storedAt + afterMs });
      }
    }
  }

  /** Whether queries of this operation have values that expire. */
  takesExpiring({ name }: Operation): boolean {
    return this.#targets.has(name);
  }

  /** Where a value of this query came from. undefined if it came from no stored page. */
  sourceOf(operation: Operation, query: object): Source | undefined {
    for (const param of Object.keys(query)) {
      const source = this.#sources.peek(keyOf(operation, param, query));
      if (source !== undefined) return source;
    }
    return undefined;
  }
}

/** The query of the first page of the walk that a query is part of. */
export function firstQueryOf({ name, spec: { paging } }: Operation, query: object): object {
  const { params, writes } = pagingRequestOf(paging);
  const written = [params[0] ?? '', ...writes];
  const rest = Object.fromEntries(Object.entries(query).filter(([member]) => !written.includes(member)));
  return pagingKindOf(paging).begin(rest, {}, name).query;
}

/** A token that stays the same from page to page is known by its place in the walk, too. */
function keyOf({ name, spec: { paging } }: Operation, param: string, query: object): string {
  const { params, writes } = pagingRequestOf(paging);
  const value = keyOfValue(name, param, ownValue(query, param));
  if (!params.includes(param)) return value;
  return [value, ...writes.map((member) => textOfValue(ownValue(query, member) ?? 0))].join(' ');
}

function keyOfValue(operation: string, param: string, value: unknown): string {
  return `${operation} ${param} ${textOfValue(value)}`;
}

/** The query with a valid value. `request` gets one page from the service. */
export function renewQuery(
  source: Source,
  query: object,
  request: (operation: Operation, query: object) => Observable<Page>,
): Observable<object> {
  const { operation, param, at } = source;
  const { paging } = operation.spec;
  const follow = (before: object, page: Page, pages: number): Observable<object> => {
    const value = tokenIn(page.data, at);
    if (value === undefined) {
      const message = `${operation.name}: a value from a stored page has expired, and the page has none when requested again`;
      return throwError(() => new StoreError(message, { operation: operation.name, query }));
    }
    if (pages === 1) return of({ ...query, [param]: value });
    const next = pagingKindOf(paging).move(before, value, {});
    return request(operation, next).pipe(concatMap((one) => follow(next, one, pages - 1)));
  };
  return request(operation, source.query).pipe(concatMap((page) => follow(source.query, page, source.pages)));
}

/** The token at the first of some paths that has one. */
function tokenIn(data: unknown, paths: readonly string[]): Token | undefined {
  const found = paths.map((path) => valueAt(data, path)).find(hasContent);
  return isToken(found) ? found : undefined;
}
