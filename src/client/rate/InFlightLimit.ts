import type { Trip } from './Pace.ts';

const firstHoldMs = 1000;
const maxHoldMs = 120_000;
const closeShare = 0.75; // requests overtake each other, so a refusal may come with a few less in flight than the limit
const maxCorrections = 3;
const minInFlight = 3; // with fewer in flight, one more is often an accident
const enough = 20; // requests that went well, to believe what they show
const roundsToProve = 4;
const pauseCosts = 30; // a refusal with a pause costs as much as this many without

/**
 * What is known of the limit. `suspected`: the first refusals suggest a number. `tried`: one more than ever before was refused
 * at once; `challenged`: one more is let through to see whether that repeats. `probing`: more than the proven number are let
 * through, in case it has risen. `none`: refusals come with far fewer in flight.
 */
type State = 'unknown' | 'suspected' | 'tried' | 'challenged' | 'proven' | 'probing' | 'none';

/**
 * What a refusal looks like. `edge`: many were accepted, and this was one more than at any of them. `beyond`: there were more
 * than are proven.
 */
type Look = 'edge' | 'near' | 'beyond' | 'other';

type Step = 'suspect' | 'lower' | 'try' | 'prove' | 'retreat' | 'refute' | 'ignore';

const afterRefusal: { readonly [state in State]: { readonly [look in Look]?: Step } } = {
  unknown: { edge: 'suspect', near: 'suspect', other: 'suspect' },
  suspected: { edge: 'try', near: 'lower', other: 'refute' },
  tried: { edge: 'prove', near: 'refute', other: 'refute' },
  challenged: { edge: 'prove', near: 'refute', other: 'refute' },
  proven: { beyond: 'retreat' },
  probing: { beyond: 'retreat' },
  none: { edge: 'try' },
};

/** Whether the limit explains a refusal. `proven`: it does, and this refusal proves that there is such a limit. */
const explained: { readonly [step in Step]?: 'yes' | 'proven' } = { try: 'yes', prove: 'proven', retreat: 'yes' };

/**
 * The number of requests that a service accepts at the same time, if that is what it limits. The first refusals suggest a
 * number. It holds as long as only requests beyond it are refused.
 *
 * The first requests open connections and arrive in any order, so their refusals may suggest a wrong number. Later ones show
 * the right one: each time the service accepted many, and then refused as soon as one more was in flight than at any of
 * them. Twice in a row is no accident.
 */
export class InFlightLimit {
  #state: State = 'unknown';
  #limit = Infinity;
  /** How many more to try: in `challenged` and `probing`. */
  #more = 0;
  /** Successes while the limit, or the number on trial, was in flight and held the next request back. */
  #filled = 0;
  /** A request waits for this limit alone. */
  #holds = false;
  #refusedAt = -Infinity;
  /** The requests sent and accepted since the last refusal, and the most in flight when one of them started. */
  #successes = 0;
  #accepted = 1;
  /** The same before the suspicion. */
  #acceptedBefore = 1;
  #corrections = 0;
  #holdMs = firstHoldMs;
  #tryAt = Infinity;

  /** undefined if no limit is known. */
  get limit(): number | undefined {
    return this.#limit === Infinity ? undefined : this.#limit;
  }

  /** Requests that may be in flight now. */
  most(now: number): number {
    if (this.#state === 'proven' && now >= this.#tryAt) this.#enter('probing', 1);
    return this.#limit + this.#more;
  }

  /** Called when only this limit keeps a request from starting. */
  held(): void {
    this.#holds = true;
  }

  /** Returns whether this success proved the number. */
  succeeded({ startedAt, inFlight }: Trip): boolean {
    if (startedAt > this.#refusedAt) {
      this.#successes++;
      this.#accepted = Math.max(this.#accepted, inFlight);
    }
    if (inFlight < this.#limit + this.#more || !this.#holds) return false;
    this.#holds = false;
    this.#filled++;
    return this.#afterFilling();
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

  /** Takes a refusal. `last`: the number in flight when the last request started. */
  explains(now: number, inFlight: number, last: number, retryAfterMs: number | undefined): 'no' | 'yes' | 'proven' {
    const step = afterRefusal[this.#state][this.#lookOf(inFlight)] ?? 'ignore';
    this.#acceptedBefore = this.#accepted;
    this.#countFrom(now);
    if (step === 'suspect' && last > 1) this.#suspect(now, last, retryAfterMs); // one alone wasn't one too many
    else if (step === 'lower') this.#lower(inFlight - 1);
    else if (step === 'try') this.#take('tried', now, inFlight - 1);
    else if (step === 'prove') this.#take('proven', now, inFlight - 1);
    else if (step === 'retreat') this.#retreat(now, retryAfterMs);
    else if (step === 'refute') this.#refute();
    return explained[step] ?? 'no';
  }

  #lookOf(inFlight: number): Look {
    if (this.#state === 'proven' && inFlight > this.#limit) return 'beyond';
    // Requests overtake each other, so it may be another one that was too many.
    if (this.#state === 'probing' && inFlight >= this.#limit) return 'beyond';
    if (inFlight >= minInFlight && inFlight > this.#accepted && this.#successes >= enough) return 'edge';
    const mayLower = inFlight > closeShare * this.#limit && inFlight > 1 && this.#corrections < maxCorrections;
    return mayLower ? 'near' : 'other';
  }

  #afterFilling(): boolean {
    const tried = this.#limit + this.#more;
    if (this.#state === 'suspected' && this.#filled >= roundsToProve * this.#limit) {
      this.#state = 'proven';
      return true;
    }
    if (this.#state === 'tried' && this.#filled >= enough) this.#enter('challenged', 1);
    else if (this.#state === 'challenged' && this.#filled >= tried) this.#refute();
    else if (this.#state === 'probing' && this.#filled >= tried) {
      this.#limit = tried;
      this.#enter('probing', 2 * this.#more);
    }
    return false;
  }

  #suspect(now: number, last: number, retryAfterMs: number | undefined): void {
    this.#state = 'suspected';
    this.#limit = Math.max(1, last - 1);
    if (retryAfterMs !== undefined) this.#holdMs *= pauseCosts;
    this.#tryAt = now + this.#holdMs;
  }

  #lower(most: number): void {
    this.#corrections++;
    this.#limit = Math.min(this.#limit, most);
  }

  #take(state: State, now: number, most: number): void {
    this.#limit = most;
    this.#tryAt = now + this.#holdMs;
    this.#enter(state, 0);
  }

  /** Halves the step. Once none is left, the number stays for longer than before. */
  #retreat(now: number, retryAfterMs: number | undefined): void {
    this.#enter('probing', Math.floor(this.#more / 2));
    if (this.#more > 0) return;
    this.#state = 'proven';
    this.#holdMs = Math.min(maxHoldMs, this.#holdMs * (retryAfterMs === undefined ? 2 : pauseCosts));
    this.#tryAt = now + this.#holdMs;
  }

  #refute(): void {
    this.#state = 'none';
    this.#limit = Infinity;
    this.#more = 0;
  }

  #enter(state: State, more: number): void {
    this.#state = state;
    this.#more = more;
    this.#filled = 0;
  }

  #countFrom(now: number): void {
    this.#refusedAt = now;
    this.#successes = 0;
    this.#accepted = 1;
  }
}
