import type { Filled } from '../../../operators/options/OptionSet.ts';
import { addressOf, type Service } from '../../contract/Service.ts';
import { variablesOf } from '../../contract/secrets.ts';
import { failurePolicy, type FailurePolicy } from '../attempt/failurePolicy.ts';
import type { ClientOptions, RetryOptions } from '../ClientOptions.ts';
import { systemClock, type Clock } from '../Clock.ts';
import { choosePaces, type Paces } from '../rate/choosePaces.ts';
import { clientOptions, retryOptions } from './clientOptions.ts';
import { TrawlerError } from '../../errors/index.ts';
import { addressError, checkScheme, resolveKey, type Given } from './resolveKey.ts';

type GivenOptions = Filled<ClientOptions, (typeof clientOptions)['kinds']>;
type GivenRetry = Filled<RetryOptions, (typeof retryOptions)['kinds']>;

/** Checked and complete options, without the key and what belongs to it. */
export interface Settings
  extends
    Omit<GivenOptions, 'baseUrl' | 'apiKey' | 'secrets' | 'pathPrefix' | 'allowInsecureHttp' | 'rate' | 'retry'>,
    Omit<GivenRetry, 'statuses' | 'codes'>,
    Paces {
  readonly service: Service;
  readonly address: Address;
  /** What statuses and codes mean. */
  readonly policy: FailurePolicy;
  readonly clock: Clock;
}

/** The address of a client in replay mode. No host has this name (RFC 2606). */
const nowhere = 'https://replay.invalid';
const caller = 'createClient';

/** Checks all options at creation, so that a mistake shows before the first request. */
export function resolveOptions(service: Service, options: ClientOptions): { readonly settings: Settings; readonly given: Given } {
  const { baseUrl, apiKey, secrets, pathPrefix, allowInsecureHttp, rate, retry, ...rest } = clientOptions.read(caller, options);
  const { statuses, codes, ...attempts } = retryOptions.read(caller, retry, 'retry.');
  const replays = rest.store?.mode === 'replay'; // nothing is sent, so address and key aren't needed
  const placed = addressOf(service);
  const url = baseUrl ?? (process.env[variablesOf(service).baseUrl] || placed.origin);
  const address = resolveAddress(replays && !url ? nowhere : url, pathPrefix ?? placed.path, allowInsecureHttp);
  const given = resolveKey(service, { apiKey, secrets }, { origin: address.origin, allowInsecureHttp, replays });
  const settings: Settings = {
    ...rest,
    ...attempts,
    service,
    address,
    ...choosePaces(rate, service),
    policy: failurePolicy(service, { statuses, codes }),
    clock: rest.clock ?? systemClock,
  };
  return { settings, given };
}

/** The address of a service: an origin, and a prefix of each operation's path. */
interface Address {
  readonly origin: string;
  /** Starts with a slash and doesn't end with one. Empty for none. */
  readonly prefix: string;
}

const plainSegment = /^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/;

/**
 * Checks and normalizes the service's address. Every request carries the key, so nothing is guessed: https, or http on
 * loopback; no name and password, no query; and a prefix that can't leave its origin.
 */
export function resolveAddress(baseUrl: string | undefined, pathPrefix: string, allowInsecureHttp: boolean): Address {
  if (baseUrl === undefined || baseUrl === '') {
    throw new TrawlerError('createClient: baseUrl is missing; give it as an option or set TRAWLER_BASE_URL');
  }
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw addressError('baseUrl', 'is not a URL; it looks like https://api.example.com');
  }
  if (url.username !== '' || url.password !== '') throw addressError('baseUrl', 'contains a user name or a password; use apiKey instead');
  checkScheme('baseUrl', url, allowInsecureHttp);
  if (/[?#]/.test(baseUrl)) throw addressError('baseUrl', 'has a query or a fragment; it is an address only');
  if (/[\\\s]/.test(baseUrl)) throw addressError('baseUrl', 'holds a backslash or a space');
  const rest = baseUrl.slice(baseUrl.indexOf('//') + 2);
  const path = rest.includes('/') ? rest.slice(rest.indexOf('/')) : '';
  const prefix = segments('baseUrl', path) + segments('pathPrefix', pathPrefix);
  const final = new URL(prefix, url.origin);
  if (final.origin !== url.origin || final.pathname !== (prefix === '' ? '/' : prefix)) {
    throw addressError('pathPrefix', `${JSON.stringify(pathPrefix)} leads to another address`);
  }
  return { origin: url.origin, prefix };
}

/** Normalizes a path to segments with a slash before each. An extra or missing slash at the start or the end doesn't matter. */
function segments(option: string, path: string): string {
  const inner = path.replace(/^\//, '').replace(/\/$/, '');
  if (inner === '') return '';
  for (const segment of inner.split('/')) {
    if (segment === '.' || segment === '..' || !plainSegment.test(segment)) {
      throw addressError(option, `has the path ${JSON.stringify(path)}; it takes plain segments such as /api/v2`);
    }
  }
  return `/${inner}`;
}
