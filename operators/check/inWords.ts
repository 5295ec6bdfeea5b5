/** A value as an error message shows it. Strings are quoted, to distinguish '1' from 1. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}
