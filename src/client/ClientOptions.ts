import type { Dispatcher } from 'undici';
import type { ResponseStore } from '../contract/index.ts';
import type { Clock } from './Clock.ts';
import type { Pace } from './rate/Pace.ts';

export interface ClientOptions {
  /** Where the service is: https, or http on loopback. @default TRAWLER_BASE_URL */
  readonly baseUrl?: string | undefined;
  /** @default TRAWLER_API_KEY */
  readonly apiKey?: string | undefined;
  /** What comes before each operation's path. @default the service's own */
  readonly pathPrefix?: string | undefined;
  /** Requests in flight, for the whole client. @default 8 */
  readonly concurrency?: number | undefined;
  /**
   * Requests a second: learnt from the service's 429s, a limit that is known, none at all, or a pace of one's own.
   * @default 'auto'
   */
  readonly rate?: 'auto' | 'unlimited' | { readonly requests: number; readonly perMs: number } | Pace | undefined;
  readonly retry?: RetryOptions | undefined;
  /** For one attempt, from sending it to its last byte. @default 60000 */
  readonly timeoutMs?: number | undefined;
  /** A hard budget of requests, retries included. @default Infinity */
  readonly maxRequests?: number | undefined;
  /** What to do about answers that aren't shaped as documented. @default 'report' */
  readonly validate?: 'report' | 'strict' | 'off' | undefined;
  /** With `'report'`: more than this share of an operation's rows without shape is an error after all. @default 0.5 */
  readonly maxDriftShare?: number | undefined;
  /** Envelope codes that are known to pass, or not to. @default none: an unknown code is retried twice */
  readonly envelopeCodes?: { readonly [code: number]: 'retry' | 'fail' | 'auth' | 'throttle' } | undefined;
  /** The largest body to accept, decompressed. @default 33554432 (32 MiB) */
  readonly maxBodyBytes?: number | undefined;
  readonly health?: HealthOptions | undefined;
  /** Responses that were paid for before: what `openStore` of `trawler/store` gives. It isn't closed with the client. @default none */
  readonly store?: ResponseStore | undefined;
  /** Any undici Dispatcher: a proxy, a mock. It isn't closed with the client. @default a Pool of the client's own */
  readonly dispatcher?: Dispatcher | undefined;
  /** Allows http to a host that isn't loopback: the key travels in the clear. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
  /** Time and chance, for tests. @default the real ones */
  readonly clock?: Clock | undefined;
}

export interface RetryOptions {
  /** Requests for one call, the first included. @default 5 */
  readonly maxAttempts?: number | undefined;
  /** @default 500 */
  readonly baseMs?: number | undefined;
  /** @default 30000 */
  readonly capMs?: number | undefined;
  /** A longer Retry-After is an error at once. @default 300000 */
  readonly maxRetryAfterMs?: number | undefined;
  /** All attempts and the waits between them. @default 600000 */
  readonly totalMs?: number | undefined;
}

export interface HealthOptions {
  /** How far back the window reaches. @default 300000 */
  readonly windowMs?: number | undefined;
  /** Share of calls that came to a page at the first attempt, from which on an operation is 'Healthy'. @default 0.95 */
  readonly healthy?: number | undefined;
  /** … and from which on it is 'Available Limited'; below: 'Mostly unavailable'. @default 0.5 */
  readonly limited?: number | undefined;
}
