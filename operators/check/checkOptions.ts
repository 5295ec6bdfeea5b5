import { nearestName } from './nearestName.ts';
import { inWords } from './inWords.ts';

/** Throws a RangeError if `options` has a name that isn't in `known`. A misspelt option would otherwise cost requests. */
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
}
