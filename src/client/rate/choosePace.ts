import { checkOptions } from '../../../operators/check/checkOptions.ts';
import type { ClientOptions } from '../ClientOptions.ts';
import { checkNumber } from '../options/checkNumber.ts';
import { FixedPace } from './FixedPace.ts';
import { LearntPace } from './LearntPace.ts';
import type { Pace } from './Pace.ts';

export function choosePace(rate: NonNullable<ClientOptions['rate']>): Pace {
  if (rate === 'auto') return new LearntPace();
  if (rate === 'unlimited') return new UnlimitedPace();
  if (typeof rate === 'object' && rate !== null) {
    if ('waitMs' in rate && typeof rate.waitMs === 'function') return rate;
    if ('requests' in rate && 'perMs' in rate) {
      checkOptions('createClient', rate, ['requests', 'perMs'], ' in rate');
      return new FixedPace({
        requests: checkNumber('rate.requests', rate.requests, 1, { min: 1, max: 1e9, whole: true }),
        perMs: checkNumber('rate.perMs', rate.perMs, 1, { min: Number.MIN_VALUE, max: 1e12 }),
      });
    }
  }
  throw new RangeError(`createClient: rate must be 'auto', 'unlimited', { requests, perMs } or a Pace, not ${JSON.stringify(rate)}`);
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
