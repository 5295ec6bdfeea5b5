/** A value as an error message shows it. Strings are quoted, to distinguish '1' from 1, and line breaks in them are escaped. */
export function inWords(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(String.raw`\"`, '"')}'`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const json = jsonOf(value);
  return json !== undefined && json.length <= 60 ? json : Array.isArray(value) ? 'a list' : 'an object';
}

function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // it contains itself
  }
}

/** The first dozen names, for a message. */
export function firstOf(names: readonly string[]): string {
  const rest = names.length - 12;
  return names.length === 0 ? 'none' : `${names.slice(0, 12).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
