/** Seconds, a text sent as it is (`'soon'`, `'-1'`, `'1e9'`), or a moment so many seconds from now, sent as an HTTP date. */
export type RetryAfter = number | string | { readonly dateInSeconds: number };

export function retryAfterHeader(retryAfter: RetryAfter | undefined, now: number): { readonly [name: string]: string } {
  if (retryAfter === undefined) return {};
  const text = typeof retryAfter === 'object' ? new Date(now + retryAfter.dateInSeconds * 1000).toUTCString() : String(retryAfter);
  return { 'retry-after': text, date: new Date(now).toUTCString() }; // a date is read against the response's own
}
