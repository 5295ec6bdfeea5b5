import { fileKindOf } from '../../sinks/index.ts';

/** Whether what `each` names is a seed file, or `-` for standard input, and not a stage. */
export function isSeeds(each: string): boolean {
  return each === '-' || fileKindOf(each)?.text === true;
}
