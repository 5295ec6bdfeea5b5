/** Seconds or milliseconds since 1970, as text. Other digits may be a year or a day. */
const epoch = /^(?:\d{9,10}(?:\.\d+)?|\d{13})$/;
/** Digits that are a day, with or without the time: 20240209, 2024020900. As seconds since 1970 those with an hour are in 2030 to 2034. */
const compact = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-4])(?:[0-5]\d){0,2})?$/;

/** The time of a date, or of seconds or milliseconds since 1970, in milliseconds. NaN: it doesn't say. */
export function timeIn(value: unknown): number {
  if (typeof value === 'number') return compact.test(String(value)) ? Number.NaN : Math.abs(value) < 1e11 ? value * 1000 : value;
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'string' || !/\d{4}/.test(value) || compact.test(value)) return Number.NaN;
  return epoch.test(value) ? timeIn(Number(value)) : Date.parse(value);
}
