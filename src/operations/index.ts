import type { Operation } from './contract/Operation.ts';
import { mapsReviews } from './mapsReviews.ts';

/** The operations, in the order of the interface's description. */
export interface Operations {
  readonly mapsReviews: typeof mapsReviews;
}
export const operations: Operations = { mapsReviews };

export type OperationName = keyof Operations;
/** Any of the operations, for code that treats them alike. */
export type AnyOperation = Operation;
