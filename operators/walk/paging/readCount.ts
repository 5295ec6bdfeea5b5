/**
 * A number of rows or pages, which may be a text. undefined: the value is none, such as the -1 of a service that hasn't counted
 * them.
 */
export function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}
