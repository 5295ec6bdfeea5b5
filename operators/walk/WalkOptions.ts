import { anything, declareOptions, like, oneOf, optionError, text, whole } from '../options/index.ts';
import type { PageLike, Token } from '../PageLike.ts';
import { hasContent, isToken } from './paging/followToken.ts';
import type { PagingOptions } from './paging/PagingKind.ts';
import { kindOf } from './paging/pagingKinds.ts';
import type { WalkedOperation } from './WalkedOperation.ts';

/** How far a walk goes, and where it begins. */
export interface WalkOptions extends PagingOptions {
  /** Page limit per query. @default Infinity */
  readonly maxPages?: number | undefined;
  /**
   * Stop requesting pages once a query has returned this many rows. Pages stay whole, so the last one may add more.
   * @default Infinity
   */
  readonly maxItems?: number | undefined;
  /**
   * Take rows from another list of the response: a dotted path in `data`. `maxItems` counts these rows. Where the walk ends still follows
   * from the operation's own list. @default the operation's list
   */
  readonly rows?: string | undefined;
  /** The total number of rows, if the caller knows it. A total in a page takes precedence. @default unknown */
  readonly claimed?: number | undefined;
  /**
   * What to do when a walk ends with fewer rows than the service says there are: emit a `short` event, or also fail. Such
   * figures may be slightly wrong, so it doesn't fail if at most 5 % or 3 rows are missing after a last page that isn't full.
   * @default 'tell'
   */
  readonly onShort?: 'tell' | 'error' | undefined;
}

/** The options of one step of a walk. */
export interface StepOptions extends WalkOptions {
  /** Whether a row is the one that the walk looks for. It ends there. @default it looks for none */
  readonly until?: ((row: unknown) => boolean) | undefined;
}

type CursorAt = string | ((page: PageLike) => unknown);
const isCursorAt = (value: unknown): boolean => typeof value === 'function' || (typeof value === 'string' && value !== '');

export const walkOptions = declareOptions<WalkOptions>()({
  maxPages: whole({ from: 1 }).or(Infinity),
  maxItems: whole({ from: 1 }).or(Infinity),
  startCursor: like<Token>('a token', (value) => isToken(value) && hasContent(value)),
  startPage: whole({ from: 0, finite: true }).or(0),
  cursorAt: like<CursorAt>('a dotted path or a function of the page', isCursorAt),
  rows: text('a dotted path in the response'),
  claimed: anything<number>(),
  onShort: oneOf('tell', 'error').or('tell'),
});

/** For options that the operation's paging may not have: the words of the error, and the default, which is always allowed. */
const elsewhere: { readonly [Option in keyof PagingOptions]: readonly [must: string, usual?: unknown] } = {
  startCursor: ['left out: the operation has no cursors'],
  cursorAt: ['left out: the operation has no cursors'],
  startPage: ['left out: the pages of the operation are not counted', 0],
};

/** Throws a RangeError if an option is wrong, or if the operation's paging doesn't have it. */
export function checkWalkOptions(caller: string, { name, paging }: WalkedOperation, options: WalkOptions): void {
  const where = `${caller}(${name})`;
  const read = walkOptions.read(where, options);
  const taken = kindOf(paging).takes;
  for (const [option, [must, usual]] of Object.entries(elsewhere) as [keyof PagingOptions, readonly [string, unknown?]][]) {
    if (!taken.includes(option) && read[option] !== usual) throw optionError(where, option, must, read[option]);
  }
}
