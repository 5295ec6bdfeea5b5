import type { OptionKind } from '../../operators/options/index.ts';
import { UsageError } from './UsageError.ts';

/** The number in the value of an option, if it is of this kind. */
export function numberOption(name: string, text: string, kind: OptionKind<number>): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!kind.fits(value)) throw new UsageError(`--${name} is ${kind.takes}, not '${text}'.`);
  return value;
}
