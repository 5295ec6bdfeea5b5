const deepest = 64;

/** Whether JSON holds all of a value: nothing undefined, no function, no date, no circle. */
export function isJson(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > deepest) return false;
  if (Array.isArray(value)) return Array.from(value).every((one) => isJson(one, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every((one) => isJson(one, depth + 1));
}
