interface Values {
  [key: string]: unknown;
}

/** Sets a value at a place, and makes objects, or lists for numbers, on the way. */
export function setAt(holder: object, [key, ...rest]: readonly string[], value: unknown): void {
  const values = holder as Values;
  if (rest.length === 0) return void (values[key!] = value);
  const inside = Object.hasOwn(values, key!) ? values[key!] : undefined;
  const next = typeof inside === 'object' && inside !== null ? inside : /^\d+$/.test(rest[0]!) ? [] : {};
  values[key!] = next;
  setAt(next, rest, value);
}
