import { FixedPace, type RateLimitReport } from './Pace.ts';

type KnownLimit = Extract<RateLimitReport, { readonly requests: number }>;

const sameMs = 1000; // a reset in whole seconds
const patience = 3;
const startsKept = 100; // a limit is told by the first responses

/**
 * A limit that the service states in its headers: how much more it accepts, until when if it says so, or how much room is left in a bucket that
 * empties steadily. The room includes what is in flight, because a response doesn't say whether the service has counted other
 * requests. The limit is trusted until it has been wrong three times: the service refuses although there was room, or
 * repeatedly says that there is none and still responds.
 */
export class ToldLimit {
  #wrong = 0;
  /** The room at `#at`, and how much comes back in a millisecond. */
  #room = Infinity;
  #at = -Infinity;
  #perMs = 0;
  /** It says that nothing is left, and not until when; and the success before said so too. */
  #isEmpty = false;
  #wasEmpty = false;
  /** Nothing more can be sent before the reset: nothing is left, or not as much as a request costs. */
  #isOut = false;
  /** The most room there ever was. After a reset there may be that much. */
  #size = 0;
  #untilAt = -Infinity;
  /** When the latest request started whose response stated it. */
  #asOf = -Infinity;
  /** No success has been held against it yet. Several responses may arrive before the first of them is read. */
  #isNew = false;
  /** How long nothing was left, according to the last success that said so. */
  #noneUntilAt = -Infinity;
  /** The requests in any such time, if that is all that the service says. */
  #even: { readonly report: KnownLimit; readonly pace: FixedPace } | undefined;
  /** When the last requests started, and what each costs, in turn. The service has counted them when it first says so. */
  readonly #starts: number[] = [];

  /** The time until which nothing is left. */
  get pausedUntil(): number {
    return this.#wrong < patience && this.#isOut ? this.#untilAt : -Infinity;
  }

  /** `inFlight`: what the requests in flight cost. */
  waitMs(now: number, inFlight: number, cost = 1): number {
    if (this.#wrong >= patience) return 0;
    const missing = inFlight + Math.min(cost, Math.max(1, this.#size)) - this.#roomAt(now);
    if (missing <= 0) return this.#even?.pace.waitMs(now, inFlight, cost) ?? 0;
    if (this.#perMs > 0) return missing / this.#perMs;
    if (inFlight > 0) return Infinity;
    if (this.#untilAt === Infinity) return 0;
    this.#isOut = true;
    return Math.max(0, this.#untilAt - now);
  }

  started(now: number, cost = 1): void {
    if (this.#even !== undefined) return this.#even.pace.started(now, cost);
    if (this.#starts.push(now, cost) > 2 * startsKept) this.#starts.splice(0, 2);
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    if ('requests' in report) {
      const { requests, perMs } = this.#even?.report ?? {};
      if (report.requests !== requests || report.perMs !== perMs) this.#even = { report, pace: this.#paceAfter(now, report) };
      return;
    }
    const [perMs, untilAt] = 'perSecond' in report ? [report.perSecond / 1000, Infinity] : [0, now + (report.resetMs ?? Infinity)];
    const isSame = now < this.#untilAt && (untilAt === this.#untilAt || Math.abs(untilAt - this.#untilAt) < sameMs);
    // Of requests that were under way together nobody knows which one the service counted last: the one with the least room.
    const isLater = startedAt >= this.#at || (isSame ? report.remaining <= this.#roomAt(now) : startedAt >= this.#asOf);
    if (!isLater) return;
    this.#asOf = Math.max(this.#asOf, startedAt);
    this.#isNew = true;
    this.#even = undefined;
    this.#isEmpty = report.remaining === 0 && perMs === 0 && untilAt === Infinity;
    this.#room = this.#isEmpty ? 1 : report.remaining; // one request tells whether more is left
    this.#isOut = this.#room === 0 && perMs === 0;
    this.#at = now;
    this.#perMs = perMs;
    this.#size = 'size' in report ? report.size : Math.max(this.#size, report.remaining + 1);
    this.#untilAt = untilAt;
  }

  /** The service counts a request when it comes, which may be as late as this response. */
  #paceAfter(now: number, report: KnownLimit): FixedPace {
    const pace = new FixedPace(report);
    const starts = this.#starts.splice(0);
    for (let i = 0; i < starts.length; i += 2) if (starts[i]! > now - report.perMs) pace.started(now, starts[i + 1]);
    return pace;
  }

  succeeded(now: number, startedAt: number): void {
    if (startedAt >= this.#untilAt) this.#untilAt = -Infinity; // it says nothing of a limit any more
    if (this.#isNew && startedAt === this.#asOf) {
      if (this.#isEmpty && this.#wasEmpty) this.#wrong++;
      this.#wasEmpty = this.#isEmpty;
    }
    if (!this.#isNew || startedAt !== this.#asOf || this.#room > 0 || this.#perMs > 0) return;
    this.#isNew = false;
    if (Math.abs(this.#untilAt - this.#noneUntilAt) < sameMs && this.#untilAt - now > sameMs) this.#wrong++;
    this.#noneUntilAt = this.#untilAt;
  }

  /** `inFlight`: what was in flight when the refused request started, including it. */
  refused(now: number, inFlight: number): void {
    this.#wasEmpty = false;
    if (this.#even !== undefined || (now < this.#untilAt && inFlight < this.#roomAt(now))) this.#wrong++;
  }

  /** The room, what is in flight included. After a reset one request tells how much there is. */
  #roomAt(now: number): number {
    if (this.#untilAt === -Infinity) return Infinity;
    if (now < this.#untilAt) return Math.min(Math.max(this.#size, this.#room), this.#room + this.#perMs * (now - this.#at));
    return this.#room === 0 ? 1 : Math.max(1, this.#size);
  }
}
