import type { Dispatcher } from 'undici';
import type { Service } from '../../contract/Service.ts';
import type { ClientOptions } from '../ClientOptions.ts';
import { systemClock, type Clock } from '../Clock.ts';
import { choosePace } from '../rate/choosePace.ts';
import type { Pace } from '../rate/Pace.ts';
import { checkKey } from './checkKey.ts';
import { checkNumber } from './checkNumber.ts';
import { resolveAddress, type Address } from './resolveAddress.ts';

/** Options, checked and complete. The key is not among them. */
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
  readonly envelopeCodes: { readonly [code: number]: 'retry' | 'fail' };
  readonly maxBodyBytes: number;
  readonly windowMs: number;
  readonly healthy: number;
  readonly limited: number;
  readonly dispatcher: Dispatcher | undefined;
  readonly clock: Clock;
}

const known =
  'service baseUrl apiKey pathPrefix concurrency rate retry timeoutMs maxRequests validate maxDriftShare envelopeCodes maxBodyBytes health ' +
  'dispatcher allowInsecureHttp clock';
const knownRetry = 'maxAttempts baseMs capMs maxRetryAfterMs totalMs';
const knownHealth = 'windowMs healthy limited';

/** Checks every option at once, so that a mistake shows before the first request. */
export function resolveOptions(service: Service, options: ClientOptions): { readonly settings: Settings; readonly key: string } {
  const { retry = {}, health = {}, validate = 'report', envelopeCodes = {}, dispatcher, clock = systemClock } = options;
  refuseUnknown('', options, known);
  refuseUnknown('retry.', retry, knownRetry);
  refuseUnknown('health.', health, knownHealth);
  if (validate !== 'report' && validate !== 'strict' && validate !== 'off') {
    throw new RangeError(`createClient: validate must be 'report', 'strict' or 'off', not ${JSON.stringify(validate)}`);
  }
  for (const [code, verdict] of Object.entries(envelopeCodes)) {
    if (verdict !== 'retry' && verdict !== 'fail') {
      throw new RangeError(`createClient: envelopeCodes[${code}] must be 'retry' or 'fail', not ${JSON.stringify(verdict)}`);
    }
  }
  if (dispatcher !== undefined && typeof dispatcher.dispatch !== 'function') {
    throw new RangeError('createClient: dispatcher must be an undici Dispatcher');
  }
  const key = service.key === undefined ? '' : checkKey(options.apiKey ?? process.env['TRAWLER_API_KEY']);
  const settings: Settings = {
    service,
    address: resolveAddress(
      options.baseUrl ?? process.env['TRAWLER_BASE_URL'],
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
    envelopeCodes,
    maxBodyBytes: checkNumber('maxBodyBytes', options.maxBodyBytes, 32 * 2 ** 20, { min: 1, max: 2 ** 29, whole: true }),
    windowMs: checkNumber('health.windowMs', health.windowMs, 300_000, { min: 1 }),
    healthy: checkNumber('health.healthy', health.healthy, 0.95, { min: 0, max: 1 }),
    limited: checkNumber('health.limited', health.limited, 0.5, { min: 0, max: 1 }),
    dispatcher,
    clock,
  };
  if (settings.limited > settings.healthy) {
    throw new RangeError(`createClient: health.limited must be at most health.healthy (${settings.healthy}), not ${settings.limited}`);
  }
  return { settings, key };
}

function refuseUnknown(where: string, given: object, names: string): void {
  for (const name of Object.keys(given)) {
    if (!names.split(' ').includes(name))
      throw new RangeError(`createClient: there is no option ${where}${name}; there are ${names.replaceAll(' ', ', ')}`);
  }
}
