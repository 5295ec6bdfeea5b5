import type { Clock } from '../client/Clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export interface VirtualClockOptions {
  /** Milliseconds since 1970 at the start. @default 2026-01-01T00:00:00Z */
  readonly wall?: number;
  /** @default always 0.5 */
  readonly random?: () => number;
}

/**
 * Time that moves only when it is told to, for a client's `clock`.
 *
 * @example
 * const clock = new VirtualClock();
 * const { client } = fakeClient(service, respond, { clock });
 * clock.advance(1000);
 */
export class VirtualClock implements Clock {
  random: () => number;
  readonly #wall: number;
  #now = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor({ wall = Date.UTC(2026, 0, 1), random = () => 0.5 }: VirtualClockOptions = {}) {
    this.#wall = wall;
    this.random = random;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#wall + this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer runs. undefined: there is none. */
  get nextMs(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.at - this.#now;
  }

  /** Moves the time on by `ms`. Runs the timers that are due by then, in order, also those that are set meanwhile. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let timer = this.#next(); timer !== undefined && timer.at <= end; timer = this.#next()) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
    }
    this.#now = end;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  }
}
