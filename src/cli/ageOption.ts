import { parseAge } from '../store/index.ts';
import { UsageError } from './UsageError.ts';

/** The value of an option that is a length of time, in milliseconds; undefined when it isn't given. */
export function ageOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseAge(text);
  if (ms === undefined) throw new UsageError(`--${name} is a length of time such as 30m, 12h, 7d or 2w, not '${text}'.`);
  return ms;
}
