interface RateBeliefOptions {
  /** Share of the measured rate to stay at. */
  readonly margin: number;
  /** The shortest time to keep a well-known rate. */
  readonly holdMs: number;
}

/** A refusal by the service. */
export interface RefusalPeriod {
  /** What got through before it. */
  readonly estimate: RateEstimate;
  /** The rate on trial. undefined for the first refusal. */
  readonly probe: RateProbe | undefined;
  /** When the first refused request had started. */
  readonly refusedAt: number;
  /** For how long nothing got through. */
  readonly silentMs: number;
  /** For how long the service said to wait. It says so in whole seconds, so part of the silence is ours. */
  readonly toldMs: number | undefined;
  readonly refusals: number;
  /** Nothing was refused, but much failed. */
  readonly strained?: boolean;
  /** Everything failed, also requests that came much later. */
  readonly outage?: boolean;
}

/** A rate between two ends. */
interface Measured {
  readonly low: number;
  readonly high: number;
  /** The low end is right. */
  readonly sure: boolean;
}

/** How to read a measurement: where a refusal costs only itself, and where it costs a pause. A simulation of many services chose the figures. */
const plain = { farthestEnd: 1.25, sureFrom: 0.97, spentPerHold: 2 };
const costly = { farthestEnd: 1.6, sureFrom: 0.8, spentPerHold: 4 };

const patience = 2; // refusals in a row that a window needn't explain
const periodsPerRefusal = 4; // a window is kept for at least this many periods
const sureMs = 1000; // a shorter period says nothing about what the service saves up
const unsureMs = 1000; // Retry-After is in whole seconds
const requestsToEase = 2;
const windowShareToEase = 0.01; // of a window's requests
const lateMs = 5; // timers fire late by about this
const maxCatchUpMs = 100;
const shareToCatchUp = 0.2; // of what the service saves up: it's there for bursts, and timers are late in turn
const shareToHurry = 0.6; // of the requests that the service may have saved up
const eased = 0.95; // a rate that was refused twice in a row
const easedIfCostly = 0.9;
const soon = 200; // requests after an outage. If another outage comes before this many got through, the rate is to blame
const minDifference = 0.2; // of two periods, as a share, to compare them

/**
 * Combines what several periods show about a service's rate, and decides which rate to try next: it measures the period,
 * decides how far to trust it, and how long to hold the rate. As long as a window explains the refusals, its rate is exact, and
 * nothing is measured.
 */
export class RateBelief {
  readonly #options: RateBeliefOptions;
  readonly #optimism = new Optimism();
  readonly #past = new PastRate();
  /** The requests before the first refusal. The service can't have saved up more than these. */
  #first: { readonly estimate: RateEstimate; readonly refusedAt: number } | undefined;
  /** The requests that the service may have saved up. */
  #burst = Infinity;
  /** What got through before the last refusal, if that came before the client tried more. */
  #early: RateEstimate | undefined;
  /** undefined: the limit is of another kind. */
  #window: RequestWindow | undefined;
  /** Refusals in a row that the window doesn't explain. */
  #unexplained = 0;
  /** The service has refused a request, and not only failed. */
  #refuses = false;
  #afterOutage = false;

  constructor(options: RateBeliefOptions) {
    this.#options = options;
  }

  started(now: number): void {
    this.#window?.started(now);
  }

  /** The largest delay behind the schedule that is caught up. A window saves nothing up for that. */
  catchUpMs(rate: number): number {
    const saved = this.#window === undefined ? this.#burst - 2 : 0;
    return Math.max(lateMs, Math.min(maxCatchUpMs, (1000 * shareToCatchUp * saved) / rate));
  }

  /** The rate to try when the service accepts requests again. */
  next(period: RefusalPeriod): RateProbe {
    const { probe } = period;
    this.#refuses ||= period.strained !== true;
    if (probe === undefined || this.#first === undefined) return this.#afterBurst(period);
    this.#afterOutage = this.#isNoLimit(period);
    if (this.#afterOutage) return probe;
    if (this.#isOfWindow(period, probe.early)) return this.#afterWindow(period, this.#window!);
    return this.#afterPeriod(period, probe);
  }

  #afterBurst({ estimate, refusedAt, silentMs, toldMs, strained }: RefusalPeriod): RateProbe {
    const { successes, usedMs } = estimate;
    const spentMs = usedMs + silentMs;
    this.#first = { estimate, refusedAt };
    this.#burst = successes;
    this.#window = new RequestWindow(successes - 1, usedMs + (toldMs ?? silentMs)); // the last one ended the silence
    this.#unexplained = 0;
    return new RateProbe({
      level: this.#window.rate * this.#options.margin,
      holdMs: toldMs === undefined ? firstHoldTime(spentMs, this.#options.holdMs) : 0,
      growMs: Math.max(1000, spentMs),
      strained,
    });
  }

  /** An outage shows nothing of the rate where the service says when it refuses. */
  #isNoLimit({ estimate, outage = false }: RefusalPeriod): boolean {
    return outage && this.#refuses && !(this.#afterOutage && estimate.successes < soon);
  }

  #isOfWindow({ estimate, refusedAt, silentMs, toldMs }: RefusalPeriod, early: boolean): boolean {
    const { successes, usedMs } = estimate;
    const rateIsOfWindow = this.#unexplained === 0;
    const refusal = { refusedAt, silentMs, toldMs, usedMs, successes, early };
    if ((rateIsOfWindow || !early) && this.#window?.explains(refusal) === true) {
      this.#unexplained = 0;
      return true;
    }
    if (++this.#unexplained >= patience) this.#window = undefined;
    return false;
  }

  #afterWindow({ estimate, silentMs, toldMs, refusals, strained }: RefusalPeriod, { rate, requests }: RequestWindow): RateProbe {
    const level = rate * this.#options.margin;
    const costs = { refusals, lostMs: toldMs === undefined ? 0 : silentMs };
    return new RateProbe({
      level,
      holdMs: Math.max((periodsPerRefusal * 1000 * requests) / rate, holdTime(level, costs, this.#options.holdMs)),
      growMs: growTime(estimate.usedMs + silentMs),
      owed: toldMs === undefined ? requests * windowShareToEase : 0,
      strained,
    });
  }

  #afterPeriod(period: RefusalPeriod, probe: RateProbe): RateProbe {
    const { estimate, silentMs, toldMs, refusals, strained } = period;
    const told = toldMs !== undefined;
    this.#optimism.judge(probe.early, told);
    const { low, high, sure } = this.#measure(period, probe);
    const level = Math.min(this.#maxAfter(period, probe), this.#options.margin * this.#optimism.between(low, high, sure || probe.early));
    const spentMs = estimate.usedMs + silentMs;
    const saved = Math.max(0, Math.min(this.#burst - 2, (level * silentMs) / 1000));
    const lostMs = told ? silentMs - (1000 * saved) / level : 0;
    const maxHoldMs = (told ? costly : plain).spentPerHold * spentMs; // a short measurement isn't trusted for long
    return new RateProbe({
      level,
      holdMs: Math.min(holdTime(level, { refusals, lostMs }, this.#options.holdMs), maxHoldMs),
      growMs: growTime(spentMs),
      owed: told && sure ? -shareToHurry * saved : requestsToEase,
      strained,
    });
  }

  /** What a period shows, with what was known before. Corrects what the service may have saved up. */
  #measure({ estimate, refusedAt, silentMs, toldMs }: RefusalPeriod, probe: RateProbe): Measured {
    const told = toldMs !== undefined;
    const { farthestEnd, sureFrom } = told ? costly : plain;
    const countedMs = told ? silentMs - this.#optimism.share * Math.min(silentMs, unsureMs) : silentMs;
    const rough = estimate.measure(refusedAt, countedMs, this.#burst);
    const burst = this.#first!.estimate.beyond(rough.low, this.#first!.refusedAt);
    const measure = estimate.measure(refusedAt, countedMs, burst);
    if (estimate.usedMs >= sureMs) this.#burst = burst;
    const low = this.#past.blend(measure.low, estimate.successes, told);
    const high = Math.min(probe.rate, measure.high, farthestEnd * low);
    return { low, high, sure: measure.low / measure.high >= sureFrom };
  }

  /**
   * The most to try after a rate was refused twice in a row before the client tried more. Each time the service had saved up as
   * much, so what got through in the longer period beyond the shorter one is what it allows in the difference.
   */
  #maxAfter({ estimate, toldMs }: RefusalPeriod, { early, level }: RateProbe): number {
    const before = this.#early;
    this.#early = early ? estimate : undefined;
    if (!early || before === undefined) return Infinity;
    if (toldMs === undefined) return eased * level;
    const ms = estimate.usedMs - before.usedMs;
    const allowed = Math.abs(ms) < minDifference * estimate.usedMs ? 0 : (1000 * (estimate.successes - before.successes)) / ms;
    return Math.max(easedIfCostly * level, Math.min(eased * level, allowed));
  }
}

const maxOptimism = 0.5;
const regain = 1.5; // per rate that held until the client tried more
const lose = 3; // much faster than it is regained: a rate that is too high costs refusals at once, one that is too low costs little
const worthIt = 1.02; // ends closer together than this are one figure

/**
 * How far to go from the low end of a measurement to its high end, and which part of a pause to count as ours. The high end is
 * right for windows, the low end for buckets. Experience decides.
 */
export class Optimism {
  #share = maxOptimism;
  #used = false;

  get share(): number {
    return this.#share;
  }

  /** A rate was refused. `early`: before the client tried more. `costly`: each refusal costs a pause. */
  judge(early: boolean, costly: boolean): void {
    if (!early) this.#share = Math.min(maxOptimism, this.#share * regain);
    else if (this.#used || costly) this.#share /= lose;
  }

  /** The rate to believe. `sure`: the low end is right. */
  between(low: number, high: number, sure: boolean): number {
    this.#used = !sure && high > low * worthIt;
    return this.#used ? low + this.#share * (high - low) : low;
  }
}

const requestsKept = 10; // what was known before weighs as much as this many requests
const keptMsIfCostly = 1500; // if each refusal costs a pause, periods are short, and the newest must count
const longer = 3; // a period this much longer than what is kept stands alone

/** What earlier periods showed of a rate. A short period says little, so it is combined with them. */
export class PastRate {
  #known: { readonly rate: number; readonly ms: number } | undefined;

  /** The rate of a period and of those before it, by their lengths. `costly`: each refusal costs a pause. */
  blend(rate: number, requests: number, costly: boolean): number {
    const ms = (1000 * requests) / rate;
    const keptMs =
      this.#known === undefined ? 0 : Math.min(this.#known.ms, costly ? keptMsIfCostly : (1000 * requestsKept) / this.#known.rate);
    const alone = this.#known === undefined || ms > longer * keptMs;
    const blended = alone ? rate : (rate * ms + this.#known!.rate * keptMs) / (ms + keptMs);
    this.#known = { rate: blended, ms: blended === rate ? ms : ms + keptMs };
    return blended;
  }
}

const requestsPerRefusal = 200; // so that trying higher rates costs well below 1 %
const silencesPerSilence = 60; // so that pauses cost below 2 %
const maxHolds = 16;
const shortestGrowMs = 1000;
const maxGrowMs = 10_000;

interface HoldCosts {
  /** What the last try cost. */
  readonly refusals: number;
  /** The part of its pause that the service doesn't make up for. Only where the service asks for pauses. */
  readonly lostMs: number;
}

/** How long to keep a rate before trying more: the longer, the more the last try cost. `holdMs`: the shortest time. */
export function holdTime(rate: number, { refusals, lostMs }: HoldCosts, holdMs: number): number {
  // The first refusals of a burst were on their way already. Many show that the try went far.
  const requests = requestsPerRefusal * Math.max(refusals, 2 * refusals - 4);
  return Math.max(holdMs, silencesPerSilence * lostMs, Math.min((1000 * requests) / rate, maxHolds * holdMs));
}

/** The same after the first refusals. They may have been a burst of any size, so nothing of it is known but its length. */
export function firstHoldTime(spentMs: number, holdMs: number): number {
  return Math.min(spentMs, maxHolds * holdMs);
}

/** How long it takes from there to about twice the rate: as slow as the service responds to a rate that is too high. */
export function growTime(spentMs: number): number {
  return Math.min(maxGrowMs, Math.max(shortestGrowMs, 2 * spentMs));
}

const maxStarts = 256;
const longMs = 2000;
const shortestMs = 200;

/** The requests per second that a service let through. */
interface RateMeasure {
  /** The service allows at least this. */
  readonly low: number;
  /** What it let through shortly before it refused. It allows no more than this, saved-up requests included. */
  readonly high: number;
}

/**
 * Estimates a rate from the responses between two refusals. The service was at its limit at both times, so what it let
 * through in between is what it allows in that time.
 */
export class RateEstimate {
  /** The start times of successes. Only each `stride`th is kept: when there are too many, half are dropped. */
  #starts: number[] = [];
  #stride = 1;
  #successes = 0;
  #usedMs = 0;

  get successes(): number {
    return this.#successes;
  }

  /** The time spent sending. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** Adds time in which requests were sent as fast as allowed. Idle time isn't added. */
  use(ms: number): void {
    this.#usedMs += ms;
  }

  succeeded(startedAt: number): void {
    if (this.#successes++ % this.#stride !== 0) return;
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
   * The rate, if the service refused at `refusedAt` and then everything for `silentMs`. A long silence means that a window
   * was used up, so the silence belongs to the period.
   *
   * A client that sends too little wastes what the service could save up, and the mean over the whole period is too low. So
   * it looks at each part of the period: what got through in it, beyond the `burst` that may have been saved, was allowed
   * during that part.
   */
  measure(refusedAt: number, silentMs: number, burst: number): RateMeasure {
    const successes = Math.max(1, this.#successes);
    let low = successes / Math.max(1, this.#usedMs + silentMs);
    let high = successes / Math.max(1, this.#usedMs);
    for (const [nth, startedAt] of this.#starts.entries()) {
      const count = this.#successes - nth * this.#stride;
      const ms = refusedAt - startedAt;
      if (ms >= longMs) high = count / ms;
      if (ms >= shortestMs && count - burst >= 4) low = Math.max(low, (count - burst) / ms);
    }
    return { low: 1000 * low, high: 1000 * high };
  }
}

export interface RateProbeOptions {
  /** The requests per second that the service seems to allow. */
  readonly level: number;
  /** How long to keep that rate before trying more. */
  readonly holdMs: number;
  /** How long it then takes to reach about twice the rate. */
  readonly growMs: number;
  /**
   * Requests to hold back at first, so that the service recovers. Below 0: requests that it has saved up meanwhile. @default
   * 0
   */
  readonly owed?: number;
  /** Nothing was refused, but much failed. @default false */
  readonly strained?: boolean | undefined;
}

const settled = 0.8;
const hurried = 1.5;
const slowest = 1 / 60; // a wait of more than a minute is a pause, and only the service may ask for one
const slowestIfStrained = 1; // where so little fails just as often, it isn't overload

/** A rate over time. It stays at its level, then rises ever faster until the service refuses. */
export class RateProbe {
  readonly level: number;
  readonly #options: RateProbeOptions;
  /** How long the rate is below or above its level at first. */
  readonly #settleMs: number;
  readonly #settling: number;
  #usedMs = 0;

  constructor(options: RateProbeOptions) {
    const { owed = 0, strained = false } = options;
    this.level = Math.max(strained ? slowestIfStrained : slowest, options.level);
    this.#options = options;
    this.#settling = owed < 0 ? hurried : settled;
    this.#settleMs = (1000 * owed) / (this.level * (1 - this.#settling));
  }

  /** No rate above the level was tried yet. */
  get early(): boolean {
    return this.#usedMs <= this.#options.holdMs;
  }

  get rate(): number {
    if (this.#usedMs < this.#settleMs) return this.level * this.#settling;
    const { holdMs, growMs } = this.#options;
    const beyond = Math.max(0, this.#usedMs - holdMs) / growMs;
    return this.level * (1 + 0.06 * beyond + beyond ** 3);
  }

  /** Adds time in which the rate was used. An unused rate tells nothing. */
  use(ms: number): void {
    this.#usedMs += ms;
  }
}

const secondMs = 1000;
const minRequests = 5;
const maxRequests = 10_000;
const inexact = 0.06; // requests don't arrive as evenly as they are sent
const maxEarly = 3;

/** A refusal that a window may explain. */
export interface WindowRefusal {
  /** When the refused request had started. */
  readonly refusedAt: number;
  /** For how long nothing got through. */
  readonly silentMs: number;
  /** For how long the service said to wait. */
  readonly toldMs: number | undefined;
  /** Time spent sending since the last refusal, and what got through in it and in the silence. */
  readonly usedMs: number;
  readonly successes: number;
  /** The client had sent no more than the window allows. */
  readonly early: boolean;
}

/**
 * A limit on the requests in a period. A service with such a limit refuses everything after its first burst, so that
 * burst is the number. The period is in whole seconds. When the service refuses again, it lies between the start of as many
 * requests and the refusal.
 */
export class RequestWindow {
  readonly requests: number;
  #periodMs: number;
  /** The last starts, at least as many as the limit. */
  readonly #starts: number[] = [];
  #state: 'new' | 'doubtful' | 'confirmed' = 'new';
  /** Refusals in a row that were early. */
  #early = 0;

  /** `longestMs`: from the start of the first burst to the end of the silence after it. */
  constructor(requests: number, maxMs: number) {
    this.requests = Math.max(1, requests);
    this.#periodMs = secondMs * Math.max(1, Math.floor(maxMs / secondMs));
  }

  /** Requests per second. */
  get rate(): number {
    return (secondMs * this.requests) / this.#periodMs;
  }

  started(now: number): void {
    if (this.requests > maxRequests) return;
    this.#starts.push(now);
    if (this.#starts.length > 2 * this.requests + 100) this.#starts.splice(0, this.requests);
  }

  /** Whether the window explains a refusal. Corrects the period if it does. */
  explains(refusal: WindowRefusal): boolean {
    const { refusedAt, usedMs, silentMs, successes } = refusal;
    const first = this.#starts[this.#starts.findLastIndex((at) => at < refusedAt) - this.requests + 1];
    if (first === undefined || this.requests < minRequests) return false;
    const periodMs = this.#periodAfter(refusedAt - first, refusal);
    // What got through can't be much more than the window allows.
    if (periodMs === undefined || this.requests / periodMs < successes / (1.15 * (usedMs + silentMs))) return false;
    this.#periodMs = periodMs;
    return true;
  }

  /** `spanMs`: from the start of the full number of requests to the refusal. */
  #periodAfter(spanMs: number, { silentMs, toldMs, early, usedMs }: WindowRefusal): number | undefined {
    const known = this.#periodMs;
    if (early && usedMs > 3 * known) return known; // it fits three periods, so this one refusal is a coincidence
    const longest = Math.max(known, secondMs * Math.floor((spanMs + (toldMs ?? silentMs)) / secondMs + 0.05));
    this.#early = early ? this.#early + 1 : 0;
    if (early) {
      if (this.#early > maxEarly) return undefined;
      return this.#early === 1 && this.#state === 'confirmed' ? known : longest;
    }
    const share = spanMs / known;
    // The first time the rate rises fast, so the number is reached before the period is over.
    const fits = share > (this.#state === 'new' ? 0.65 : 0.9) && share < 1 + inexact;
    if (this.#state !== 'confirmed') this.#state = fits && share > 0.9 ? 'confirmed' : 'doubtful';
    const measured = toldMs === undefined ? (wholeSeconds(spanMs) ?? wholeSeconds(spanMs + silentMs)) : undefined;
    if (measured !== undefined || fits) return measured ?? known;
    return (toldMs ?? 0) > secondMs ? longest : undefined;
  }
}

function wholeSeconds(ms: number): number | undefined {
  const whole = secondMs * Math.round(ms / secondMs);
  return whole > 0 && Math.abs(ms - whole) <= inexact * ms ? whole : undefined;
}
