import type { FieldPath } from '../definition/parseBinding.ts';

/** A copy of a row with these fields only, nested as before. */
export function pickFields(row: object, fields: readonly FieldPath[]): object {
  const picked: Tree = {};
  for (const { keys } of fields) copy(row, picked, keys, 0);
  return picked;
}

function copy(from: unknown, to: Tree, keys: readonly string[], at: number): void {
  const key = keys[at]!;
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, key)) return;
  const value = (from as Tree)[key];
  let copied = value;
  if (at + 1 < keys.length) {
    const inner = Object.hasOwn(to, key) ? to[key] : {};
    if (typeof inner !== 'object' || inner === null) return;
    copy(value, inner as Tree, keys, at + 1);
    copied = inner;
  }
  // Not by assignment, because that would set the prototype for a field named __proto__.
  Object.defineProperty(to, key, { value: copied, enumerable: true, writable: true, configurable: true });
}

interface Tree {
  [field: string]: unknown;
}
