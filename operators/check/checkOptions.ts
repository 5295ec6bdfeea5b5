import { nearestName } from './nearestName.ts';
import { inWords } from './inWords.ts';

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

function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { aborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}
