import { number, whole } from '../../../operators/options/kinds.ts';
import { declareOptions, optionError } from '../../../operators/options/OptionSet.ts';
import type { ClientOptions } from '../ClientOptions.ts';
import { FixedPace, type FixedPaceOptions } from './FixedPace.ts';
import { LearntPace } from './LearntPace.ts';
import type { Pace } from './Pace.ts';

const rateOptions = declareOptions<FixedPaceOptions>()({
  requests: whole({ from: 1, to: 1e9 }).needed(),
  perMs: number({ above: 0, to: 1e12 }).needed(),
});

export function choosePace(rate: NonNullable<ClientOptions['rate']>): Pace {
  if (rate === 'auto') return new LearntPace();
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
