import type { Dispatcher } from 'undici';
import { checkOptions, namesOf } from '../../../operators/check/checkOptions.ts';
import { failureMeanings, type ResponseStore } from '../../contract/index.ts';
import type { Service } from '../../contract/Service.ts';
import { failurePolicy, type FailurePolicy } from '../attempt/failurePolicy.ts';
import type { ClientOptions, HealthOptions, RetryOptions } from '../ClientOptions.ts';
import { systemClock, type Clock } from '../Clock.ts';
import { choosePace } from '../rate/choosePace.ts';
import type { Pace } from '../rate/Pace.ts';
import { checkNumber } from './checkNumber.ts';
import { resolveAddress, type Address } from './resolveAddress.ts';
import { TrawlerError } from '../../errors/index.ts';

/** Checked and complete options, without the key. */
export interface Settings {
  readonly service: Service;
  readonly address: Address;
  readonly concurrency: number;
  readonly pace: Pace;
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  readonly maxRetryAfterMs: number;
  readonly totalMs: number;
  readonly timeoutMs: number;
  readonly maxRequests: number;
  readonly validate: 'report' | 'strict' | 'off';
  readonly maxDriftShare: number;
  /** What statuses and codes mean. */
  readonly policy: FailurePolicy;
  readonly maxBodyBytes: number;
  readonly windowMs: number;
  readonly healthy: number;
  readonly limited: number;
  readonly dispatcher: Dispatcher | undefined;
  readonly store: ResponseStore | undefined;
  readonly clock: Clock;
}

/** The address of a client in replay mode. No host has this name (RFC 2606). */
const nowhere = 'https://replay.invalid';
const known = namesOf<ClientOptions & { readonly service: Service }>()(
  'service baseUrl apiKey pathPrefix concurrency rate retry timeoutMs maxRequests validate maxDriftShare maxBodyBytes health store dispatcher allowInsecureHttp clock',
);
const knownRetry = namesOf<RetryOptions>()('maxAttempts baseMs capMs maxRetryAfterMs totalMs statuses codes').map(
  (name) => `retry.${name}`,
);
const knownHealth = namesOf<HealthOptions>()('windowMs healthy limited').map((name) => `health.${name}`);

/** Checks all options at creation, so that a mistake shows before the first request. */
export function resolveOptions(service: Service, options: ClientOptions): { readonly settings: Settings; readonly key: string } {
  const { retry = {}, health = {}, validate = 'report', store, dispatcher, clock = systemClock } = options;
  checkOptions('createClient', options, known);
  checkOptions('createClient', under('retry', retry), knownRetry);
  checkOptions('createClient', under('health', health), knownHealth);
  if (validate !== 'report' && validate !== 'strict' && validate !== 'off') {
    throw new RangeError(`createClient: validate must be 'report', 'strict' or 'off', not ${JSON.stringify(validate)}`);
  }
  for (const table of ['statuses', 'codes'] as const) {
    for (const [value, means] of Object.entries(retry[table] ?? {})) {
      if (failureMeanings.includes(means)) continue;
      const names = failureMeanings.map((name) => `'${name}'`).join(', ');
      throw new RangeError(`createClient: retry.${table}[${value}] must be one of ${names}, not ${JSON.stringify(means)}`);
    }
  }
  if (dispatcher !== undefined && typeof dispatcher.dispatch !== 'function') {
    throw new RangeError('createClient: dispatcher must be an undici Dispatcher');
  }
  if (store !== undefined && typeof store.find !== 'function') {
    throw new RangeError('createClient: store must be what openStore of trawler/store gives');
  }
  const replays = store?.mode === 'replay'; // nothing is sent, so address and key aren't needed
  const apiKey = options.apiKey ?? process.env['TRAWLER_API_KEY'];
  const baseUrl = options.baseUrl ?? process.env['TRAWLER_BASE_URL'];
  const key = service.key === undefined || (replays && !apiKey) ? '' : checkKey(apiKey);
  const settings: Settings = {
    service,
    address: resolveAddress(
      replays && !baseUrl ? nowhere : baseUrl,
      options.pathPrefix ?? service.basePath ?? '',
      options.allowInsecureHttp === true,
    ),
    concurrency: checkNumber('concurrency', options.concurrency, 8, { min: 1, max: 10_000, whole: true }),
    pace: choosePace(options.rate ?? 'auto'),
    maxAttempts: checkNumber('retry.maxAttempts', retry.maxAttempts, 5, { min: 1, whole: true }),
    baseMs: checkNumber('retry.baseMs', retry.baseMs, 500, { min: 0 }),
    capMs: checkNumber('retry.capMs', retry.capMs, 30_000, { min: 0 }),
    maxRetryAfterMs: checkNumber('retry.maxRetryAfterMs', retry.maxRetryAfterMs, 300_000, { min: 0 }),
    totalMs: checkNumber('retry.totalMs', retry.totalMs, 600_000, { min: 0 }),
    timeoutMs: checkNumber('timeoutMs', options.timeoutMs, 60_000, { min: 1 }),
    maxRequests: checkNumber('maxRequests', options.maxRequests, Infinity, { min: 0, whole: true }),
    validate,
    maxDriftShare: checkNumber('maxDriftShare', options.maxDriftShare, 0.5, { min: 0, max: 1 }),
    policy: failurePolicy(service.failures, retry),
    maxBodyBytes: checkNumber('maxBodyBytes', options.maxBodyBytes, 32 * 2 ** 20, { min: 1, max: 2 ** 29, whole: true }),
    windowMs: checkNumber('health.windowMs', health.windowMs, 300_000, { min: 1 }),
    healthy: checkNumber('health.healthy', health.healthy, 0.95, { min: 0, max: 1 }),
    limited: checkNumber('health.limited', health.limited, 0.5, { min: 0, max: 1 }),
    store,
    dispatcher,
    clock,
  };
  if (settings.limited > settings.healthy) {
    throw new RangeError(`createClient: health.limited must be at most health.healthy (${settings.healthy}), not ${settings.limited}`);
  }
  return { settings, key };
}

function under(option: string, given: object): object {
  return Object.fromEntries(Object.keys(given).map((name) => [`${option}.${name}`, true]));
}

/** Returns the key if it is valid in a header. The errors never show it. */
function checkKey(key: unknown): string {
  if (key === undefined || key === '') {
    throw new TrawlerError(
      'createClient: apiKey is missing; give it as an option or set TRAWLER_API_KEY. Without a key, try `npx trawler sandbox`',
    );
  }
  if (typeof key !== 'string') throw new RangeError(`createClient: apiKey must be text, not ${typeof key}`);
  if (key.trim() !== key)
    throw new RangeError('createClient: apiKey starts or ends with a blank or a line break; was it read from a file?');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new RangeError("createClient: apiKey contains a character that a header can't carry");
  return key;
}
