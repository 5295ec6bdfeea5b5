/** A value as an error message shows it. Strings are quoted, to distinguish '1' from 1. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The first dozen names, for a message. */
export function firstOf(names: readonly string[]): string {
  const rest = names.length - 12;
  return names.length === 0 ? 'none' : `${names.slice(0, 12).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
