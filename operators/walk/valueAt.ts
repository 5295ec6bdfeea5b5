import { ownValue } from '../kit/ownValue.ts';

/** The value at a dotted path, or undefined if there is none. Reads own properties only. */
export function valueAt(data: unknown, path: string): unknown {
  if (!path.includes('.')) return ownValue(data, path);
  let value = data;
  for (const key of path.split('.')) {
    value = ownValue(value, key);
    if (value === undefined) return undefined;
  }
  return value;
}
