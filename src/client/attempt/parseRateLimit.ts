import type { IncomingHttpHeaders } from 'node:http';
import { valueAt } from '../../../operators/kit/path.ts';
import type { ReportedLimit } from '../../contract/index.ts';
import type { RateLimitReport } from '../rate/Pace.ts';
import { parseDate, sentAt } from './parseRetryAfter.ts';

/** Reads what a response says about the limit. `ignored` is called with a header, or a value in the body, that can't be true. */
export type ReadLimit = (
  headers: IncomingHttpHeaders,
  wall: number,
  ignored?: (header: string, value: string) => void,
  body?: unknown,
) => RateLimitReport | undefined;

const epochFrom = 1e9; // a larger reset is a time, not a number of seconds to wait
const inTransitMs = 1000; // a reset this long ago was still to come when the response was sent
const maxMs = 31 * 86_400_000; // the longest period that services count requests in is a month

/** The names under which services tell what remains, and when the count begins again. The first that is there counts. */
const remainingNames = ['x-ratelimit-remaining', 'ratelimit-remaining', 'x-rate-limit-remaining'];
const resetNames = ['x-ratelimit-reset-after', 'x-ratelimit-reset', 'ratelimit-reset', 'x-rate-limit-reset'];

/**
 * The limit stated in a response's headers: `RateLimit` and `RateLimit-Policy` as in the IETF drafts, or
 * `X-RateLimit-Remaining` and `-Reset`, with or without the X, or with one more hyphen. Undefined if there is none.
 * A time is read against the response's own Date header if our clock differs from it.
 */
export const parseRateLimit: ReadLimit = (headers, wall, ignored) => {
  for (const name in headers) if (/rate-?limit/.test(name)) return wholeLimit(headers, wall, ignored) ?? whatRemains(headers);
  return undefined;
};

const wholeLimit: ReadLimit = (headers, wall, ignored) => {
  const now = one(headers['ratelimit']);
  const policy = one(headers['ratelimit-policy']);
  const plain = parseRemaining(remainingNames, resetNames, headers, wall, ignored);
  if (now === undefined && policy === undefined) return plain ?? parseInterval(headers);
  const states = (now ?? '').split(/,(?=\s*(?:"|[a-z][\w.*-]*\s*;))/i).flatMap((part) => {
    const [left, reset] = [field(part, 'r', 'remaining'), field(part, 't', 'reset')];
    return (
      (left === undefined || reset === undefined ? undefined : until(left, reset, { header: 'ratelimit', headers, wall, ignored })) ?? []
    );
  });
  const known = [...states, ...(plain === undefined ? [] : [plain])].sort((a, b) => a.remaining - b.remaining)[0];
  if (known !== undefined) return known;
  const quota = policy === undefined ? undefined : (field(policy, 'q') ?? numberOf(/^\s*(\d+)\s*;/.exec(policy)?.[1]));
  const seconds = policy === undefined ? undefined : field(policy, 'w');
  return quota !== undefined && quota > 0 && seconds !== undefined && seconds > 0 ? { requests: quota, perMs: 1000 * seconds } : undefined;
};

/** What remains where nothing says until when. */
function whatRemains(headers: IncomingHttpHeaders): RateLimitReport | undefined {
  if (resetNames.some((name) => headers[name] !== undefined)) return undefined;
  const now = one(headers['ratelimit']) ?? '';
  const inDraft = field(now, 't', 'reset') === undefined ? field(now, 'r', 'remaining') : undefined;
  const remaining = inDraft ?? remainingNames.map((name) => numberOf(one(headers[name]))).find((left) => left !== undefined);
  return remaining === undefined ? undefined : { remaining };
}

/** Whether the headers of a refusal say that nothing remains, whatever they say of a reset. */
export function noneRemains(headers: IncomingHttpHeaders): boolean {
  return remainingNames.some((name) => numberOf(one(headers[name])) === 0);
}

/** Makes a reader for a limit under names that a service declares: in headers, or in an object of the body. */
export function readDeclared({ remaining, reset, at }: ReportedLimit): ReadLimit {
  return (headers, wall, ignored, body) => {
    const object = at === undefined ? undefined : valueAt(body, at);
    const textAt = (name: string): string | undefined =>
      at === undefined ? one(headers[name.toLowerCase()]) : textOf(valueAt(object, name));
    const place = (name: string): string => (at === undefined ? name.toLowerCase() : `${at}.${name}`);
    const text = textAt(remaining);
    const left = numberOf(text);
    if (left === undefined) {
      if (text !== undefined) ignored?.(place(remaining), text);
      return undefined;
    }
    const until = reset === undefined ? undefined : textAt(reset);
    if (until !== undefined) return untilText(left, until, { header: place(reset!), headers, wall, ignored });
    return at === undefined && reset !== undefined ? undefined : { remaining: left };
  };
}

interface Remaining {
  readonly remaining: number;
  readonly resetMs: number;
}

function parseRemaining(
  lefts: readonly string[],
  resets: readonly string[],
  headers: IncomingHttpHeaders,
  wall: number,
  ignored?: (header: string, value: string) => void,
): Remaining | undefined {
  const left = lefts.find((name) => headers[name] !== undefined);
  if (left === undefined) return undefined;
  const reset = resets.find((name) => headers[name] !== undefined);
  const text = reset === undefined ? undefined : one(headers[reset]);
  if (text === undefined) return undefined;
  const remaining = numberOf(one(headers[left]));
  return untilText(remaining, text, { header: reset!, headers, wall, ignored });
}

/** Where a reset stands, and in which response. */
interface ResetPlace {
  readonly header: string;
  readonly headers: IncomingHttpHeaders;
  readonly wall: number;
  readonly ignored: ((header: string, value: string) => void) | undefined;
}

/** What remains until a reset: seconds, a time or a duration. */
function untilText(remaining: number | undefined, text: string, { header, headers, wall, ignored }: ResetPlace): Remaining | undefined {
  const value = timeIn(text, wall);
  if (value === undefined) ignored?.(header, text);
  if (remaining === undefined || value === undefined) return undefined;
  return until(remaining, value, { header, headers, wall, ignored: ignored && (() => ignored(header, text)) });
}

/** A number of requests in an interval: `x-rate-limit-limit: 50` and `x-rate-limit-interval: 1s`. */
function parseInterval(headers: IncomingHttpHeaders): RateLimitReport | undefined {
  const interval = one(headers['x-rate-limit-interval'] ?? headers['x-ratelimit-interval']);
  if (interval === undefined) return undefined;
  const limit = numberOf(one(headers['x-rate-limit-limit'] ?? headers['x-ratelimit-limit'])) ?? 0;
  const seconds = durationOf(interval) ?? numberOf(interval) ?? 0;
  return limit > 0 && seconds > 0 ? { requests: limit, perMs: 1000 * seconds } : undefined;
}

/** What remains until a reset: a number of seconds, or a time since 1970 in seconds or milliseconds. */
function until(remaining: number, reset: number, { header, headers, wall, ignored }: ResetPlace): Remaining | undefined {
  const resetMs = msUntil(reset, headers, wall);
  if (resetMs > maxMs) ignored?.(header, one(headers[header]) ?? '');
  return resetMs <= -inTransitMs || resetMs > maxMs ? undefined : { remaining, resetMs: Math.max(0, resetMs) };
}

/** How many milliseconds a response says to wait: in seconds, a duration, or until a time. Below 0 if the time is over. */
export function waitIn(text: string, headers: IncomingHttpHeaders, wall: number): number | undefined {
  const value = timeIn(text, wall);
  return value === undefined ? undefined : msUntil(value, headers, wall);
}

function timeIn(text: string, wall: number): number | undefined {
  return numberOf(text) ?? durationOf(text) ?? epochOf(text, wall);
}

function msUntil(value: number, headers: IncomingHttpHeaders, wall: number): number {
  return value < epochFrom ? value * 1000 : (value >= 1000 * epochFrom ? value : value * 1000) - sentAt(headers, wall);
}

function epochOf(text: string, wall: number): number | undefined {
  const ms = parseDate(text, wall);
  return ms === undefined ? undefined : ms / 1000;
}

const units: { readonly [unit: string]: number } = { d: 86_400, h: 3600, m: 60, s: 1, ms: 0.001 };

/** Seconds of a duration: `1s`, `250ms`, `6m0s`. */
function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text)) return undefined;
  return [...text.matchAll(/([\d.]+)(ms|[dhms])/g)].reduce((sum, [, value, unit]) => sum + Number(value) * units[unit!]!, 0);
}

/** A value of a body, as a header would have it. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
}

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
