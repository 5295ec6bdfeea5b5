import { firstHoldTime, growTime, holdTime } from './holdTime.ts';
import { Optimism } from './Optimism.ts';
import { PastRate } from './PastRate.ts';
import type { RateEstimate } from './RateEstimate.ts';
import { RequestWindow } from './RequestWindow.ts';
import { RateProbe } from './RateProbe.ts';

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
const periodsPerRefusal = 4; // a window is kept for at least so many periods
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
const soon = 200; // requests after an outage. If another one comes before so many got through, it's the rate
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
