import type { PageFactory } from '../PageFactory.ts';
import type { PageLike } from '../PageLike.ts';
import { kindOf, type Paging, pagingKinds } from '../walk/paging/pagingKinds.ts';
import type { PagingKind } from '../walk/paging/PagingKind.ts';
import { inWords } from './nearestName.ts';

type Caller = 'expandCursor' | 'offsetPages';

/** Throws a RangeError if `factory` isn't an operation that the operator can walk, and says what to pass instead. */
export function checkFactory<Kinds extends Paging>(
  caller: Caller,
  factory: unknown,
): asserts factory is PageFactory<object, PageLike, Kinds> {
  const kind = pagingOf(factory);
  if (kind?.operator === caller) return;
  const { name } = factory as PageFactory<object, PageLike>;
  if (kind?.operator !== undefined) throw new RangeError(`${caller}: ${name} has pages ${kind.by}; use ${kind.operator} for it`);
  if (kind !== undefined) throw new RangeError(`${caller}: ${name} has one page only; call it with the query instead`);
  const operations = Object.entries(typeof factory === 'object' && factory !== null ? factory : {});
  const names = operations.filter(([, value]) => pagingOf(value)?.operator === caller).map(([operation]) => operation);
  const hint = names.length === 0 ? 'such as client.search' : `such as client.${names.slice(0, 3).join(', client.')}`;
  const what = names.length > 0 ? 'a client' : typeof factory === 'function' ? 'a function without paging' : inWords(factory);
  throw new RangeError(`${caller}: the first argument must be an operation, ${hint}; this is ${what}`);
}

/** What is known of a function's paging; undefined if it has none. */
function pagingOf(value: unknown): PagingKind | undefined {
  const paging = typeof value === 'function' ? (value as { readonly paging?: { readonly kind?: unknown } }).paging : undefined;
  return typeof paging?.kind === 'string' && Object.hasOwn(pagingKinds, paging.kind) ? kindOf(paging as Paging) : undefined;
}
