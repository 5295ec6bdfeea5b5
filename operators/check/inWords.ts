/** A value as an error shows it: a text in quotes, so that '1' is told from 1. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}
