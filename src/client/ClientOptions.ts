import type { Dispatcher } from 'undici';
import type { FailureMeaning, ResponseStore } from '../contract/index.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import type { Clock } from './Clock.ts';
import type { Pace } from './rate/Pace.ts';

export interface ClientOptions {
  /**
   * Address of the service: https, or http on loopback.
   * @default TRAWLER_BASE_URL. For a vendor: its own variable, such as SERPER_BASE_URL, else its address
   */
  readonly baseUrl?: string | undefined;
  /** @default TRAWLER_API_KEY. For a vendor: its own variable, such as SERPER_API_KEY */
  readonly apiKey?: string | undefined;
  /** Other secrets of the service, by name: `${secret.name}` in its texts. @default the variable of each, TRAWLER_APP_KEY for `appKey` */
  readonly secrets?: { readonly [name: string]: string } | undefined;
  /** Prefix of each operation's path. @default the service's own */
  readonly pathPrefix?: string | undefined;
  /** Limit of requests in flight, for the whole client. @default 8 */
  readonly concurrency?: number | undefined;
  /**
   * Requests per second: learnt from 429 responses, a known limit, no limit, or your own pace.
   * @default 'auto'
   */
  readonly rate?: 'auto' | 'unlimited' | { readonly requests: number; readonly perMs: number } | Pace | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Time limit of one attempt, from sending it to its last byte. @default 60000 */
  readonly timeoutMs?: number | undefined;
  /** A hard budget of requests, including retries. @default Infinity */
  readonly maxRequests?: number | undefined;
  /** What to do about responses that don't match the documented shape. @default 'report' */
  readonly validate?: 'report' | 'strict' | 'off' | undefined;
  /** With `'report'`: it is an error if more than this share of an operation's rows doesn't match. @default 0.5 */
  readonly maxDriftShare?: number | undefined;
  /** The largest body to accept, decompressed. @default 33554432 (32 MiB) */
  readonly maxBodyBytes?: number | undefined;
  /** Responses you already paid for: a store from `openStore` of `trawler/store`. Closing the client doesn't close it. @default none */
  readonly store?: ResponseStore | undefined;
  /**
   * The ledger that requests are booked in, so that several processes keep to one limit: the path of a file on this machine, or the
   * `postgres://` address of a database. false: none, whatever TRAWLER_LEDGER says. The sandbox and replays book nothing.
   * @default TRAWLER_LEDGER, else none
   */
  readonly ledger?: string | false | undefined;
  /** A Dispatcher of undici 7 or 8: a proxy, a mock. Closing the client doesn't close it. @default the client's own Pool */
  readonly dispatcher?: Dispatcher | undefined;
  /** Allows http to a host that isn't loopback. The key is then sent unencrypted. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
  /** The disk that has the file of a refresh token. @default nodeFileSystem */
  readonly fileSystem?: FileSystem | undefined;
  /** Time and random numbers, for tests. @default the real ones */
  readonly clock?: Clock | undefined;
}

export interface RetryOptions {
  /** Requests for one call, including the first. @default 5 */
  readonly maxAttempts?: number | undefined;
  /** @default 500 */
  readonly baseMs?: number | undefined;
  /** @default 30000 */
  readonly capMs?: number | undefined;
  /** A call fails at once if the service asks for a longer pause, by Retry-After or by a limit in its headers. @default 300000 */
  readonly maxRetryAfterMs?: number | undefined;
  /** Time limit of all attempts and the waits between them. @default 600000 */
  readonly totalMs?: number | undefined;
  /** If nothing has got through for this long, all waiting calls fail with the last error. @default 120000 */
  readonly outageMs?: number | undefined;
  /** What statuses mean: `{ 520: 'busy', 500: 'final' }`. @default as the service says, else as usual */
  readonly statuses?: { readonly [status: number]: FailureMeaning } | undefined;
  /** What codes in the envelope of HTTP 200 mean. @default as the service says, else an unknown code is retried twice */
  readonly codes?: { readonly [code: string]: FailureMeaning } | undefined;
}
