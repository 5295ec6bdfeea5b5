import type { IncomingHttpHeaders } from 'node:http';
import type { RateLimitNews } from '../rate/Pace.ts';

const epochFrom = 1e9; // a larger reset is a time, not a number of seconds to wait

/**
 * The limit stated in a response's headers: `RateLimit` and `RateLimit-Policy` as in the IETF drafts, or
 * `X-RateLimit-Limit`, `-Remaining` and `-Reset`, with or without the X. Undefined if there is none, or it is
 * incomplete.
 */
export function parseRateLimit(headers: IncomingHttpHeaders, wall: number): RateLimitNews | undefined {
  const now = one(headers['ratelimit']);
  const policy = one(headers['ratelimit-policy']);
  const remaining = one(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']);
  if (now === undefined && policy === undefined && remaining === undefined) return undefined;
  const states = (now ?? '')
    .split(/,(?=\s*(?:"|[a-z][\w.*-]*\s*;))/i)
    .flatMap((part) => news(field(part, 'r', 'remaining'), field(part, 't', 'reset'), wall) ?? []);
  const plain = news(numberOf(remaining), numberOf(one(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'])), wall);
  const known = [...states, ...(plain === undefined ? [] : [plain])].sort((a, b) => a.remaining - b.remaining)[0];
  if (known !== undefined) return known;
  const quota = policy === undefined ? undefined : (field(policy, 'q') ?? numberOf(/^\s*(\d+)\s*;/.exec(policy)?.[1]));
  const seconds = policy === undefined ? undefined : field(policy, 'w');
  return quota !== undefined && quota > 0 && seconds !== undefined && seconds > 0 ? { everyMs: (1000 * seconds) / quota } : undefined;
}

function news(remaining: number | undefined, reset: number | undefined, wall: number): { remaining: number; resetMs: number } | undefined {
  if (remaining === undefined || reset === undefined) return undefined;
  const resetMs = reset >= 1000 * epochFrom ? reset - wall : reset >= epochFrom ? reset * 1000 - wall : reset * 1000;
  return resetMs < 0 ? undefined : { remaining, resetMs };
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
