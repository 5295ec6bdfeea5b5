import { ownValue } from '../kit/ownValue.ts';

/** A part of a path that picks an entry of a list by one of its fields: `link[relation=next].url`. */
const pick = /^([^[\]]+)\[([^=[\]]+)=([^[\]]+)\](?:\.(.+))?$/;

/** What stands before an entry that is picked, the field and the value that pick it, and what follows. */
export interface Pick {
  readonly list: string;
  readonly field: string;
  readonly value: string;
  readonly rest: string | undefined;
}

/** The first part of a path that picks an entry. undefined: there is none. */
export function pickIn(path: string): Pick | undefined {
  if (!path.includes('[')) return undefined; // nearly all, and they are read for every page
  const [, list, field, value, rest] = pick.exec(path) ?? [];
  return list === undefined ? undefined : { list, field: field!, value: value!, rest };
}

/**
 * The value at a dotted path, or undefined if there is none. Reads own properties only. A field whose name has dots, such as
 * `@odata.nextLink`, is found by that name.
 */
export function valueAt(data: unknown, path: string): unknown {
  const picked = pickIn(path);
  if (picked !== undefined) {
    const entries = valueAt(data, picked.list);
    const entry = Array.isArray(entries)
      ? (entries.find((one) => String(ownValue(one, picked.field)) === picked.value) as unknown)
      : undefined;
    return picked.rest === undefined ? entry : valueAt(entry, picked.rest);
  }
  let value = data;
  let rest = path;
  for (let dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.')) {
    const named = ownValue(value, rest);
    if (named !== undefined) return named;
    value = ownValue(value, rest.slice(0, dot));
    if (value === undefined) return undefined;
    rest = rest.slice(dot + 1);
  }
  return ownValue(value, rest);
}
