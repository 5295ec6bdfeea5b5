import { UsageError } from './UsageError.ts';

interface NumberOptionOptions {
  /** @default 1 */
  readonly min?: number;
  /** @default Number.MAX_SAFE_INTEGER */
  readonly max?: number;
  /** Whether it has to be a whole number. @default true */
  readonly whole?: boolean;
}

/** The value of an option that is a number. undefined if it isn't given. */
export function numberOption(name: string, text: string | undefined, options: NumberOptionOptions = {}): number | undefined {
  if (text === undefined) return undefined;
  const { min = 1, max = Number.MAX_SAFE_INTEGER, whole = true } = options;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`--${name} is a ${whole ? 'whole number' : 'number'} ${range}, not '${text}'.`);
}
