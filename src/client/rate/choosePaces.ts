import { optionError } from '../../../operators/options/index.ts';
import type { LimitSpec, Service } from '../../contract/index.ts';
import type { ClientOptions } from '../ClientOptions.ts';
import { LearntPace } from './LearntPace.ts';
import { FixedPace, fixedPaceOptions, type Pace } from './Pace.ts';

/** The pace of the client, and those of groups of operations that have a limit of their own. */
export interface Paces {
  readonly pace: Pace;
  readonly groupPaces: ReadonlyMap<string, Pace>;
}

/** A rate that the user gives holds for all requests. Otherwise each limit is learnt, below what the service declares. */
export function choosePaces(rate: NonNullable<ClientOptions['rate']>, { limits = {} }: Pick<Service, 'limits'>): Paces {
  const { default: main, ...groups } = limits;
  const given = rate === 'auto' ? undefined : givenPace(rate);
  const own = (known: LimitSpec | 'learnt' = 'learnt', above?: Pace): Pace =>
    known !== 'learnt' && 'requests' in known ? new LearntPace(new FixedPace(known), above) : new LearntPace(above);
  return {
    pace: given ?? own(main),
    groupPaces: new Map(Object.entries(groups).map(([group, known]) => [group, rate === 'unlimited' ? given! : own(known, given)])),
  };
}

/** A pace without a limit. */
export const unlimited: Pace = { rate: undefined, waitMs: () => 0, started() {}, succeeded() {}, throttled() {} };

function givenPace(rate: NonNullable<ClientOptions['rate']>): Pace {
  if (rate === 'unlimited') return unlimited;
  if (typeof rate === 'object' && rate !== null) {
    if ('waitMs' in rate && typeof rate.waitMs === 'function') return rate;
    if ('requests' in rate && 'perMs' in rate) return new FixedPace(fixedPaceOptions.read('createClient', rate, 'rate.'));
  }
  throw optionError('createClient', 'rate', "'auto', 'unlimited', { requests, perMs } or a Pace", rate);
}
