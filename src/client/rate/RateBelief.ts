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
}

const requestsPerRefusal = 200; // so that trying higher rates costs well below 1 %
const silencesPerSilence = 60; // so that pauses cost below 2 %
const longestHolds = 16;
const periodsPerRefusal = 4;
const patience = 2;
const sureMs = 1000;
const unsureMs = 1000; // Retry-After is in whole seconds
const requestsToEase = 2;
const lateMs = 5; // timers fire late by about this
const longestCatchUpMs = 100;
const shareToCatchUp = 0.2;
const eased = 0.95; // a rate that was refused twice in a row
const easedTold = 0.9; // the same if each refusal costs a pause
const leastDifference = 0.2; // of two periods, as a share, to compare them
const shareToHurry = 0.6; // of the requests that the service may have saved up

/** Combines what several periods show about a service's rate, and decides which rate to try next. */
export class RateBelief {
  readonly #options: RateBeliefOptions;
  /** The requests before the first refusal. The service can't have saved up more than these. */
  #first: { readonly estimate: RateEstimate; readonly refusedAt: number } | undefined;
  #burst = Infinity;
  /**
   * How far to go from the low end of a measurement to its high end, and which part of a pause to count as ours. The high
   * end is right for windows, the low end for buckets. Experience decides.
   */
  #optimism = 0.5;
  #wasOptimistic = false;
  /** What got through before the last refusal, if that came before the client tried more. */
  #early: RateEstimate | undefined;
  /** undefined: the limit is of another kind. */
  #window: RequestWindow | undefined;
  /** Refusals in a row that the window doesn't explain. */
  #unexplained = 0;
  #before: { readonly low: number; readonly ms: number } | undefined;

  constructor(options: RateBeliefOptions) {
    this.#options = options;
  }

  started(now: number): void {
    this.#window?.started(now);
  }

  /** How far requests may lag behind their schedule and still be made up for. A window saves nothing up for them. */
  catchUpMs(rate: number): number {
    const saved = this.#window === undefined ? this.#burst - 2 : 0;
    return Math.max(lateMs, Math.min(longestCatchUpMs, (1000 * shareToCatchUp * saved) / rate));
  }

  /** The rate to try when the service accepts requests again. */
  next(period: RefusalPeriod): RateProbe {
    const { probe } = period;
    if (probe === undefined || this.#first === undefined) return this.#afterBurst(period);
    return this.#explains(period, probe.early) ? this.#afterWindow(period) : this.#afterPeriod(period, probe);
  }

  #afterBurst({ estimate, refusedAt, silentMs, toldMs }: RefusalPeriod): RateProbe {
    const { successes, usedMs } = estimate;
    const spentMs = usedMs + silentMs;
    this.#first = { estimate, refusedAt };
    this.#burst = successes;
    this.#window = new RequestWindow(successes - 1, usedMs + (toldMs ?? silentMs)); // the last one ended the silence
    this.#unexplained = 0;
    return new RateProbe({
      level: this.#window.rate * this.#options.margin,
      holdMs: toldMs !== undefined ? 0 : Math.min(spentMs, longestHolds * this.#options.holdMs),
      growMs: Math.max(1000, spentMs),
    });
  }

  #explains({ estimate, refusedAt, silentMs, toldMs }: RefusalPeriod, early: boolean): boolean {
    const { successes, usedMs } = estimate;
    const rateIsOfWindow = this.#unexplained === 0;
    if (rateIsOfWindow || !early) {
      if (this.#window?.explains({ refusedAt, silentMs, toldMs, usedMs, successes, early }) === true) return true;
    }
    if (++this.#unexplained >= patience) this.#window = undefined;
    return false;
  }

  /** The window explains the refusal. */
  #afterWindow(period: RefusalPeriod): RateProbe {
    const { estimate, silentMs, toldMs } = period;
    const { rate, requests } = this.#window!;
    this.#unexplained = 0;
    const level = rate * this.#options.margin;
    return new RateProbe({
      level,
      holdMs: Math.max((periodsPerRefusal * 1000 * requests) / rate, this.#holdMs(level, period, silentMs)),
      growMs: growMsAfter(estimate.usedMs + silentMs),
      owed: toldMs === undefined ? requests / 100 : 0,
    });
  }

  #afterPeriod(period: RefusalPeriod, probe: RateProbe): RateProbe {
    const { estimate, refusedAt, silentMs, toldMs } = period;
    const told = toldMs !== undefined;
    this.#judge(probe, told);
    const countedMs = told ? silentMs - this.#optimism * Math.min(silentMs, unsureMs) : silentMs;
    const first = this.#first!;
    const rough = estimate.measure(refusedAt, countedMs, this.#burst);
    const burst = first.estimate.beyond(rough.low, first.refusedAt);
    const measure = estimate.measure(refusedAt, countedMs, burst);
    const low = this.#blend(measure.low, estimate.successes, told);
    if (estimate.usedMs >= sureMs) this.#burst = burst;
    const spentMs = estimate.usedMs + silentMs;
    const high = Math.min(probe.rate, measure.high, (told ? 1.6 : 1.25) * low);
    const sure = measure.low / measure.high >= (told ? 0.8 : 0.97); // an error costs a pause if the service asks for one
    const most = probe.early ? this.#below(probe.level, period) : Infinity;
    this.#early = probe.early ? estimate : undefined;
    const level = Math.min(most, this.#options.margin * this.#between(low, high, sure || probe.early));
    const saved = Math.max(0, Math.min(this.#burst - 2, (level * silentMs) / 1000));
    return new RateProbe({
      level,
      // a short measurement isn't trusted for long
      holdMs: Math.min(this.#holdMs(level, period, silentMs - (1000 * saved) / level), (told ? 4 : 2) * spentMs),
      growMs: growMsAfter(spentMs),
      owed: told && sure ? -shareToHurry * saved : requestsToEase,
    });
  }

  /** How long to keep a rate. `lostMs`: the part of a pause that the service doesn't make up for. */
  #holdMs(level: number, { refusals, toldMs }: RefusalPeriod, lostMs: number): number {
    const requests = requestsPerRefusal * Math.max(refusals, 2 * refusals - 4);
    const { holdMs } = this.#options;
    return Math.max(
      holdMs,
      toldMs === undefined ? 0 : silencesPerSilence * lostMs,
      Math.min((1000 * requests) / level, longestHolds * holdMs),
    );
  }

  /** Combines a short period, which says little, with the earlier ones. */
  #blend(low: number, successes: number, told: boolean): number {
    const ms = (1000 * successes) / low;
    const before = this.#before;
    const keptMs = before === undefined ? 0 : Math.min(before.ms, told ? 1500 : 10_000 / before.low);
    const blended = before === undefined || ms > 3 * keptMs ? low : (low * ms + before.low * keptMs) / (ms + keptMs);
    this.#before = { low: blended, ms: blended === low ? ms : ms + keptMs };
    return blended;
  }

  /** A rate was too high if the service refused it before the client tried more. */
  #judge(probe: RateProbe, told: boolean): void {
    if (!probe.early) this.#optimism = Math.min(0.5, this.#optimism * 1.5);
    else if (this.#wasOptimistic || told) this.#optimism /= 3;
  }

  /**
   * The most to try after a rate was refused twice in a row. Each time the service had saved up as much, so what got through
   * in the longer period beyond the shorter one is what it allows in the difference.
   */
  #below(level: number, { estimate, toldMs }: RefusalPeriod): number {
    const before = this.#early;
    if (before === undefined) return Infinity;
    if (toldMs === undefined) return eased * level;
    const ms = estimate.usedMs - before.usedMs;
    const allowed = Math.abs(ms) < leastDifference * estimate.usedMs ? 0 : (1000 * (estimate.successes - before.successes)) / ms;
    return Math.max(easedTold * level, Math.min(eased * level, allowed));
  }

  #between(low: number, high: number, sure: boolean): number {
    this.#wasOptimistic = !sure && high > low * 1.02;
    return this.#wasOptimistic ? low + this.#optimism * (high - low) : low;
  }
}

function growMsAfter(spentMs: number): number {
  return Math.min(10_000, Math.max(1000, 2 * spentMs));
}
