import type { WalkFault } from '../../../operators/walk/WalkStep.ts';
import type { Operation } from '../../contract/index.ts';
import { PaginationError } from '../../errors/index.ts';

/** The error of a walk that can't continue. */
export function walkError({ name }: Operation, { message, ...details }: WalkFault): PaginationError {
  return new PaginationError(message, { operation: name, ...details });
}
