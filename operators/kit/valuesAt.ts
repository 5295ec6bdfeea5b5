/** A field of a row: its dotted path, and the path as keys, with `'[]'` for each element of a list. */
export interface FieldPath {
  readonly path: string;
  readonly keys: readonly string[];
}

/**
 * The values of a field in a row: several if the path runs over a list, none if the field is empty. The whole path may also
 * be one key, as in rows of a CSV file.
 */
export function valuesAt(row: object, field: FieldPath): unknown[] {
  if (Object.hasOwn(row, field.path)) return [(row as Fields)[field.path]];
  let values: unknown[] = [row];
  for (const key of field.keys) {
    if (key === '[]') values = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
    else {
      values = values.flatMap((value) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? [(value as Fields)[key]] : [],
      );
    }
  }
  return values;
}

interface Fields {
  readonly [field: string]: unknown;
}

/** A value as text. Objects and lists become JSON, null and undefined become an empty text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Not `0x1F` or a blank, which JavaScript takes for numbers. */
const decimal = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;

/** The number that a text is. NaN: it is none. */
export function numberOf(text: string): number {
  return decimal.test(text) ? Number(text) : Number.NaN;
}

/** The keys of `a.b[].c`. undefined if it isn't a path. */
export function parsePath(path: string): FieldPath | undefined {
  const keys: string[] = [];
  for (const part of path.split('.')) {
    const name = part.endsWith('[]') ? part.slice(0, -2) : part;
    if (name === '' || /[[\]]/.test(name)) return undefined;
    keys.push(name);
    if (name !== part) keys.push('[]');
  }
  return { path, keys };
}

/** Whether a field says something. An empty list or object doesn't. */
export function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '';
}

/** Whether a value can be that of a parameter. */
export function isGiven(value: unknown): value is string | number | boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
}
