/** An object that isn't a list. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object's own property. undefined if it is missing or only inherited, such as `constructor`. */
export function ownValue<Value>(holder: { readonly [name: string]: Value } | undefined, name: string): Value | undefined;
export function ownValue(holder: unknown, name: string | number): unknown;
export function ownValue(holder: unknown, name: string | number): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as { readonly [name: string | number]: unknown })[name];
}
