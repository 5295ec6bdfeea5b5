import type { Trip } from './Pace.ts';

const firstHoldMs = 1000;
const longestHoldMs = 120_000;
const close = 0.75;
const mostCorrections = 3;
const fewest = 3; // with fewer in flight, one more is often an accident
const enough = 20;
const pauseCosts = 30; // a refusal with a pause costs as much as so many without

/**
 * The number of requests that a service accepts at the same time, if that is what it limits. The first refusals suggest a
 * number. It holds as long as only requests beyond it are refused. If the service refuses with far fewer in flight, there is
 * no such limit.
 *
 * The first requests open connections and arrive in any order, so their refusals may suggest a wrong number. Later ones show
 * the right one: each time the service accepted many, and then refused as soon as one more was in flight than at any of
 * them. Twice in a row is no accident.
 */
export class InFlightLimit {
  #most = Infinity;
  #refusedAt = -Infinity;
  /** The requests sent and accepted since the last refusal, and the most in flight when one of them started. */
  #successes = 0;
  #accepted = 1;
  /** The same before the suspicion. */
  #acceptedBefore = 1;
  /** How many more to try. */
  #more = 0;
  /** A request waits for this limit alone. */
  #holds = false;
  /** Successes while the limit, or the number on trial, was in flight and held the next request back. */
  #filled = 0;
  /** `tried`: one refusal shows a number, and another one would prove it. */
  #state: 'unknown' | 'suspected' | 'tried' | 'proven' | 'none' = 'unknown';
  #corrections = 0;
  #holdMs = firstHoldMs;
  #tryAt = Infinity;

  /** Requests that may be in flight now. */
  most(now: number): number {
    if (this.#state === 'proven' && now >= this.#tryAt && this.#more === 0) {
      this.#more = 1;
      this.#filled = 0;
    }
    return this.#most + this.#more;
  }

  /** Called when only this limit keeps a request from starting. */
  held(): void {
    this.#holds = true;
  }

  /** Returns whether this success proved the number. */
  succeeded({ startedAt, inFlight }: Trip): boolean {
    const tried = this.#most + this.#more;
    if (startedAt > this.#refusedAt) {
      this.#successes++;
      this.#accepted = Math.max(this.#accepted, inFlight);
    }
    if (inFlight < tried || !this.#holds) return false;
    this.#holds = false;
    this.#filled++;
    if (this.#more > 0) {
      if (this.#filled >= tried) this.#fits(tried);
    } else if (this.#state === 'suspected' && this.#filled >= 4 * this.#most) {
      this.#state = 'proven';
      return true;
    } else if (this.#state === 'tried' && this.#filled >= enough) {
      this.#more = 1;
      this.#filled = 0;
    }
    return false;
  }

  /**
   * Another refusal among requests that were sent together. Each of the first few lowers the number by one. If more than
   * that were accepted before, there is no such limit.
   */
  refusedToo(now: number): void {
    this.#countFrom(now);
    if (this.#state !== 'suspected' || this.#filled > 0) return;
    this.#most--;
    if (this.#most < close * this.#acceptedBefore) this.#refute();
  }

  /**
   * Whether the number in flight explains a refusal. `anew`: it does, and this refusal proves that there is such a limit.
   * `last`: the number in flight when the last request started.
   */
  explains(now: number, inFlight: number, last: number, retryAfterMs: number | undefined): 'no' | 'yes' | 'anew' {
    const isNew = inFlight >= fewest && inFlight > this.#accepted && this.#successes >= enough;
    this.#acceptedBefore = this.#accepted;
    this.#countFrom(now);
    if (this.#state === 'unknown') {
      this.#state = 'suspected';
      this.#most = Math.max(1, last - 1);
      if (retryAfterMs !== undefined) this.#holdMs *= pauseCosts;
      this.#tryAt = now + this.#holdMs;
    } else if (this.#state === 'proven') {
      // Requests overtake each other, so it may be another one that was too many.
      if (inFlight < this.#most + (this.#more > 0 ? 0 : 1)) return 'no';
      this.#tooMany(now, retryAfterMs);
      return 'yes';
    } else if (isNew) {
      const again = this.#state === 'tried';
      this.#state = again ? 'proven' : 'tried';
      this.#most = inFlight - 1;
      this.#more = 0;
      this.#filled = 0;
      this.#tryAt = now + this.#holdMs;
      return again ? 'anew' : 'yes';
    } else if (this.#state === 'suspected' && inFlight > close * this.#most && inFlight > 1 && this.#corrections < mostCorrections) {
      this.#corrections++;
      this.#most = Math.min(this.#most, inFlight - 1);
    } else {
      this.#refute();
    }
    return 'no';
  }

  /** More than the limit were accepted, often enough. */
  #fits(tried: number): void {
    if (this.#state === 'tried') return this.#refute();
    this.#most = tried;
    this.#more *= 2;
    this.#filled = 0;
  }

  #tooMany(now: number, retryAfterMs: number | undefined): void {
    this.#filled = 0;
    this.#more = Math.floor(this.#more / 2);
    if (this.#more > 0) return;
    this.#holdMs = Math.min(longestHoldMs, this.#holdMs * (retryAfterMs === undefined ? 2 : pauseCosts));
    this.#tryAt = now + this.#holdMs;
  }

  #countFrom(now: number): void {
    this.#refusedAt = now;
    this.#successes = 0;
    this.#accepted = 1;
  }

  #refute(): void {
    this.#state = 'none';
    this.#most = Infinity;
    this.#more = 0;
  }
}
