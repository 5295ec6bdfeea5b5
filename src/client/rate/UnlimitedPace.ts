import type { Pace } from './Pace.ts';

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
