import type { PieceStart } from './bestEnd.ts';
import type { RankedRow } from './rowRanks.ts';
import type { RowPlaces } from './RowPlaces.ts';

/** A piece of a range of whole numbers, and what is known when it is requested. It is plain data. */
export interface RangePiece extends PieceStart {
  readonly last: number;
  /** Where its query begins, if it returns some of the rows before the piece again. */
  readonly from?: number | undefined;
  /** The last rows before the piece. None if the service doesn't list rows in the same order in each query, as far as known. */
  readonly before: readonly RankedRow[];
  readonly isRanked?: boolean | undefined;
  /** The sweep goes on up to here. */
  readonly end: number;
  /** Pieces from the same start that were full. */
  readonly fulls: number;
  /** Whether the range has no bound below its first place and above its last one. */
  readonly open: readonly [below: boolean, above: boolean];
  /** Pieces before this one. undefined once the rest of the range is swept in two parts. */
  readonly pieces: number | undefined;
  /** The range is swept from its upper end on: its last place is 0. */
  readonly isDown: boolean;
  /** All rows before this place are known if a piece that begins there has so many on it, and this one. If not, the sweep goes back. */
  readonly again?: { readonly place: number; readonly rows: number; readonly id: number | undefined; readonly first: number } | undefined;
  /** From here on the service is taken to sort rows by their places. */
  readonly sorted?: number | undefined;
}

/** What a query returned. */
export interface PieceRows {
  readonly rows: number;
  /** Where the rows lie. */
  readonly places: RowPlaces;
  /** How many there are, as the service says. */
  readonly claim?: number | undefined;
}
