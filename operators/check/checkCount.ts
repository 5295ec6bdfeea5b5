import { inWords } from './inWords.ts';

/** `value` when it is a whole number from `least` on, or Infinity; else a RangeError that names function, option and value. */
export function checkCount(caller: string, option: string, value: number, least = 1): number {
  if (!(Number.isSafeInteger(value) || value === Infinity) || value < least) {
    throw new RangeError(`${caller}: ${option} must be a whole number from ${least} on, not ${inWords(value)}`);
  }
  return value;
}
