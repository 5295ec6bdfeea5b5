import { parseHttpDate } from './parseHttpDate.ts';

/**
 * The wait required by a Retry-After header, in milliseconds. It may be whole seconds or an HTTP date. Of several, the
 * longest counts. Undefined if it requires no wait: absent, 0, in the past, or in any other form. A date is compared
 * with the response's own Date header, because our clock may be wrong.
 */
export function parseRetryAfter(
  header: string | readonly string[] | undefined,
  date: string | readonly string[] | undefined,
  wall: number,
): number | undefined {
  if (header === undefined) return undefined;
  const own = date === undefined ? undefined : parseHttpDate(typeof date === 'string' ? date : (date[0] ?? ''), wall);
  const all = (typeof header === 'string' ? [header] : header).flatMap(separate).map((text) => {
    if (/^\d+$/.test(text)) return Number(text) * 1000;
    const at = parseHttpDate(text, wall);
    return at === undefined ? 0 : at - (own ?? wall);
  });
  const ms = Math.max(0, ...all);
  return ms > 0 ? ms : undefined;
}

/** Two headers in one line. A comma inside a date doesn't separate them. */
function separate(text: string): string[] {
  return text.split(/(?<!\b[a-z]{3,9}),/i).map((part) => part.trim());
}
