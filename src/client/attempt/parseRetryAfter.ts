import { parseHttpDate } from './parseHttpDate.ts';

/**
 * The milliseconds that a Retry-After header asks for: whole seconds, or a date as HTTP writes it. Of several the longest.
 * Undefined for one that asks for nothing: absent, 0, in the past, or in any other form. A date is read against the
 * response's own Date header, since our clock may be wrong.
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

/** Two headers in one line; the comma in a date is none between them. */
function separate(text: string): string[] {
  return text.split(/(?<!\b[a-z]{3,9}),/i).map((part) => part.trim());
}
