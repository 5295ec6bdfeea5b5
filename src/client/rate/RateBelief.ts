import type { RateEstimate } from './RateEstimate.ts';
import { RateProbe } from './RateProbe.ts';

export interface RateBeliefOptions {
  /** Share of the measured rate to stay at. */
  readonly margin: number;
  /** How long to stay there, at least, once the rate is well known. */
  readonly holdMs: number;
}

/** How the service refused. */
export interface RefusalPeriod {
  /** What came before it. */
  readonly estimate: RateEstimate;
  /** The rate that was tried; undefined: none, for these are the first refusals. */
  readonly probe: RateProbe | undefined;
  /** When the first request that was refused had started. */
  readonly refusedAt: number;
  /** How long nothing got through. */
  readonly silentMs: number;
  /** The service said how long to wait. In whole seconds, so that some of the silence is our own. */
  readonly told: boolean;
  readonly refusals: number;
}

const requestsPerRefusal = 200; // so that looking for more costs well below 1 %
const silencesPerSilence = 20; // the same where each refusal is a pause
const sureMs = 1000;
const windowMs = 2000; // a longer silence is the rest of a window, and what it gave is well known
const unsureMs = 1000; // Retry-After has whole seconds
const requestsToEase = 2;
const shareToHurry = 0.6; // of what the service may have saved up

/** What is known of a service's rate beyond the last period, and so which rate to try next. */
export class RateBelief {
  readonly #options: RateBeliefOptions;
  /** What the service let through before its first refusal: it can have saved up no more. */
  #first: { readonly requests: number; readonly inMs: number } | undefined;
  #burst = Infinity;
  /**
   * How far to go from the low end of a measure to its high end, and how much of a pause to take for our own doing. For windows
   * the high end is right, for buckets the low one; experience tells.
   */
  #optimism = 0.5;
  #wasOptimistic = false;
  #before: { readonly low: number; readonly ms: number } | undefined;

  constructor(options: RateBeliefOptions) {
    this.#options = options;
  }

  /** The rate to try after the service has refused and lets requests pass again. */
  next(period: RefusalPeriod): RateProbe {
    const { estimate, probe, refusedAt, silentMs, told, refusals } = period;
    const { margin, holdMs } = this.#options;
    const first = this.#first === undefined;
    this.#first ??= { requests: estimate.successes, inMs: estimate.usedMs };
    if (probe !== undefined) this.#judge(probe, told);
    const countedMs = told && !first ? silentMs - this.#optimism * Math.min(silentMs, unsureMs) : silentMs;
    const measure = estimate.measure(refusedAt, countedMs, this.#burst);
    const low = first ? measure.low : this.#blend(measure.low, estimate.successes, told);
    if (first) this.#burst = this.#first.requests;
    else if (estimate.usedMs >= sureMs) this.#burst = Math.max(1, this.#first.requests - (low * this.#first.inMs) / 1000);
    const spentMs = estimate.usedMs + silentMs;
    if (probe === undefined || first) {
      if (silentMs > windowMs) return new RateProbe({ level: low * margin, holdMs: spentMs, growMs: spentMs });
      return new RateProbe({ level: low * margin, holdMs: 0, growMs: told ? 2000 : 600 });
    }
    const high = Math.min(probe.rate, measure.high, (told ? 1.6 : 1.25) * low);
    const sure = measure.low / measure.high >= (told ? 0.8 : 0.97); // to be wrong costs a pause where one is asked for
    const level = margin * this.#between(low, high, sure || probe.early);
    const longestMs = Math.max(
      holdMs,
      told ? silencesPerSilence * silentMs : 0,
      Math.min((requestsPerRefusal * Math.max(refusals, 2 * refusals - 4) * 1000) / level, 16 * holdMs),
    );
    return new RateProbe({
      level,
      holdMs: Math.min(longestMs, (told ? 4 : 2) * spentMs), // what was measured in no time isn't believed for long
      growMs: Math.min(10_000, Math.max(1000, 2 * spentMs)),
      owed: told && sure ? -shareToHurry * Math.max(0, Math.min(this.#burst - 2, (level * silentMs) / 1000)) : requestsToEase,
    });
  }

  /** A short period says little: it is weighed with what was known before. */
  #blend(low: number, successes: number, told: boolean): number {
    const ms = (1000 * successes) / low;
    const before = this.#before;
    const keptMs = before === undefined ? 0 : Math.min(before.ms, told ? 1500 : 10_000 / before.low);
    const blended = before === undefined || ms > 3 * keptMs ? low : (low * ms + before.low * keptMs) / (ms + keptMs);
    this.#before = { low: blended, ms: blended === low ? ms : ms + keptMs };
    return blended;
  }

  /** A rate that was refused before more was tried was too high. */
  #judge(probe: RateProbe, told: boolean): void {
    if (!probe.early) this.#optimism = Math.min(0.5, this.#optimism * 1.5);
    else if (this.#wasOptimistic || told) this.#optimism /= 3;
  }

  #between(low: number, high: number, sure: boolean): number {
    this.#wasOptimistic = !sure && high > low * 1.02;
    return this.#wasOptimistic ? low + this.#optimism * (high - low) : low;
  }
}
