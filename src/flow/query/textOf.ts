/** A value as text. Objects and lists become JSON, null and undefined become an empty text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
