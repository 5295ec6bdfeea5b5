import { InFlightLimit } from './InFlightLimit.ts';
import { type Pace, type RateLimitReport, type Trip, FixedPace, type FixedPaceOptions } from './Pace.ts';
import { RateBelief, RateEstimate, type RateProbe } from './RateBelief.ts';
import { ToldLimit } from './ToldLimit.ts';
import { number, declareOptions, whole, optionError } from '../../../operators/options/index.ts';
import type { LimitSpec, Service } from '../../contract/index.ts';
import type { ClientOptions } from '../ClientOptions.ts';

export interface LearntPaceOptions {
  /** Requests in flight at first. Each response makes room for two more, and so does a little time. @default 8 */
  readonly firstRequests?: number | undefined;
  /** Share of the measured rate to use. @default 0.99 */
  readonly margin?: number | undefined;
  /** How long to keep a well-known rate before trying a higher one. @default 18000 */
  readonly holdMs?: number | undefined;
}

/** A time in which the service refuses everything. */
interface Silence {
  readonly refusedAt: number;
  readonly sinceMs: number;
  readonly toldMs: number | undefined;
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

const learntPaceOptions = declareOptions<LearntPaceOptions>()({
  firstRequests: number({ from: 1 }).or(8),
  margin: number({ above: 0, to: 1 }).or(0.99),
  holdMs: number({ above: 0 }).or(18_000),
});

const firstGapMs = 100;
const unsureMs = 1000; // Retry-After is in whole seconds
const lateIfOutage = 2; // one alone may fail where only some do

/**
 * Learns a limit that the service doesn't publish: on the rate, or on requests in flight. There is no limit until the first
 * refusal. From then on the rate is what got through between two refusals (`RateEstimate`). The client keeps that rate for a
 * while, and then raises it ever faster until the service refuses again (`RateProbe`). `RateBelief` decides how far to trust
 * a measurement. If the service allows a number of requests in a period, the first refusals tell both
 * (`RequestWindow`).
 *
 * A burst of refusals counts as one: refusals of requests sent before it add nothing. While the service keeps refusing, the
 * time between requests doubles (`RefusalGap`), so a closed window costs few requests. If only requests beyond a number in
 * flight are refused, that number is the limit and not a rate (`InFlightLimit`). A limit in the response headers applies as
 * well, until it proves wrong (`ToldLimit`).
 */
export class LearntPace implements Pace {
  readonly #firstRequests: number;
  readonly #belief: RateBelief;
  readonly #inFlight = new InFlightLimit();
  readonly #gap = new RefusalGap();
  readonly #told = new ToldLimit();
  #estimate = new RateEstimate();
  /** undefined if no rate is known. */
  #probe: RateProbe | undefined;
  #silence: Silence | undefined;
  /** Requests that started before this belong to an earlier estimate. */
  #sinceAt = -Infinity;
  /** Responses to requests that started before this are ignored. */
  #reactedAt = -Infinity;
  #nextAt = -Infinity;
  /** The rate has held the next request back. A rate that holds nothing back is not in use. */
  #holds = false;
  #free: FreeStart;
  /** The number in flight when the last request started, including it. */
  #lastInFlight = 0;
  /** The same for the request that may start next. */
  #nextInFlight = 0;

  constructor(options: LearntPaceOptions = {}) {
    const { firstRequests, margin, holdMs } = learntPaceOptions.read('LearntPace', options);
    this.#firstRequests = firstRequests;
    this.#free = new FreeStart(firstRequests);
    this.#belief = new RateBelief({ margin, holdMs });
  }

  get rate(): number | undefined {
    return this.#probe?.rate;
  }

  get atOnce(): number | undefined {
    return this.#inFlight.limit;
  }

  get pausedUntil(): number {
    return this.#told.pausedUntil;
  }

  waitMs(now: number, inFlight: number, cost: number = 1): number {
    const waitMs = Math.max(this.#told.waitMs(now, inFlight, cost), this.#paceMs(now));
    if (inFlight >= this.#inFlight.most(now)) {
      if (waitMs === 0) this.#inFlight.held();
      return Infinity;
    }
    if (now < this.#nextAt) this.#holds = true;
    this.#nextInFlight = inFlight + cost;
    return waitMs;
  }

  started(now: number, cost: number = 1): void {
    this.#lastInFlight = this.#nextInFlight;
    this.#told.started(now, cost);
    this.#start(now, cost);
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    this.#told.told(now, startedAt, report);
  }

  succeeded(now: number, trip: Trip): void {
    const { startedAt, cost = 1 } = trip;
    this.#told.succeeded(now, startedAt);
    if (this.#inFlight.succeeded(trip)) this.#forgetRate();
    if (startedAt > this.#sinceAt) for (let taken = 0; taken < cost; taken++) this.#estimate.succeeded(startedAt);
    if (startedAt <= this.#reactedAt) return;
    if (this.#silence !== undefined) this.#learn(this.#silence, startedAt);
    this.#gap.over();
  }

  throttled(now: number, { startedAt, inFlight, cost = 1, strained = false }: Trip, retryAfterMs: number | undefined): void {
    // Other failures don't prove it wrong. What a request takes may be known only since then.
    if (!strained) this.#told.refused(now, Math.max(inFlight, cost));
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
      const [refusedAt, sinceMs, toldMs] = [startedAt, now, retryAfterMs];
      this.#silence = { refusedAt, sinceMs, toldMs, refusals: 1, late: 0, strained, passedAt: undefined, askAt: now };
    }
    // A second request would come too late to learn from the first one.
    this.#gap.refused(Math.max(now - startedAt, this.#probe === undefined ? firstGapMs : 1000 / this.#probe.level));
    this.#nextAt = now + this.#gap.ms;
    if (this.#silence !== undefined) this.#silence.askAt = Math.max(this.#nextAt, now + (retryAfterMs ?? 0) + unsureMs);
  }

  #paceMs(now: number): number {
    if (this.#probe !== undefined || this.#gap.ms > 0) return Math.max(0, this.#nextAt - now);
    return this.#free.waitMs(now, this.#estimate.successes);
  }

  #start(now: number, cost: number): void {
    this.#belief.started(now);
    if (this.#probe === undefined) {
      const usedMs = this.#free.started(now);
      if (this.#silence === undefined) this.#estimate.use(usedMs);
      this.#nextAt = now + this.#gap.ms;
      return;
    }
    if (this.#silence !== undefined) {
      this.#nextAt = now + (cost * 1000) / this.#probe.rate + this.#gap.ms;
      return;
    }
    const intervalMs = (cost * 1000) / this.#probe.rate;
    if (this.#holds) this.#probe.use(intervalMs);
    this.#holds = false;
    this.#estimate.use(intervalMs);
    this.#nextAt = Math.max(this.#nextAt, now - this.#belief.catchUpMs(this.#probe.rate)) + intervalMs;
  }

  /** The limit is on requests in flight, so the refusals said nothing about a rate. */
  #forgetRate(): void {
    this.#probe = undefined;
    this.#silence = undefined;
    this.#estimate = new RateEstimate();
    this.#gap.over();
    this.#free = new FreeStart(this.#firstRequests);
  }

  /** A request that started at `startedAt` got through after a silence. */
  #learn(silence: Silence, startedAt: number): void {
    const { refusedAt, sinceMs, askAt, toldMs, refusals, late, strained, passedAt = Infinity } = silence;
    // an outage says little about the rate after it
    const overAt = strained ? sinceMs + this.#estimate.usedMs : passedAt;
    const silentMs = Math.max(0, Math.min(startedAt, askAt, overAt) - sinceMs);
    const outage = strained && late >= lateIfOutage;
    const period = { estimate: this.#estimate, probe: this.#probe, refusedAt, silentMs, toldMs, refusals, strained, outage };
    this.#probe = this.#belief.next(period);
    this.#belief.started(startedAt);
    this.#silence = undefined;
    this.#estimate = new RateEstimate();
    this.#sinceAt = startedAt;
    const intervalMs = 1000 / this.#probe.rate;
    this.#estimate.succeeded(startedAt);
    this.#estimate.use(intervalMs);
    this.#nextAt = startedAt + intervalMs;
  }
}

const dripMs = 50; // one more request each, however long the first response takes
const idleMs = 1000; // a longer time without a request isn't caused by a limit
const roomPerResponse = 2;

/** The pace of a client that knows no limit yet: a few requests at first, and more with each response. */
export class FreeStart {
  readonly #firstRequests: number;
  #sent = 0;
  #firstAt = 0;
  #lastAt = 0;

  constructor(firstRequests: number) {
    this.#firstRequests = firstRequests;
  }

  /** Milliseconds until the next request may start. */
  waitMs(now: number, responses: number): number {
    const missing = this.#sent + 1 - this.#firstRequests - roomPerResponse * responses;
    return this.#sent === 0 ? 0 : Math.max(0, this.#firstAt + missing * dripMs - now);
  }

  /** A request starts. Returns the time since the last one, without idle time. */
  started(now: number): number {
    if (this.#sent++ === 0) this.#firstAt = this.#lastAt = now;
    const sinceMs = now - this.#lastAt;
    const usedMs = Math.min(sinceMs, idleMs);
    this.#firstAt += sinceMs - usedMs;
    this.#lastAt = now;
    return usedMs;
  }
}

const maxMs = 10_000;
const longMs = 800;
const slowly = 1.25;

/**
 * The time to leave after a request while a service refuses. It doubles with each refusal in a row. Once it is long it grows
 * more slowly, because time after the end of a window is lost.
 */
export class RefusalGap {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  /** Takes another refusal. Doubling begins at `shortestMs`. */
  refused(shortestMs: number): void {
    this.#ms = Math.min(Math.max(shortestMs, this.#ms * (this.#ms < longMs ? 2 : slowly)), maxMs);
  }

  over(): void {
    this.#ms = 0;
  }
}

const rateOptions = declareOptions<FixedPaceOptions>()({
  requests: whole({ from: 1, to: 1e9 }).needed(),
  perMs: number({ above: 0, to: 1e12 }).needed(),
});

/** The pace of the client, and those of groups of operations that have a limit of their own. */
export interface Paces {
  readonly pace: Pace;
  readonly groupPaces: ReadonlyMap<string, Pace>;
}

/** A rate that the user gives holds for all requests. Otherwise each limit is learnt, below what the service declares. */
export function choosePaces(rate: NonNullable<ClientOptions['rate']>, { limit, groups = {} }: Pick<Service, 'limit' | 'groups'>): Paces {
  const given = rate === 'auto' ? undefined : givenPace(rate);
  const own = (known: LimitSpec | 'learnt' = 'learnt'): Pace =>
    known !== 'learnt' && 'requests' in known ? new JointPace([new FixedPace(known), new LearntPace()]) : new LearntPace();
  const ofGroup = (known: LimitSpec | 'learnt'): Pace => {
    if (given === undefined) return own(known);
    return rate === 'unlimited' ? given : new JointPace([given, own(known)]);
  };
  return {
    pace: given ?? own(limit),
    groupPaces: new Map(Object.entries(groups).map(([group, known]) => [group, ofGroup(known)])),
  };
}

function givenPace(rate: NonNullable<ClientOptions['rate']>): Pace {
  if (rate === 'unlimited') return new UnlimitedPace();
  if (typeof rate === 'object' && rate !== null) {
    if ('waitMs' in rate && typeof rate.waitMs === 'function') return rate;
    if ('requests' in rate && 'perMs' in rate) return new FixedPace(rateOptions.read('createClient', rate, 'rate.'));
  }
  throw optionError('createClient', 'rate', "'auto', 'unlimited', { requests, perMs } or a Pace", rate);
}

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

/** Several paces at once: a request starts when all of them allow it. */
class JointPace implements Pace {
  readonly #paces: readonly Pace[];

  constructor(paces: readonly Pace[]) {
    this.#paces = paces;
  }

  get rate(): number | undefined {
    const rates = this.#paces.flatMap(({ rate }) => rate ?? []);
    return rates.length === 0 ? undefined : Math.min(...rates);
  }

  get pausedUntil(): number {
    return Math.max(...this.#paces.map(({ pausedUntil = -Infinity }) => pausedUntil));
  }

  waitMs(now: number, inFlight: number, cost?: number): number {
    return Math.max(...this.#paces.map((pace) => pace.waitMs(now, inFlight, cost)));
  }

  started(now: number, cost?: number): void {
    for (const pace of this.#paces) pace.started(now, cost);
  }

  succeeded(now: number, trip: Trip): void {
    for (const pace of this.#paces) pace.succeeded(now, trip);
  }

  throttled(now: number, trip: Trip, retryAfterMs: number | undefined): void {
    for (const pace of this.#paces) pace.throttled(now, trip, retryAfterMs);
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    for (const pace of this.#paces) pace.told?.(now, startedAt, report);
  }
}
