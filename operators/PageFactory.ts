import type { Observable } from 'rxjs';
import type { PageLike, PageRequest, Token, WalkEvent } from './PageLike.ts';
import { type Paging, kindOf, pagingKinds } from './walk/paging/pagingKinds.ts';
import type { WalkedOperation } from './walk/WalkedOperation.ts';
import type { PagingKind } from './walk/paging/PagingKind.ts';
import { inWords } from './check/nearestName.ts';

/**
 * An operation as the operators see it. Called with a query, it returns a cold Observable of one page. Any function with a
 * name and a `paging` works. A client's factories are such functions.
 */
export interface PageFactory<Query extends object, Page extends PageLike, Pages = Paging> {
  (query: Query, request?: PageRequest): Observable<Page>;
  readonly name: string;
  readonly paging: Pages;
  /** What else is known of the operation: totals, ids, caps. @default only its name and its paging */
  readonly spec?: WalkedOperation | undefined;
  /** It waits for demand before each request, as a client does. For any other factory the walk waits for demand. */
  readonly heedsDemand?: boolean | undefined;
  /** Receives what a walk reports: a limit ended it early, or an expected token is missing. */
  readonly notify?: (event: WalkEvent) => void;
  /** Creates the error of a walk that can't continue, from a message that already names the operation. If left out, a plain Error. */
  readonly paginationError?: (message: string, details: { readonly query: object; readonly lastCursor?: Token | undefined }) => Error;
}

/**
 * A type without values: the operation has no such parameter. The compiler's message shows the name, and those that begin with its
 * letter.
 */
export interface NoSuchParameter<Name, DidYouMean> {
  readonly noSuchParameter: Name;
  readonly didYouMean: DidYouMean;
}
/** The names that begin with the same letter, or all of them. */
export type Near<Name, Names> = Name extends `${infer Letter}${string}`
  ? [Extract<Names, `${Letter}${string}`>] extends [never]
    ? Names
    : Extract<Names, `${Letter}${string}`>
  : Names;

type KeysOf<T> = T extends unknown ? keyof T : never;
/** The names in `Given` that aren't parameters. Without a description, any name may be one. */
type Unknown<Query, Given> = [KeysOf<Query>] extends [never] ? never : Exclude<KeysOf<Given>, KeysOf<Query>>;

/** The queries that a walk is given, if each of their fields is a parameter of the operation. */
export type QueriesFor<Query, Given> = Given & {
  readonly [Name in Unknown<Query, Given>]?: NoSuchParameter<Name, Near<Name, KeysOf<Query>>>;
};

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
