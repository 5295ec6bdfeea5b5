import type { WalkState } from '../../../operators/walk/WalkState.ts';
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
  /** The page that is to be asked for now was delivered before: only where it leads is still to be learnt. */
  readonly delivered?: true | undefined;
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
}
