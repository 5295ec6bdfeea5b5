import { InFlightLimit } from './InFlightLimit.ts';
import type { Pace, RateLimitReport, SentRequest } from './Pace.ts';
import { RateBelief, RateEstimate, type RateProbe } from './RateBelief.ts';
import { AnnouncedLimit } from './AnnouncedLimit.ts';

/** A time in which the service refuses everything. */
interface Silence {
  readonly refusedAt: number;
  readonly sinceMs: number;
  readonly retryAfterMs: number | undefined;
  refusals: number;
  /** Requests that came ever later and didn't get through either. */
  late: number;
  /** Nothing was refused, but much failed. */
  strained: boolean;
  /** When the first request started that failed for another reason since the last refusal. It had passed the limit. */
  passedAt: number | undefined;
  /** The earliest time of the next request. There may be no request to send then. */
  askAt: number;
}

const firstGapMs = 100;
const longGapMs = 800; // from here on it grows slowly, because time after the end of a window is lost
const maxGapMs = 10_000;
const unsureMs = 1000; // Retry-After is in whole seconds
const lateIfOutage = 2; // one alone may fail where only some do

/**
 * Learns a limit that the service doesn't publish: on the rate, or on requests in flight. There is no limit until the first
 * refusal. From then on the rate is what got through between two refusals (`RateBelief`). The client keeps that rate for a
 * while, and then raises it ever faster until the service refuses again.
 *
 * A burst of refusals counts as one: refusals of requests sent before it add nothing. While the service keeps refusing, the
 * time between requests doubles, so a closed window costs few requests. If only requests beyond a number in flight are refused,
 * that number is the limit and not a rate (`InFlightLimit`). A limit in the response headers applies as well, until it proves
 * wrong (`AnnouncedLimit`).
 */
export class LearntPace implements Pace {
  /** Paces that must allow a request, too. */
  readonly #above: readonly Pace[];
  readonly #belief = new RateBelief();
  readonly #inFlight = new InFlightLimit();
  readonly #announced = new AnnouncedLimit();
  #estimate = new RateEstimate();
  /** undefined if no rate is known. */
  #probe: RateProbe | undefined;
  #silence: Silence | undefined;
  /** The time to leave after a request while the service refuses. */
  #gapMs = 0;
  /** Requests that started before this belong to an earlier estimate. */
  #sinceAt = -Infinity;
  /** Responses to requests that started before this are ignored. */
  #reactedAt = -Infinity;
  #nextAt = -Infinity;
  /** The rate has held the next request back. A rate that holds nothing back is not in use. */
  #holds = false;
  #free = new FreeStart();
  /** The number in flight when the last request started, including it. */
  #lastInFlight = 0;
  /** The same for the request that may start next. */
  #nextInFlight = 0;

  /** `above`: known limits, below which it learns. */
  constructor(...above: readonly (Pace | undefined)[]) {
    this.#above = above.filter((pace) => pace !== undefined);
  }

  get rate(): number | undefined {
    const rates = [this.#probe, ...this.#above].flatMap((one) => one?.rate ?? []);
    return rates.length === 0 ? undefined : Math.min(...rates);
  }

  get atOnce(): number | undefined {
    return this.#inFlight.limit;
  }

  get pausedUntil(): number {
    return this.#above.reduce((until, pace) => Math.max(until, pace.pausedUntil ?? -Infinity), this.#announced.pausedUntil);
  }

  waitMs(now: number, inFlight: number): number {
    const paceMs = this.#paceMs(now, inFlight);
    let waitMs = Math.max(this.#announced.waitMs(now, inFlight), paceMs);
    for (const pace of this.#above) waitMs = Math.max(waitMs, pace.waitMs(now, inFlight));
    if (inFlight >= this.#inFlight.most(now)) {
      if (waitMs === 0) this.#inFlight.held();
      return Infinity;
    }
    if (now < this.#nextAt && waitMs === paceMs) this.#holds = true;
    this.#nextInFlight = inFlight + 1;
    return waitMs;
  }

  started(now: number): void {
    this.#lastInFlight = this.#nextInFlight;
    for (const pace of this.#above) pace.started(now);
    this.#announced.started(now);
    this.#belief.started(now);
    if (this.#probe === undefined) {
      const usedMs = this.#free.started(now);
      if (this.#silence === undefined) this.#estimate.usedMs += usedMs;
      this.#nextAt = now + this.#gapMs;
      return;
    }
    const intervalMs = 1000 / this.#probe.rate;
    if (this.#silence !== undefined) {
      this.#nextAt = now + intervalMs + this.#gapMs;
      return;
    }
    if (this.#holds) this.#probe.usedMs += intervalMs;
    this.#holds = false;
    this.#estimate.usedMs += intervalMs;
    this.#nextAt = Math.max(this.#nextAt, now - this.#belief.catchUpMs(this.#probe.rate)) + intervalMs;
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    for (const pace of this.#above) pace.told?.(now, startedAt, report);
    this.#announced.told(now, startedAt, report);
  }

  succeeded(now: number, sent: SentRequest): void {
    const { startedAt } = sent;
    for (const pace of this.#above) pace.succeeded(now, sent);
    this.#announced.succeeded(now, startedAt);
    if (this.#inFlight.succeeded(sent)) this.#forgetRate();
    if (startedAt > this.#sinceAt) this.#estimate.succeeded(startedAt);
    if (startedAt <= this.#reactedAt) return;
    if (this.#silence !== undefined) this.#learn(this.#silence, startedAt, now);
    this.#gapMs = 0;
  }

  throttled(now: number, sent: SentRequest, retryAfterMs: number | undefined): void {
    const { startedAt, inFlight, strained = false } = sent;
    for (const pace of this.#above) pace.throttled(now, sent, retryAfterMs);
    // Other failures don't prove it wrong.
    if (!strained) this.#announced.refused(now, inFlight);
    if (this.#silence !== undefined) {
      this.#silence.refusals++;
      this.#silence.strained &&= strained;
      this.#silence.passedAt = strained ? (this.#silence.passedAt ?? startedAt) : undefined;
    }
    if (startedAt <= this.#reactedAt) return this.#inFlight.refusedToo(now);
    this.#reactedAt = now;
    const explained = this.#inFlight.explains(now, inFlight, this.#lastInFlight, retryAfterMs);
    if (explained === 'proven') this.#forgetRate();
    if (explained !== 'no') return;
    if (this.#silence !== undefined) this.#silence.late++;
    else if (this.#probe !== undefined || this.#estimate.successes > 0) {
      this.#silence = { refusedAt: startedAt, sinceMs: now, retryAfterMs, refusals: 1, late: 0, strained, passedAt: undefined, askAt: now };
    }
    // A second request would come too late to learn from the first one.
    const shortestMs = Math.max(now - startedAt, this.#probe === undefined ? firstGapMs : 1000 / this.#probe.level);
    this.#gapMs = Math.min(maxGapMs, Math.max(shortestMs, this.#gapMs * (this.#gapMs < longGapMs ? 2 : 1.25)));
    this.#nextAt = now + this.#gapMs;
    if (this.#silence !== undefined) this.#silence.askAt = Math.max(this.#nextAt, now + (retryAfterMs ?? 0) + unsureMs);
  }

  #paceMs(now: number, inFlight: number): number {
    if (this.#probe !== undefined || this.#gapMs > 0) return Math.max(0, this.#nextAt - now);
    return this.#free.waitMs(now, inFlight);
  }

  /** The limit is on requests in flight, so the refusals said nothing about a rate. */
  #forgetRate(): void {
    this.#probe = undefined;
    this.#silence = undefined;
    this.#estimate = new RateEstimate();
    this.#gapMs = 0;
    this.#free = new FreeStart();
  }

  /** A request that started at `startedAt` got through after a silence. */
  #learn(
    { refusedAt, sinceMs, askAt, retryAfterMs, refusals, late, strained, passedAt = Infinity }: Silence,
    startedAt: number,
    now: number,
  ): void {
    const estimate = this.#estimate;
    // an outage says little about the rate after it
    const overAt = strained ? sinceMs + estimate.usedMs : passedAt;
    const silentMs = Math.max(0, Math.min(startedAt, askAt, overAt) - sinceMs);
    const outage = strained && late >= lateIfOutage;
    this.#probe = this.#belief.next({ estimate, refusedAt, silentMs, retryAfterMs, refusals, strained, outage }, this.#probe);
    this.#belief.started(startedAt);
    this.#silence = undefined;
    this.#estimate = new RateEstimate();
    this.#sinceAt = startedAt;
    const intervalMs = 1000 / this.#probe.rate;
    this.#estimate.succeeded(startedAt);
    this.#estimate.usedMs += Math.max(intervalMs, now - startedAt); // the service saves up until it is known
    this.#nextAt = startedAt + intervalMs;
  }
}

const firstInFlight = 5;
const dripMs = 50; // one more in flight each, however long the first response takes
const idleMs = 1000; // a longer time without a request isn't caused by a limit

/** The pace of a client that knows no limit yet: few requests in flight at first, because a limit may refuse all of them. */
class FreeStart {
  #firstAt = -Infinity;
  #lastAt = -Infinity;

  /** Milliseconds until the next request may start. */
  waitMs(now: number, inFlight: number): number {
    return Math.max(0, this.#firstAt + (inFlight + 1 - firstInFlight) * dripMs - now);
  }

  /** A request starts. Returns the time since the last one, without idle time. */
  started(now: number): number {
    if (this.#lastAt === -Infinity) this.#firstAt = this.#lastAt = now;
    const sinceMs = now - this.#lastAt;
    const usedMs = Math.min(sinceMs, idleMs);
    this.#firstAt += sinceMs - usedMs;
    this.#lastAt = now;
    return usedMs;
  }
}
