import { fileKindOf } from '../../sinks/index.ts';

/** Whether `each` names a seed file or `-` for standard input, rather than a stage. */
export function isSeeds(each: string): boolean {
  return each === '-' || fileKindOf(each)?.text === true;
}
