/** The value at a dotted path; undefined where there is none. Only own properties count. */
export function valueAt(data: unknown, path: string): unknown {
  let value = data;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as { readonly [key: string]: unknown })[key];
  }
  return value;
}
