import type { SentRequest } from './Pace.ts';

const firstHoldMs = 1000;
const maxHoldMs = 120_000;
const closeShare = 0.75; // requests overtake each other, so a refusal may come with a few less in flight than the limit
const minInFlight = 3; // with fewer in flight, one more is often an accident
const enough = 20; // requests that went well, to believe what they show
const roundsToProve = 4;
const pauseCosts = 30; // a refusal with a pause costs as much as this many without

/**
 * The number of requests that a service accepts at the same time, if that is what it limits. The first refusals suggest a number. It is
 * proven if many requests filled it, or if twice the service accepted many and then refused as soon as one more was in flight than at
 * any of them: connections open in any order, so the first number may be wrong. From time to time more are tried.
 *
 * It earns 10 % in the first minute of services with such a limit, and 16 % while connections open (`bench/rate/simulate.mjs`).
 */
export class InFlightLimit {
  /** `tried`: one more than ever before was refused at once. `none`: refusals come with far fewer in flight. */
  #state: 'unknown' | 'suspected' | 'tried' | 'proven' | 'none' = 'unknown';
  #limit = Infinity;
  /** How many requests beyond the limit are let through, to see whether the service still refuses them. */
  #more = 0;
  /** Successes while what is let through was in flight and held the next request back. */
  #filled = 0;
  /** A request waits for this limit alone. */
  #holds = false;
  #refusedAt = -Infinity;
  /** The requests sent and accepted since the last refusal, and the most in flight when one of them started. */
  #successes = 0;
  #accepted = 1;
  /** The same before the suspicion. */
  #acceptedBefore = 1;
  #holdMs = firstHoldMs;
  #tryAt = Infinity;

  /** undefined if no limit is known. */
  get limit(): number | undefined {
    return this.#limit === Infinity ? undefined : this.#limit;
  }

  /** Requests that may be in flight now. */
  most(now: number): number {
    if (this.#state === 'proven' && this.#more === 0 && now >= this.#tryAt) this.#tryMore(1);
    return this.#limit + this.#more;
  }

  /** Called when only this limit keeps a request from starting. */
  held(): void {
    this.#holds = true;
  }

  /** Returns whether this success proved the number. */
  succeeded({ startedAt, inFlight }: SentRequest): boolean {
    if (startedAt > this.#refusedAt) {
      this.#successes++;
      this.#accepted = Math.max(this.#accepted, inFlight);
    }
    const most = this.#limit + this.#more;
    if (inFlight < most || !this.#holds) return false;
    this.#holds = false;
    this.#filled++;
    if (this.#state === 'suspected' && this.#filled >= roundsToProve * this.#limit) return this.#prove();
    if (this.#state === 'tried' && this.#more === 0 && this.#filled >= enough) this.#tryMore(1);
    else if (this.#more > 0 && this.#filled >= most) {
      if (this.#state === 'tried') this.#refute();
      else this.#raise(most);
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
    this.#limit--;
    if (this.#limit < closeShare * this.#acceptedBefore) this.#refute();
  }

  /** Whether the limit explains a refusal, or is proven by it. `last`: the number in flight when the last request started. */
  explains(now: number, inFlight: number, last: number, retryAfterMs: number | undefined): 'no' | 'yes' | 'proven' {
    const isEdge = inFlight >= minInFlight && inFlight > this.#accepted && this.#successes >= enough;
    this.#acceptedBefore = this.#accepted;
    this.#countFrom(now);
    if (this.#state === 'proven') {
      // Requests overtake each other, so while more are tried it may be another one that was too many.
      if (inFlight < this.#limit + (this.#more > 0 ? 0 : 1)) return 'no';
      this.#tryMore(Math.floor(this.#more / 2));
      if (this.#more === 0) this.#tryIn(now, retryAfterMs === undefined ? 2 : pauseCosts);
      return 'yes';
    }
    if (isEdge && this.#state !== 'unknown') {
      this.#limit = inFlight - 1;
      this.#tryAt = now + this.#holdMs;
      if (this.#state === 'tried') return this.#prove() ? 'proven' : 'no';
      this.#state = 'tried';
      this.#tryMore(0);
      return 'yes';
    }
    if (this.#state !== 'unknown') this.#refute();
    else if (last > 1) {
      this.#state = 'suspected'; // one alone wasn't one too many
      this.#limit = last - 1;
      this.#tryIn(now, retryAfterMs === undefined ? 1 : pauseCosts);
    }
    return 'no';
  }

  #prove(): true {
    this.#state = 'proven';
    this.#tryMore(0);
    return true;
  }

  #refute(): void {
    this.#state = 'none';
    this.#limit = Infinity;
    this.#tryMore(0);
  }

  #raise(to: number): void {
    this.#limit = to;
    this.#tryMore(2 * this.#more);
  }

  #tryMore(more: number): void {
    this.#more = more;
    this.#filled = 0;
  }

  #tryIn(now: number, longer: number): void {
    this.#holdMs = Math.min(maxHoldMs, this.#holdMs * longer);
    this.#tryAt = now + this.#holdMs;
  }

  #countFrom(now: number): void {
    this.#refusedAt = now;
    this.#successes = 0;
    this.#accepted = 1;
  }
}
