/** A property of an object, or undefined. What every object inherits, such as `constructor`, is none of its own. */
export function ownValue<Value>(holder: { readonly [name: string]: Value } | undefined, name: string): Value | undefined;
export function ownValue(holder: unknown, name: string | number): unknown;
export function ownValue(holder: unknown, name: string | number): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as { readonly [name: string | number]: unknown })[name];
}
