import type { Clock } from '../Clock.ts';
import type { Pace } from '../rate/Pace.ts';

interface PauseOptions {
  readonly clock: Clock;
  /** It knows what the service's headers say. */
  readonly pace: Pace;
  /** The longest pause that a request waits for, if the service asks for it. */
  readonly maxMs: number;
}

const latest = 8.64e15; // the latest possible Date
const jitterShare = 0.1; // not all clients of a service at the same moment
const maxJitterMs = 1000;
const sameMs = 1000; // responses that name the same moment name it in whole seconds

/** A time in which the whole client sends nothing. The service asks for it, or the client takes it because too much fails. */
export class Pause {
  readonly #options: PauseOptions;
  #untilAt = -Infinity;
  #askedUntilAt = -Infinity;
  #toldUntilAt = -Infinity;

  constructor(options: PauseOptions) {
    this.#options = options;
  }

  /** How much longer it lasts. */
  get ms(): number {
    return this.msAt(this.#now);
  }

  /** The same, for who has read the clock. */
  msAt(now: number): number {
    return Math.max(0, this.#untilAt - now, (this.#options.pace.pausedUntil ?? -Infinity) - now);
  }

  /** When it ends, in milliseconds since 1970. undefined without a pause. */
  get until(): number | undefined {
    return this.ms === 0 ? undefined : this.#wallIn(this.ms);
  }

  /** When the service accepts requests again, in milliseconds since 1970, if that is longer than a request waits. */
  get tooLongUntil(): number | undefined {
    const ms = Math.max(this.#askedUntilAt - this.#now, this.#toldMs);
    return ms > this.#options.maxMs ? this.#wallIn(ms) : undefined;
  }

  /** How long it lasts, if it is new, or ends clearly later than at the last call. */
  unannounced(): number | undefined {
    const { ms } = this;
    const untilAt = this.#now + ms;
    if (ms === 0 || untilAt < this.#toldUntilAt + sameMs) return undefined;
    this.#toldUntilAt = untilAt;
    return ms;
  }

  /** Sends nothing for this long. A longer pause already in effect stays. */
  take(ms: number): void {
    this.#untilAt = Math.max(this.#untilAt, this.#now + ms);
  }

  /** The service asks for a pause. It is never shorter than that. */
  require(ms: number): void {
    this.#askedUntilAt = Math.max(this.#askedUntilAt, this.#now + ms);
    this.take(ms + this.#options.clock.random() * Math.min(maxJitterMs, ms * jitterShare));
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  get #toldMs(): number {
    return (this.#options.pace.pausedUntil ?? -Infinity) - this.#now;
  }

  #wallIn(ms: number): number {
    return Math.min(this.#options.clock.wall() + ms, latest);
  }
}
