import type { RowPlaces } from './RowPlaces.ts';

/**
 * Whether the service returns rows in the order of their places. `expected`: a full page looked like it, so the piece before its last place
 * must have exactly the rows that it showed there. `since`: that was so, and a full query has all rows before its last place; `again`:
 * the last rows of the query before, which must come first.
 */
export type Sorting = 'unknown' | 'none' | { readonly expected: number } | { readonly since: number; readonly again: readonly number[] };

/** A piece of a range of whole numbers, and what is known when it is requested. It is plain data. */
export interface RangePiece {
  readonly first: number;
  readonly last: number;
  /** The sweep goes on up to here. */
  readonly end: number;
  /** The number of rows at which a query is full. `neverFull`: none is. */
  readonly full: number;
  /** Whether its query has no bound below its first place and above its last one, so that it finds rows beyond the range, too. */
  readonly open: readonly [below: boolean, above: boolean];
  /** It has what lies beyond the range, on one side. That isn't split. */
  readonly isBeyond: boolean;
  /** The range is swept from its upper end on: its last place is 0. */
  readonly isDown: boolean;
  /** Pieces from the same start that were full. */
  readonly fulls: number;
  /** Pieces before this one. undefined once the rest of the range is swept in two parts. */
  readonly pieces: number | undefined;
  /** The latest pieces: their rows and their width, the earlier the less they count. */
  readonly past: { readonly rows: number; readonly width: number };
  /** No piece has more places. undefined: any number. */
  readonly most?: number | undefined;
  /** The fields that may say where rows lie. undefined: no rows have come yet. */
  readonly paths: readonly string[] | undefined;
  /** Where rows of the last full query lie, in order. Each stands for this many rows. */
  readonly sample: { readonly places: readonly number[]; readonly each: number; readonly end: number };
  /** What the service claimed of the whole range, and of the last full query. */
  readonly claims: readonly [whole: number, last: number] | undefined;
  readonly sorting: Sorting;
}

/** It takes part in a sum and in JSON, as infinity doesn't. */
export const neverFull: number = Number.MAX_SAFE_INTEGER;

/** What a query returned. */
export interface PieceRows {
  readonly rows: number;
  /** Where the rows lie. */
  readonly places: RowPlaces;
  /** How many there are, as the service says. */
  readonly claim?: number | undefined;
}
