import type { RateLimitReport } from './Pace.ts';

const sameMs = 1000;
const patience = 3;

/**
 * A limit that the service states in its headers: how many more requests it accepts until when. No more than these are
 * in flight. The limit is trusted until it has been wrong three times: the service refuses although requests were left,
 * or repeatedly says that none are left and still responds.
 */
export class ToldLimit {
  #wrong = 0;
  #remaining = Infinity;
  #untilAt = -Infinity;
  /** When the request started whose response stated it. */
  #asOf = -Infinity;
  /** No success has been held against it yet. Several responses may arrive before the first of them is read. */
  #isNew = false;
  /** How long nothing was left, according to the last success that said so. */
  #noneUntilAt = -Infinity;
  #everyMs = 0;
  #nextAt = -Infinity;

  /** The time until which nothing is left. */
  get pausedUntil(): number {
    return this.#wrong < patience && this.#remaining === 0 ? this.#untilAt : -Infinity;
  }

  waitMs(now: number, inFlight: number): number {
    if (this.#wrong >= patience) return 0;
    if (now < this.#untilAt && inFlight >= this.#remaining) return inFlight > 0 ? Infinity : this.#untilAt - now;
    return Math.max(0, this.#nextAt - now);
  }

  started(now: number): void {
    if (this.#everyMs > 0) this.#nextAt = Math.max(this.#nextAt, now) + this.#everyMs;
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    if ('everyMs' in report) {
      this.#everyMs = report.everyMs;
    } else if (startedAt >= this.#asOf) {
      this.#asOf = startedAt;
      this.#isNew = true;
      this.#everyMs = 0;
      this.#remaining = report.remaining;
      this.#untilAt = now + report.resetMs;
    }
  }

  succeeded(now: number, startedAt: number): void {
    if (!this.#isNew || startedAt !== this.#asOf || this.#remaining > 0) return;
    this.#isNew = false;
    if (Math.abs(this.#untilAt - this.#noneUntilAt) < sameMs && this.#untilAt - now > sameMs) this.#wrong++;
    this.#noneUntilAt = this.#untilAt;
  }

  refused(now: number, inFlight: number): void {
    if (this.#everyMs > 0 || (now < this.#untilAt && inFlight < this.#remaining)) this.#wrong++;
  }
}
