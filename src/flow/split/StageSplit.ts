import type { Area } from '../../../operators/split/Area.ts';
import type { AreaSpec } from '../../../operators/split/Splits.ts';
import type { Binding } from '../definition/parseBinding.ts';
import type { Spotted } from '../../../operators/split/learnSight.ts';
import type { QueryParams } from '../definition/flowFormat.ts';

/** How a stage gets past the cap of a search. */
export type StageSplit = AreaSplit | QuerySplit<'values'> | QuerySplit<'range'>;

export interface AreaSplit {
  readonly kind: 'area';
  readonly spec: AreaSpec;
  readonly full: number;
  readonly pageSize: number;
  readonly zoom: readonly [number, number];
  /** Rows outside are left out. */
  readonly clip: boolean;
  /** The field of the input row that holds the area. undefined if there is one area for all. */
  readonly from: Binding | undefined;
  /** The area of a tile, from the area as the tile names it. */
  readonly areaOf: (text: string | undefined) => Area;
  /** The tile that a query searches. */
  readonly searchedBy: (query: SplitQuery) => SearchedTile;
}

/** What a tile says about rows. */
export interface SearchedTile {
  readonly spotsOf: (rows: readonly unknown[]) => readonly Spotted[];
  /** Whether a row is left out, because it lies outside the area. */
  readonly isOutside: (row: object) => boolean;
}

/** Narrower queries, by the values of a parameter, or by pieces of a range. */
export interface QuerySplit<Kind> {
  readonly kind: Kind;
  /** Whether a query with these rows so far is full. */
  readonly isFull: (query: SplitQuery, walked: Omit<SplitRows, 'data'>) => boolean;
  readonly narrower: (query: SplitQuery, walked: SplitRows) => readonly SplitQuery[];
  /**
   * The queries that are sent instead of one without bounds. `from`: only rows from this time on. undefined: the service takes queries
   * without bounds.
   */
  readonly bounded?: ((params: QueryParams, from: number | undefined) => readonly SplitQuery[]) | undefined;
  /** The halves of a query that was refused as too large. None if it can't be halved. */
  readonly halved?: (query: SplitQuery) => readonly SplitQuery[];
}

/** What a query returned, with its last response. */
interface SplitRows {
  readonly rows: number;
  /** How many there are, as the service says. */
  readonly claim?: number | undefined;
  readonly data: unknown;
}

export interface SplitQuery {
  readonly params: QueryParams;
  readonly tile?: TileState | undefined;
}

/** The part that a query searches: an area, a tile of one, or a piece of a range. It is in the journal. Queries may differ only in this. */
export type TileState = WaitingArea | TileOfArea | PieceOfRange;

/** An area that isn't divided yet. */
interface WaitingArea {
  /** The area as the row gives it, if each row has its own. */
  readonly area?: string | undefined;
  readonly range?: undefined;
}

interface TileOfArea extends WaitingArea {
  /** Numbers the tiles of a run. */
  readonly number: number;
  /** `first`: the first search of an area, by which the others go. `lesson`: a search that measures the view, as the first one may. */
  readonly role?: 'first' | 'lesson' | undefined;
  /** Half the size of the tile, in pixels. */
  readonly across: number;
  readonly down: number;
  /** The number of rows at which searches are cut off, if known. */
  readonly cap?: number | undefined;
}

interface PieceOfRange {
  readonly area?: undefined;
  /** `claim`: the number of rows that the service claimed for the query that it is a piece of. */
  readonly range: { readonly claim?: number | undefined };
}

export function isTile(tile: TileState | null | undefined): tile is TileOfArea {
  return tile !== null && tile !== undefined && 'number' in tile;
}
