/** Whether two pages hold the same rows, deeply; usually known from the first field of the first row. */
export function sameRows(a: readonly unknown[], b: readonly unknown[]): boolean {
  const pending: [unknown, unknown][] = [[a, b]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [left, right] = pair;
    if (Object.is(left, right)) continue;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    // From the last to the first, because pending is a stack and first fields tell rows apart best.
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i]!;
      if (!Object.hasOwn(right, key)) return false;
      pending.push([(left as Fields)[key], (right as Fields)[key]]);
    }
  }
  return true;
}

interface Fields {
  readonly [key: string]: unknown;
}
