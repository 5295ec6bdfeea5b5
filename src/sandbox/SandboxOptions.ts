import type { Fault } from './faults.ts';
import { sandboxKey } from '../contract/EnvelopeSpec.ts';
import { addressOf, type Service } from '../contract/Service.ts';
import { mockService } from './described/mockService.ts';
import { searchImitated, type Imitated } from './imitated.ts';
import type { SandboxRateLimit } from './rateLimit.ts';
import { mapOptions, numbersIn, type MapOptions } from './world/mapOptions.ts';
import { anything, callback, group, like, whole, declareOptions, optionError, type Filled } from '../../operators/options/index.ts';

export interface SandboxOptions {
  /** The port on 127.0.0.1. @default 0: any free port */
  readonly port?: number | undefined;
  /** The key that requests must have. @default 'sandbox-key' */
  readonly apiKey?: string | undefined;
  /** Each seed gives a different world. @default 'trawler' */
  readonly seed?: string | number | undefined;
  /**
   * How many days have passed since the world began. Each day reviews are added, edited, answered and removed, places
   * open, close and change, jobs and articles come and go, and prices and ranks move. The same day is always the same. @default 0
   */
  readonly day?: number | undefined;
  /** Another service to imitate, from `defineService`: with rows of its shapes, its paging and its key. @default the embedded service */
  readonly service?: Service | undefined;
  /** How many rows each query of that service has. @default 0 to 35, by query */
  readonly rows?: number | undefined;
  /** The map for `mapsSearch`. @default about 1,500 places for each query, in and around large cities */
  readonly map?: MapOptions | undefined;
  /** How many works each topic has, up to 50,000. `scholarSearch` returns the first 1,000 of a query. @default 8 to 68, by topic */
  readonly works?: number | undefined;
  /** The faults to play, and when. If several are due, the first is played. @default none */
  readonly faults?: readonly Fault[] | undefined;
  /** Requests over this limit get a 429 response. @default none */
  readonly rateLimit?: SandboxRateLimit | undefined;
  /** The time that each response takes, or its bounds. Then the seed decides. @default 0 */
  readonly latencyMs?: number | readonly [number, number] | undefined;
  /** The prefix of the operations' paths. @default as the service says */
  readonly pathPrefix?: string | undefined;
  /** How many requests the log keeps. The oldest are dropped. @default 100000 */
  readonly logLimit?: number | undefined;
  /** The wall clock, for expiry and for the time in each response. @default Date.now */
  readonly now?: (() => number) | undefined;
}

const isLatency = (value: unknown): boolean => {
  const [low, high] = (typeof value === 'number' ? [value, value] : numbersIn(value, 2)) as [number, number];
  return low >= 0 && high >= low && Number.isFinite(high);
};
const isPrefix = (value: unknown): boolean => typeof value === 'string' && /^(\/[^?#]*[^/?#])?$/.test(value);

const sandboxOptions = declareOptions<SandboxOptions>()({
  port: whole({ from: 0, to: 65_535 }).or(0),
  apiKey: anything<string>().or(sandboxKey),
  seed: anything<string | number>().or('trawler'),
  day: whole({ from: 0, to: 3650 }).or(0),
  service: like<Service>('what defineService gives', (value) => typeof value === 'object' && value !== null && 'operations' in value),
  rows: whole({ from: 0, finite: true }),
  map: group<MapOptions>(mapOptions).or({}),
  works: whole({ from: 1, to: 50_000 }),
  faults: like<readonly Fault[]>('a list of faults', Array.isArray).or([]),
  rateLimit: anything(),
  latencyMs: like<number | readonly [number, number]>('a number from 0 on, or two of them in order', isLatency).or(0),
  pathPrefix: like<string>("empty, or start with '/' and not end with one", isPrefix),
  logLimit: whole({ from: 0, finite: true }).or(100_000),
  now: callback<() => number>().or(Date.now),
});

/** The options with their defaults. `latencyMs`: minimum and maximum. */
export type SandboxSettings = Omit<
  Filled<SandboxOptions, typeof sandboxOptions.kinds>,
  'seed' | 'latencyMs' | 'service' | 'rows' | 'pathPrefix'
> & {
  readonly seed: string;
  readonly imitated: Imitated;
  readonly pathPrefix: string;
  readonly latencyMs: readonly [number, number];
};

/** Fills in the defaults. Throws a RangeError for an invalid option. */
export function sandboxSettings(options: SandboxOptions): SandboxSettings {
  const settings = sandboxOptions.read('startSandbox', options);
  // the error doesn't show the key
  if (!/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    throw optionError('startSandbox', 'apiKey', 'printable ASCII, at least one character', '…');
  }
  const { service, rows, ...others } = settings;
  const imitated = service === undefined || service === searchImitated.service ? searchImitated : mockService(service, rows);
  const pathPrefix = settings.pathPrefix ?? addressOf(imitated.service).path;
  return { ...others, imitated, pathPrefix, seed: String(settings.seed), latencyMs: latencyOf(settings.latencyMs) };
}

function latencyOf(latencyMs: number | readonly [number, number]): readonly [number, number] {
  return typeof latencyMs === 'number' ? [latencyMs, latencyMs] : latencyMs;
}
