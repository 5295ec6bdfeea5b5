import type { LimitSpec, Service } from '../../contract/index.ts';
import type { ClientOptions } from '../ClientOptions.ts';
import { FixedPace, type FixedPaceOptions, type Pace, type RateLimitReport, type Trip } from './Pace.ts';
import { LearntPace } from './LearntPace.ts';
import { number, whole, declareOptions, optionError } from '../../../operators/options/index.ts';

const rateOptions = declareOptions<FixedPaceOptions>()({
  requests: whole({ from: 1, to: 1e9 }).needed(),
  perMs: number({ above: 0, to: 1e12 }).needed(),
});

/** The pace of the client, and those of groups of operations that have a limit of their own. */
export interface Paces {
  readonly pace: Pace;
  readonly groupPaces: ReadonlyMap<string, Pace>;
}

/** A rate that the user gives holds for all requests. Otherwise each limit is learnt, below what the service declares. */
export function choosePaces(rate: NonNullable<ClientOptions['rate']>, { limit, groups = {} }: Pick<Service, 'limit' | 'groups'>): Paces {
  const given = rate === 'auto' ? undefined : givenPace(rate);
  const own = (known: LimitSpec | 'learnt' = 'learnt'): Pace =>
    known !== 'learnt' && 'requests' in known ? new JointPace([new FixedPace(known), new LearntPace()]) : new LearntPace();
  const ofGroup = (known: LimitSpec | 'learnt'): Pace => {
    if (given === undefined) return own(known);
    return rate === 'unlimited' ? given : new JointPace([given, own(known)]);
  };
  return {
    pace: given ?? own(limit),
    groupPaces: new Map(Object.entries(groups).map(([group, known]) => [group, ofGroup(known)])),
  };
}

function givenPace(rate: NonNullable<ClientOptions['rate']>): Pace {
  if (rate === 'unlimited') return new UnlimitedPace();
  if (typeof rate === 'object' && rate !== null) {
    if ('waitMs' in rate && typeof rate.waitMs === 'function') return rate;
    if ('requests' in rate && 'perMs' in rate) return new FixedPace(rateOptions.read('createClient', rate, 'rate.'));
  }
  throw optionError('createClient', 'rate', "'auto', 'unlimited', { requests, perMs } or a Pace", rate);
}

/** A pace without a limit. */
export class UnlimitedPace implements Pace {
  readonly rate: undefined = undefined;

  waitMs(): number {
    return 0;
  }

  started(): void {}

  succeeded(): void {}

  throttled(): void {}
}

/** Several paces at once: a request starts when all of them allow it. */
class JointPace implements Pace {
  readonly #paces: readonly Pace[];

  constructor(paces: readonly Pace[]) {
    this.#paces = paces;
  }

  get rate(): number | undefined {
    const rates = this.#paces.flatMap(({ rate }) => rate ?? []);
    return rates.length === 0 ? undefined : Math.min(...rates);
  }

  get pausedUntil(): number {
    return Math.max(...this.#paces.map(({ pausedUntil = -Infinity }) => pausedUntil));
  }

  waitMs(now: number, inFlight: number, cost?: number): number {
    return Math.max(...this.#paces.map((pace) => pace.waitMs(now, inFlight, cost)));
  }

  started(now: number, cost?: number): void {
    for (const pace of this.#paces) pace.started(now, cost);
  }

  succeeded(now: number, trip: Trip): void {
    for (const pace of this.#paces) pace.succeeded(now, trip);
  }

  throttled(now: number, trip: Trip, retryAfterMs: number | undefined): void {
    for (const pace of this.#paces) pace.throttled(now, trip, retryAfterMs);
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    for (const pace of this.#paces) pace.told?.(now, startedAt, report);
  }
}
