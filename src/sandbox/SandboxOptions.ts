import { checkOptions, namesOf } from '../../operators/check/checkOptions.ts';
import type { Fault } from './faults/faults.ts';
import { imitated } from './imitated.ts';
import type { SandboxRateLimit } from './rateLimit.ts';
import type { MapOptions } from './world/WorldBase.ts';

const known = namesOf<SandboxOptions>()(
  'port apiKey seed day map works faults rateLimit latencyMs pathPrefix overviewTtlMs logLimit keepAliveMs now',
);

export interface SandboxOptions {
  /** The port on 127.0.0.1. @default 0: any free port */
  readonly port?: number | undefined;
  /** The key that requests must carry. @default 'sandbox-key' */
  readonly apiKey?: string | undefined;
  /** Each seed gives a different world. @default 'trawler' */
  readonly seed?: string | number | undefined;
  /**
   * How many days have passed since the world began. Each day reviews are added, edited, answered and removed, and places
   * open, close and change. The same day is always the same. @default 0
   */
  readonly day?: number | undefined;
  /** The map for `mapsSearch`. @default about 1,500 places for each query, in and around large cities */
  readonly map?: MapOptions | undefined;
  /** How many works each topic has, up to 50,000. `scholarSearch` returns the first 1,000 of a query. @default 8 to 68, by topic */
  readonly works?: number | undefined;
  /** The faults to play, and when. If several are due, the first is played. @default none */
  readonly faults?: readonly Fault[] | undefined;
  /** Requests over this limit get a 429 response. @default none */
  readonly rateLimit?: SandboxRateLimit | undefined;
  /** The time each response takes, or bounds to draw it from by the seed. @default 0 */
  readonly latencyMs?: number | readonly [number, number] | undefined;
  /** The prefix of the operations' paths. @default '/api/v1/engine' */
  readonly pathPrefix?: string | undefined;
  /** How long an `ai_overview_url` lives. @default 120000 */
  readonly overviewTtlMs?: number | undefined;
  /** How many requests the log keeps. The oldest are dropped. @default 100000 */
  readonly logLimit?: number | undefined;
  /** How long an idle connection is kept open. @default 0: until the sandbox is closed */
  readonly keepAliveMs?: number | undefined;
  /** The wall clock, for expiry and for the time in each response. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** The options with their defaults. */
export type SandboxSettings = {
  readonly [K in Exclude<keyof SandboxOptions, 'works' | 'rateLimit' | 'latencyMs' | 'seed'>]-?: NonNullable<SandboxOptions[K]>;
} & {
  readonly seed: string;
  readonly works: number | undefined;
  readonly rateLimit: SandboxRateLimit | undefined;
  /** Minimum and maximum. */
  readonly latencyMs: readonly [number, number];
};

/** Fills in the defaults. Throws a RangeError for an invalid option. */
export function sandboxSettings(options: SandboxOptions): SandboxSettings {
  checkOptions('startSandbox', options, known);
  const {
    port = 0,
    apiKey = 'sandbox-key',
    seed = 'trawler',
    day = 0,
    map = {},
    works,
    faults = [],
    rateLimit,
    latencyMs = 0,
    pathPrefix = imitated.service.basePath ?? '',
    overviewTtlMs = 120_000,
    logLimit = 100_000,
    keepAliveMs = 0,
    now = Date.now,
  } = options;
  const [low, high] = typeof latencyMs === 'number' ? [latencyMs, latencyMs] : latencyMs;
  must('port', port, 'a whole number from 0 to 65535', Number.isInteger(port) && port >= 0 && port <= 65_535);
  must('apiKey', '…', 'printable ASCII, at least one character', /^[\x21-\x7e]+$/.test(apiKey));
  must('day', day, 'a whole number from 0 to 3650', Number.isInteger(day) && day >= 0 && day <= 3650);
  checkMap(map);
  must('works', works, 'a whole number from 1 to 50000', works === undefined || (Number.isInteger(works) && works >= 1 && works <= 50_000));
  must('latencyMs', latencyMs, 'a number from 0 on, or two of them in order', low >= 0 && high >= low && Number.isFinite(high));
  must('pathPrefix', pathPrefix, "empty, or start with '/' and not end with one", /^(\/[^?#]*[^/?#])?$/.test(pathPrefix));
  must('overviewTtlMs', overviewTtlMs, 'a number from 0 on', overviewTtlMs >= 0);
  must('logLimit', logLimit, 'a whole number from 0 on', Number.isInteger(logLimit) && logLimit >= 0);
  must('keepAliveMs', keepAliveMs, 'a number from 0 on', keepAliveMs >= 0 && Number.isFinite(keepAliveMs));
  return {
    port,
    apiKey,
    seed: String(seed),
    day,
    map,
    works,
    faults,
    rateLimit,
    latencyMs: [low, high],
    pathPrefix,
    overviewTtlMs,
    logLimit,
    keepAliveMs,
    now,
  };
}

function checkMap(map: MapOptions): void {
  checkOptions('startSandbox', map, ['places', 'within', 'cap', 'view', 'beyond'], ' in map');
  const { places = 1, within, cap = 1, view = [1, 1], beyond = 0 } = map;
  must('map.places', places, 'a whole number from 1 to 50000', Number.isInteger(places) && places >= 1 && places <= 50_000);
  if (within !== undefined) {
    const [west, south, east, north] = within;
    const fits = west >= -180 && east <= 180 && south >= -85 && north <= 85 && west < east && south < north;
    must('map.within', within, 'west, south, east and north in degrees, south from -85 on, north up to 85', fits);
  }
  must('map.cap', cap, 'a whole number from 1 on', Number.isInteger(cap) && cap >= 1);
  must('map.view', view, 'two positive numbers of pixels', view[0] > 0 && view[1] > 0);
  must('map.beyond', beyond, 'a number from 0 to 1', beyond >= 0 && beyond <= 1);
}

function must(option: string, value: unknown, what: string, holds: boolean): void {
  if (!holds) throw new RangeError(`startSandbox: ${option} must be ${what}, not ${JSON.stringify(value)}`);
}
