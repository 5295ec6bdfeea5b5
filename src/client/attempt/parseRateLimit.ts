import type { IncomingHttpHeaders } from 'node:http';
import type { RateLimitReport } from '../rate/Pace.ts';
import { parseDate, sentAt } from './parseDate.ts';

const epochFrom = 1e9; // a larger reset is a time, not a number of seconds to wait
const maxMs = 31 * 86_400_000; // the longest period that services count requests in is a month

/**
 * The limit stated in a response's headers: `RateLimit` and `RateLimit-Policy` as in the IETF drafts, or
 * `X-RateLimit-Limit`, `-Remaining` and `-Reset`, with or without the X. Undefined if there is none, or it is
 * incomplete. A time is read against the response's own Date header if our clock differs from it. `ignored` is called with a
 * header whose reset can't be true.
 */
export function parseRateLimit(
  headers: IncomingHttpHeaders,
  wall: number,
  ignored: (header: string, value: string) => void = () => {},
): RateLimitReport | undefined {
  const now = one(headers['ratelimit']);
  const policy = one(headers['ratelimit-policy']);
  const remaining = one(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']);
  if (now === undefined && policy === undefined && remaining === undefined) return undefined;
  const from = sentAt(headers, wall);
  const news = (left: number | undefined, reset: number | undefined, header: string): Remaining | undefined => {
    if (left === undefined || reset === undefined) return undefined;
    const resetMs = reset >= 1000 * epochFrom ? reset - from : reset >= epochFrom ? reset * 1000 - from : reset * 1000;
    if (resetMs > maxMs) ignored(header, one(headers[header])!);
    return resetMs < 0 || resetMs > maxMs ? undefined : { remaining: left, resetMs };
  };
  const states = (now ?? '')
    .split(/,(?=\s*(?:"|[a-z][\w.*-]*\s*;))/i)
    .flatMap((part) => news(field(part, 'r', 'remaining'), field(part, 't', 'reset'), 'ratelimit') ?? []);
  const resetHeader = headers['x-ratelimit-reset'] === undefined ? 'ratelimit-reset' : 'x-ratelimit-reset';
  const resetText = one(headers[resetHeader]);
  const reset = numberOf(resetText) ?? (resetText === undefined ? undefined : parseDate(resetText, wall));
  if (resetText !== undefined && reset === undefined) ignored(resetHeader, resetText);
  const plain = news(numberOf(remaining), reset, resetHeader);
  const known = [...states, ...(plain === undefined ? [] : [plain])].sort((a, b) => a.remaining - b.remaining)[0];
  if (known !== undefined) return known;
  const quota = policy === undefined ? undefined : (field(policy, 'q') ?? numberOf(/^\s*(\d+)\s*;/.exec(policy)?.[1]));
  const seconds = policy === undefined ? undefined : field(policy, 'w');
  return quota !== undefined && quota > 0 && seconds !== undefined && seconds > 0 ? { everyMs: (1000 * seconds) / quota } : undefined;
}

type Remaining = Extract<RateLimitReport, { readonly remaining: number }>;

/** A repeated header is ambiguous. */
function one(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function field(text: string, ...names: readonly string[]): number | undefined {
  return numberOf(new RegExp(String.raw`(?:^|[;,\s])(?:${names.join('|')})=(\d+(?:\.\d+)?)`, 'i').exec(text)?.[1]);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
