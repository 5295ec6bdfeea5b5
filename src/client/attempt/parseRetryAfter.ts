import type { IncomingHttpHeaders } from 'node:http';

/**
 * The wait required by a Retry-After header, in milliseconds. It may be seconds or an HTTP date. Of several, the longest
 * counts. Undefined if it requires no wait: absent, 0, in the past, or in any other form. A date is compared
 * with the response's own Date header, because our clock may be wrong.
 */
export function parseRetryAfter(
  header: string | readonly string[] | undefined,
  date: string | readonly string[] | undefined,
  wall: number,
): number | undefined {
  const ms = Math.max(0, ...waitsOf(header, date, wall).map((wait) => wait ?? 0));
  return ms > 0 ? ms : undefined;
}

/** Whether a Retry-After header says anything. */
export function isRetryAfter(header: string | readonly string[]): boolean {
  return waitsOf(header, undefined, 0).every((wait) => wait !== undefined);
}

/** The waits in a header. undefined for one that isn't in any known form. */
function waitsOf(
  header: string | readonly string[] | undefined,
  date: string | readonly string[] | undefined,
  wall: number,
): readonly (number | undefined)[] {
  if (header === undefined) return [];
  const own = date === undefined ? undefined : parseHttpDate(typeof date === 'string' ? date : (date[0] ?? ''), wall);
  return (typeof header === 'string' ? [header] : header).flatMap(separate).map((text) => {
    if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
    const at = parseHttpDate(text, wall);
    return at === undefined ? undefined : at - (own ?? wall);
  });
}

/** Two headers in one line. A comma inside a date doesn't separate them. */
function separate(text: string): string[] {
  return text.split(/(?<!\b[a-z]{3,9}),/i).map((part) => part.trim());
}

const clockToleranceMs = 2000; // a Date header is in whole seconds, and a response takes a while

/** When a response was sent, in milliseconds since 1970: by our clock, unless its Date header shows that our clock is off. */
export function sentAt({ date }: IncomingHttpHeaders, wall: number): number {
  const theirs = date === undefined ? undefined : parseHttpDate(date, wall);
  return theirs === undefined || Math.abs(theirs - wall) <= clockToleranceMs ? wall : theirs;
}

const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/** Parses a date of HTTP or of ISO 8601 with its zone to milliseconds since 1970. Undefined for anything else. */
export function parseDate(text: string, wall: number): number | undefined {
  if (!isoDate.test(text)) return parseHttpDate(text, wall);
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const time = String.raw`(?<time>[012]\d:[0-5]\d:(?:[0-5]\d|60))`;
const day = '(?:mon|tue|wed|thu|fri|sat|sun)';
const longDay = '(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)';
const month = '(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';

/** The three date formats of HTTP (RFC 9110, 5.6.7): the current one, RFC 850, and C's asctime. */
const forms = [
  new RegExp(String.raw`^${day}, (?<day>\d{1,2}) ${month} (?<year>\d{4}) ${time} (?:gmt|utc)$`, 'i'),
  new RegExp(String.raw`^${longDay}, (?<day>\d{2})-${month}-(?<year>\d{2}) ${time} (?:gmt|utc)$`, 'i'),
  new RegExp(String.raw`^${day} ${month} (?<day>[ \d]\d) ${time} (?<year>\d{4})$`, 'i'),
];

/** Parses an HTTP date to milliseconds since 1970. Undefined for anything else, and for days that don't exist. */
export function parseHttpDate(text: string, wall: number): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const year = parts['year']!.length === 2 ? nearestYear(Number(parts['year']), wall) : parts['year'];
    const clock = parts['time']!.replace(/:60$/, ':59'); // a leap second
    const ms = Date.parse(`${parts['day']} ${parts['month']} ${year} ${clock} GMT`);
    return new Date(ms).getUTCDate() === Number(parts['day']) ? ms : undefined;
  }
  return undefined;
}

/** Expands a two-digit year: this century, or the last one if it would be more than 50 years ahead. */
function nearestYear(twoDigits: number, wall: number): number {
  const now = new Date(wall).getUTCFullYear();
  const year = now - (now % 100) + twoDigits;
  return year > now + 50 ? year - 100 : year;
}
