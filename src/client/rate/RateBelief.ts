/** A time in which the service refused everything, and what it had let through before. */
export interface RefusalPeriod {
  /** What got through before it. */
  readonly estimate: RateEstimate;
  /** When the first refused request had started. */
  readonly refusedAt: number;
  /** For how long nothing got through. */
  readonly silentMs: number;
  /** For how long the service said to wait. It says so in whole seconds, so part of the silence is ours. */
  readonly retryAfterMs: number | undefined;
  readonly refusals: number;
  /** Nothing was refused, but much failed. */
  readonly strained: boolean;
  /** Everything failed, also requests that came much later. */
  readonly outage: boolean;
}

const margin = 0.99; // of a measured rate
const shortestHoldMs = 18_000;
const maxHolds = 16;
const requestsPerRefusal = 200; // so that trying higher rates costs well below 1 %
const holdPerLostTime = 60; // so that pauses cost below 2 %
const periodsPerHold = 2; // a short measurement isn't trusted for long
const periodsPerHoldWithRetryAfter = 4;
const windowsPerHold = 4;
const patience = 2; // refusals in a row that a window needn't explain
const unsureMs = 500; // by how much a pause in whole seconds is too long, on average
const lateMs = 5; // timers fire late by about this
const maxCatchUpMs = 100;
const shareToCatchUp = 0.2; // of what the service saves up: it's there for bursts, and timers are late in turn
const maxGrowMs = 10_000;
const shortestGrowMs = 1000;

/**
 * What is believed of a service's rate, and which rate to try next. What got through between two refusals, beyond what the service
 * may have saved up, is what it allows in that time. As long as a window of whole seconds explains the refusals, its rate is exact, and
 * nothing is measured.
 */
export class RateBelief {
  /** The requests before the first refusal. The service can't have saved up more than these. */
  #first: RefusalPeriod | undefined;
  /** The requests that the service may have saved up. */
  #burst = Infinity;
  /** undefined: the limit is of another kind. */
  #window: RequestWindow | undefined;
  /** Refusals in a row that the window doesn't explain. */
  #unexplained = 0;
  /** The service has refused a request, and not only failed. */
  #refuses = false;

  started(now: number): void {
    this.#window?.started(now);
  }

  /** The largest delay behind the schedule that is caught up. A window saves nothing up for that. */
  catchUpMs(rate: number): number {
    const saved = this.#window === undefined ? this.#burst - 2 : 0;
    return Math.max(lateMs, Math.min(maxCatchUpMs, (1000 * shareToCatchUp * saved) / rate));
  }

  /** The rate to try when the service accepts requests again. `probe`: the one that was tried; undefined for the first refusal. */
  next(period: RefusalPeriod, probe: RateProbe | undefined): RateProbe {
    this.#refuses ||= !period.strained;
    if (probe === undefined || this.#first === undefined) return this.#afterBurst(period);
    // An outage shows nothing of the rate where the service says when it refuses.
    if (period.outage && this.#refuses) return probe;
    const { estimate, silentMs, retryAfterMs, refusals, strained } = period;
    const spentMs = estimate.usedMs + silentMs;
    const growMs = Math.min(maxGrowMs, Math.max(shortestGrowMs, 2 * spentMs)); // as slow as the service responds to a rate that is too high
    const saysWait = retryAfterMs !== undefined;
    if (this.#isOfWindow(period, probe.early)) {
      const { rate, periodMs } = this.#window!;
      const level = margin * rate;
      const holdMs = holdTime(level, refusals, saysWait ? silentMs : 0);
      return new RateProbe({ level, holdMs: Math.max(windowsPerHold * periodMs, holdMs), growMs, strained });
    }
    const level = margin * Math.min(probe.rate, this.#measure(period, this.#first));
    const saved = Math.max(0, Math.min(this.#burst - 2, (level * silentMs) / 1000));
    const holdMs = holdTime(level, refusals, saysWait ? silentMs - (1000 * saved) / level : 0);
    const longestMs = (saysWait ? periodsPerHoldWithRetryAfter : periodsPerHold) * spentMs;
    return new RateProbe({ level, holdMs: Math.min(longestMs, holdMs), growMs, strained });
  }

  /** The first refusals may have been a burst of any size, so nothing of it is known but its length. */
  #afterBurst(period: RefusalPeriod): RateProbe {
    const { estimate, silentMs, retryAfterMs, strained } = period;
    const { successes, usedMs } = estimate;
    const spentMs = usedMs + silentMs;
    this.#first = period;
    this.#burst = successes;
    this.#window = new RequestWindow(successes - 1, usedMs + (retryAfterMs ?? silentMs)); // the last one ended the silence
    this.#unexplained = 0;
    const holdMs = retryAfterMs === undefined ? Math.min(spentMs, maxHolds * shortestHoldMs) : 0;
    return new RateProbe({ level: margin * this.#window.rate, holdMs, growMs: Math.max(shortestGrowMs, spentMs), strained });
  }

  #isOfWindow(period: RefusalPeriod, early: boolean): boolean {
    if (this.#window?.explains(period, early) === true) {
      this.#unexplained = 0;
      return true;
    }
    if (++this.#unexplained >= patience) this.#window = undefined;
    return false;
  }

  /** The rate that a period shows. Corrects what the service may have saved up. */
  #measure({ estimate, refusedAt, silentMs, retryAfterMs }: RefusalPeriod, first: RefusalPeriod): number {
    const countedMs = retryAfterMs === undefined ? silentMs : Math.max(silentMs / 2, silentMs - unsureMs);
    const rough = estimate.rate(refusedAt, countedMs, this.#burst);
    this.#burst = first.estimate.beyond(rough, first.refusedAt);
    return estimate.rate(refusedAt, countedMs, this.#burst);
  }
}

/**
 * How long to keep a rate before trying more: the longer, the more the last try cost. The first refusals of a burst were on their way
 * already; many show that the try went far. `lostMs`: the part of a pause that the service doesn't make up for.
 */
function holdTime(rate: number, refusals: number, lostMs: number): number {
  const requests = requestsPerRefusal * Math.max(refusals, 2 * refusals - 4);
  return Math.max(shortestHoldMs, holdPerLostTime * Math.max(0, lostMs), Math.min((1000 * requests) / rate, maxHolds * shortestHoldMs));
}

const maxStarts = 256;
const shortestMs = 200;

/** The responses between two refusals. */
export class RateEstimate {
  /** The start times of successes. Only each `stride`th is kept: when there are too many, half are dropped. */
  #starts: number[] = [];
  #stride = 1;
  successes = 0;
  /** The time spent sending as fast as allowed. Idle time isn't added. */
  usedMs = 0;

  succeeded(startedAt: number): void {
    if (this.successes++ % this.#stride !== 0) return;
    this.#starts.push(startedAt);
    if (this.#starts.length < maxStarts) return;
    this.#starts = this.#starts.filter((_, nth) => nth % 2 === 0);
    this.#stride *= 2;
  }

  /** The requests that got through before `refusedAt` beyond a rate: the service must have saved up at least this many. */
  beyond(rate: number, refusedAt: number): number {
    const starts = this.#starts.filter((startedAt) => startedAt <= refusedAt);
    const extra = starts.map((startedAt, nth) => (starts.length - nth) * this.#stride - (rate * (refusedAt - startedAt)) / 1000);
    return Math.max(1, ...extra);
  }

  /**
   * Requests per second, if the service refused at `refusedAt` and then everything for `silentMs`. A client that sends too little wastes
   * what the service could save up, and the mean over the whole period is too low. So it looks at each part of the period: what got
   * through in it, beyond the `burst` that may have been saved, was allowed during that part.
   */
  rate(refusedAt: number, silentMs: number, burst: number): number {
    let perMs = Math.max(1, this.successes) / Math.max(1, this.usedMs + silentMs);
    const starts = this.#starts.filter((startedAt) => startedAt <= refusedAt);
    for (const [nth, startedAt] of starts.entries()) {
      const count = (starts.length - nth) * this.#stride - burst + 1; // the refused one came just too soon
      if (refusedAt - startedAt >= shortestMs && count >= 4) perMs = Math.max(perMs, count / (refusedAt - startedAt));
    }
    return 1000 * perMs;
  }
}

const slowest = 1 / 60; // a wait of more than a minute is a pause, and only the service may ask for one
const slowestIfStrained = 1; // where so little fails just as often, it isn't overload

/** A rate over time. It stays at its level for `holdMs`, then rises ever faster until the service refuses: to twice in `growMs`. */
export class RateProbe {
  readonly level: number;
  readonly #holdMs: number;
  readonly #growMs: number;
  /** The time in which the rate was used. An unused rate tells nothing. */
  usedMs = 0;

  constructor({
    level,
    holdMs,
    growMs,
    strained,
  }: { readonly [name in 'level' | 'holdMs' | 'growMs']: number } & { readonly strained: boolean }) {
    this.level = Math.max(strained ? slowestIfStrained : slowest, level);
    this.#holdMs = holdMs;
    this.#growMs = growMs;
  }

  /** No rate above the level was tried yet. */
  get early(): boolean {
    return this.usedMs <= this.#holdMs;
  }

  get rate(): number {
    const beyond = Math.max(0, this.usedMs - this.#holdMs) / this.#growMs;
    return this.level * (1 + 0.06 * beyond + beyond ** 3);
  }
}

const minRequests = 5;
const maxRequests = 10_000;
const inexact = 0.06; // requests don't arrive as evenly as they are sent

/**
 * A limit on the requests in a period of whole seconds. A service with such a limit refuses everything after its first burst, so that
 * burst is the number. When the service refuses again, the period lies between the start of as many requests and the refusal.
 *
 * It earns 1.4 % over half an hour, 3 % in the first minute, and 15 to 28 % of windows of a second (`bench/rate/simulate.mjs`).
 */
export class RequestWindow {
  readonly requests: number;
  periodMs: number;
  /** The last starts, at least as many as the limit. */
  readonly #starts: number[] = [];

  /** `longestMs`: from the start of the first burst to the end of the silence after it. */
  constructor(requests: number, longestMs: number) {
    this.requests = Math.max(1, requests);
    this.periodMs = 1000 * Math.max(1, Math.floor(longestMs / 1000));
  }

  /** Requests per second. */
  get rate(): number {
    return (1000 * this.requests) / this.periodMs;
  }

  started(now: number): void {
    if (this.requests > maxRequests) return;
    this.#starts.push(now);
    if (this.#starts.length > 2 * this.requests + 100) this.#starts.splice(0, this.requests);
  }

  /** Whether the window explains a refusal. Corrects the period if it does. `early`: the client had sent no more than it allows. */
  explains({ refusedAt, silentMs, retryAfterMs, estimate }: RefusalPeriod, early: boolean): boolean {
    const first = this.#starts[this.#starts.findLastIndex((at) => at < refusedAt) - this.requests + 1];
    if (early || first === undefined || this.requests < minRequests) return false;
    const spanMs = refusedAt - first;
    const share = spanMs / this.periodMs;
    const measured = retryAfterMs === undefined ? (wholeSeconds(spanMs) ?? wholeSeconds(spanMs + silentMs)) : undefined;
    const periodMs = share > 0.65 && share < 1 + inexact ? this.periodMs : measured;
    // What got through can't be much more than the window allows.
    if (periodMs === undefined || this.requests / periodMs < estimate.successes / (1.15 * (estimate.usedMs + silentMs))) return false;
    this.periodMs = periodMs;
    return true;
  }
}

function wholeSeconds(ms: number): number | undefined {
  const whole = 1000 * Math.round(ms / 1000);
  return whole > 0 && Math.abs(ms - whole) <= inexact * ms ? whole : undefined;
}
