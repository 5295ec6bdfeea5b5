import type { Pace } from './Pace.ts';

/** No limit at all. */
export class UnlimitedPace implements Pace {
  readonly rate: undefined = undefined;

  waitMs(): number {
    return 0;
  }

  started(): void {}

  succeeded(): void {}

  throttled(): void {}
}
