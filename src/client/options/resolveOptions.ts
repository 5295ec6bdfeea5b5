import { optionError, type Filled } from '../../../operators/options/OptionSet.ts';
import type { Service } from '../../contract/Service.ts';
import { failurePolicy, type FailurePolicy } from '../attempt/failurePolicy.ts';
import type { ClientOptions, HealthOptions, RetryOptions } from '../ClientOptions.ts';
import { systemClock, type Clock } from '../Clock.ts';
import { choosePace } from '../rate/choosePace.ts';
import type { Pace } from '../rate/Pace.ts';
import { clientOptions, healthOptions, retryOptions } from './clientOptions.ts';
import { resolveAddress, type Address } from './resolveAddress.ts';
import { TrawlerError } from '../../errors/index.ts';

type Given = Filled<ClientOptions, (typeof clientOptions)['kinds']>;
type GivenRetry = Filled<RetryOptions, (typeof retryOptions)['kinds']>;
type GivenHealth = Filled<HealthOptions, (typeof healthOptions)['kinds']>;

/** Checked and complete options, without the key. */
export interface Settings
  extends
    Omit<Given, 'baseUrl' | 'apiKey' | 'pathPrefix' | 'allowInsecureHttp' | 'rate' | 'retry' | 'health'>,
    Omit<GivenRetry, 'statuses' | 'codes'>,
    GivenHealth {
  readonly service: Service;
  readonly address: Address;
  readonly pace: Pace;
  /** What statuses and codes mean. */
  readonly policy: FailurePolicy;
  readonly clock: Clock;
}

/** The address of a client in replay mode. No host has this name (RFC 2606). */
const nowhere = 'https://replay.invalid';
const caller = 'createClient';

/** Checks all options at creation, so that a mistake shows before the first request. */
export function resolveOptions(service: Service, options: ClientOptions): { readonly settings: Settings; readonly key: string } {
  const { baseUrl, apiKey, pathPrefix, allowInsecureHttp, rate, retry, health, ...rest } = clientOptions.read(caller, options);
  const { statuses, codes, ...attempts } = retryOptions.read(caller, retry, 'retry.');
  const shares = healthOptions.read(caller, health, 'health.');
  if (shares.limited > shares.healthy)
    throw optionError(caller, 'health.limited', `at most health.healthy, which is ${shares.healthy}`, shares.limited);
  const replays = rest.store?.mode === 'replay'; // nothing is sent, so address and key aren't needed
  const givenKey = apiKey ?? process.env['TRAWLER_API_KEY'];
  const url = baseUrl ?? process.env['TRAWLER_BASE_URL'];
  const key = service.key === undefined || (replays && !givenKey) ? '' : checkKey(givenKey);
  const settings: Settings = {
    ...rest,
    ...attempts,
    ...shares,
    service,
    address: resolveAddress(replays && !url ? nowhere : url, pathPrefix ?? service.basePath ?? '', allowInsecureHttp),
    pace: choosePace(rate),
    policy: failurePolicy(service.failures, { statuses, codes }),
    clock: rest.clock ?? systemClock,
  };
  return { settings, key };
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
