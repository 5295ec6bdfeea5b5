import { ownValue } from '../kit/ownValue.ts';

/**
 * The value at a dotted path, or undefined if there is none. Reads own properties only. A field whose name has dots, such as
 * `@odata.nextLink`, is found by that name.
 */
export function valueAt(data: unknown, path: string): unknown {
  let [value, rest] = [data, path];
  for (let dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.')) {
    const named = ownValue(value, rest);
    if (named !== undefined) return named;
    value = ownValue(value, rest.slice(0, dot));
    if (value === undefined) return undefined;
    rest = rest.slice(dot + 1);
  }
  return ownValue(value, rest);
}
