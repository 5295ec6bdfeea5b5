import { parseHttpDate } from './parseDate.ts';

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
