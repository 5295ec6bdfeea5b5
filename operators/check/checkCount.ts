import { inWords } from './inWords.ts';

/** Returns `value` if it is a whole number of at least `least`, or Infinity. Otherwise throws a RangeError that names function, option and value. */
export function checkCount(caller: string, option: string, value: number, least = 1): number {
  if (!(Number.isSafeInteger(value) || value === Infinity) || value < least) {
    throw new RangeError(`${caller}: ${option} must be a whole number from ${least} on, not ${inWords(value)}`);
  }
  return value;
}
