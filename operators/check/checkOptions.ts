import { inWords } from './inWords.ts';
import { nearestName } from './nearestName.ts';

/**
 * Throws a RangeError if `options` has a name that isn't in `known`, or a `signal` that is none. A misspelt option would
 * otherwise cost requests, and a wrong signal would stop nothing.
 */
export function checkOptions(caller: string, options: unknown, known: readonly string[], where = ''): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new RangeError(`${caller}: the options must be an object, not ${Array.isArray(options) ? 'a list' : inWords(options)}`);
  }
  for (const option of Object.keys(options)) {
    if (known.includes(option)) continue;
    const nearest = nearestName(option, known);
    const hint = nearest !== undefined ? `did you mean '${nearest}'?` : known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
    throw new RangeError(`${caller}: there is no option '${option}'${where}; ${hint}`);
  }
  const { signal } = options as { readonly signal?: unknown };
  if (known.includes('signal') && signal !== undefined && !isSignal(signal))
    throw new RangeError(`${caller}: signal must be an AbortSignal, not ${inWords(signal)}`);
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
type Wrong<Options, Text extends string> = Exclude<keyof Options, Words<Text>> | Exclude<Words<Text>, keyof Options>;

/** The names of all options, given as one text. It doesn't compile if an option is missing in it or doesn't exist. */
export function namesOf<Options>() {
  return <const Text extends string>(text: Text, ..._wrong: [Wrong<Options, Text>] extends [never] ? [] : [Wrong<Options, Text>]) =>
    text.split(' ') as readonly string[];
}

function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { aborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}

/** Returns `value` if it is a whole number of at least `least`, or Infinity. Otherwise throws a RangeError that names function, option and value. */
export function checkCount(caller: string, option: string, value: number, least = 1): number {
  if (!(Number.isSafeInteger(value) || value === Infinity) || value < least) {
    throw new RangeError(`${caller}: ${option} must be a whole number from ${least} on, not ${inWords(value)}`);
  }
  return value;
}
