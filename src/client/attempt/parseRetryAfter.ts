const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec';
const date = new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} (?:${months.replaceAll(' ', '|')}) \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`);

/**
 * The milliseconds that a Retry-After header asks for: whole seconds, or a date as HTTP writes it. Undefined for one that
 * asks for nothing: absent, 0, in the past, or in any other form.
 */
export function parseRetryAfter(header: string | readonly string[] | undefined, wall: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : date.test(text) ? Date.parse(text) - wall : Number.NaN;
  return ms > 0 ? ms : undefined;
}
