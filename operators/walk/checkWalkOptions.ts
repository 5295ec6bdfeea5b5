import type { PageLike } from '../PageFactory.ts';
import { anything, like, oneOf, text, whole } from '../options/kinds.ts';
import { declareOptions, optionError } from '../options/OptionSet.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';

type CursorAt = string | ((page: PageLike) => unknown);
const isCursorAt = (value: unknown): boolean => typeof value === 'function' || (typeof value === 'string' && value !== '');

export const walkOptions = declareOptions<WalkOptions>()({
  maxPages: whole({ from: 1 }).or(Infinity),
  maxItems: whole({ from: 1 }).or(Infinity),
  startCursor: text(),
  startPage: whole({ from: 0, finite: true }).or(0),
  direction: oneOf('next', 'previous').or('next'),
  cursorAt: like<CursorAt>('a dotted path or a function of the page', isCursorAt),
  rows: text('a dotted path in the response'),
  claimed: anything<number>(),
  onShort: oneOf('tell', 'error').or('tell'),
});

/** Throws a RangeError if the options are wrong, or if the operation can't be walked as they say. */
export function checkWalkOptions(caller: string, { name, paging }: WalkFactory, options: WalkOptions): void {
  const where = `${caller}(${name})`;
  const { direction, startCursor, startPage } = walkOptions.read(where, options);
  if (direction === 'previous' && (paging.kind !== 'cursor' || paging.previous === undefined))
    throw optionError(where, 'direction', "next: the operation can't page backwards", direction);
  if (startCursor !== undefined && paging.kind !== 'cursor')
    throw optionError(where, 'startCursor', 'left out: the operation has no cursors', startCursor);
  if (startPage > 0 && (paging.kind !== 'offset' || paging.step === 'received'))
    throw optionError(where, 'startPage', 'left out: the pages of the operation are not counted', startPage);
}
