import type { Clock } from '../Clock.ts';

/** One timer, which rings at the earliest of the times it was set to. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Infinity;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  setIn(ms: number): void {
    const at = this.#clock.now() + ms;
    if (this.#at <= at) return; // ringing early costs one check
    this.stop();
    if (at === Infinity) return;
    this.#at = at;
    this.#cancel = this.#clock.after(ms, () => {
      this.#at = Infinity;
      this.#cancel = undefined;
      this.#ring();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = Infinity;
  }
}
