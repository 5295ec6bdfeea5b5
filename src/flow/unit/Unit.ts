import type { WalkState } from '../../../operators/walk/WalkState.ts';
import type { TileState } from '../split/StageSplit.ts';
import type { Query } from './bindQueries.ts';
import type { KeptColumns } from './keptColumns.ts';

/** A stage with one query, and how far its walk is. */
export interface Unit {
  /** Counts units in the order in which they were found. */
  readonly number: number;
  readonly stage: string;
  readonly query: Query;
  readonly kept: KeptColumns | undefined;
  /** The unit whose row it was found in; none for a root. */
  readonly parent: Lineage | undefined;
  readonly walk: WalkState<Query>;
  /** How many rows there are, as the row says that it was found in. */
  readonly claimed?: number | undefined;
  /** Where it looks, for a stage that covers an area. */
  readonly tile?: TileState | undefined;
  /** What `unless` of its stage looks at, and the time of the newest row so far. */
  readonly unless?: string | undefined;
  readonly newest?: string | undefined;
  /** It ended with too few rows, and is walked again from the start. */
  readonly rewalk?: Rewalk | undefined;
  /** The page that is to be asked for now was delivered before: only where it leads is still to be learnt. */
  readonly delivered?: true | undefined;
}

/** Walks that look for rows that are missing. */
export interface Rewalk {
  /** Which of the operation's orders this walk has; 0: the query's own. */
  readonly order: number;
  /** Walks in a row that brought no new row. */
  readonly idle: number;
  /** New rows of this walk, and of all of them. */
  readonly fresh: number;
  readonly gained: number;
}

export interface Lineage {
  readonly stage: string;
  readonly query: Query;
  readonly parent: Lineage | undefined;
}

/** A unit as it is found, before it has a number. */
export interface Found {
  readonly stage: string;
  readonly query: Query;
  readonly kept: KeptColumns | undefined;
  /** How many rows it has, as its row says. */
  readonly claimed?: number | undefined;
  readonly tile?: TileState | undefined;
  /** What `unless` of its stage looks at. */
  readonly unless?: string | undefined;
}
