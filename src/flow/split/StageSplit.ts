import type { Area } from '../../../operators/split/Area.ts';
import type { SplitSpec } from '../../contract/index.ts';
import type { Binding } from '../definition/Binding.ts';
import type { QueryParams } from '../query/QueryParams.ts';

/** How a stage goes past the cap of a search. */
export type StageSplit = AreaSplit | QuerySplit;

/** Tiles of an area. */
export interface AreaSplit {
  readonly kind: 'area';
  readonly spec: NonNullable<SplitSpec['area']>;
  readonly full: number;
  readonly pageSize: number;
  readonly zoom: readonly [number, number];
  /** Rows outside are left out. */
  readonly clip: boolean;
  /** Where each row that the stage runs over says its area; undefined where all have the one. */
  readonly from: Binding | undefined;
  /** The area of a tile, by what the tile says of it. */
  readonly areaOf: (text: string | undefined) => Area;
}

/** Narrower queries, by a parameter. */
export interface QuerySplit {
  readonly kind: 'query';
  readonly full: number;
  readonly narrower: (params: QueryParams) => readonly QueryParams[];
}

/** What a query that covers an area carries along, and its journal with it. */
export interface TileState {
  /** As the row says it, where each has its own. */
  readonly area?: string | undefined;
  /** How far a search sees, in pixels; none: that is still to be found out. */
  readonly across?: number | undefined;
  readonly down?: number | undefined;
  /** Where searches are cut off, where that is known. */
  readonly cap?: number | undefined;
}
