/** Seconds or milliseconds since 1970, as text. Other digits may be a year or a day. */
const epoch = /^(?:\d{9,10}(?:\.\d+)?|\d{13})$/;

/** The time of a date, or of seconds or milliseconds since 1970, in milliseconds. NaN: it doesn't say. */
export function timeIn(value: unknown): number {
  if (typeof value === 'number') return Math.abs(value) < 1e11 ? value * 1000 : value;
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'string' || !/\d{4}/.test(value)) return Number.NaN;
  return epoch.test(value) ? timeIn(Number(value)) : Date.parse(value);
}
