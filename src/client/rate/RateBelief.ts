import type { RateEstimate } from './RateEstimate.ts';
import { RateProbe } from './RateProbe.ts';

export interface RateBeliefOptions {
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
  /** The service said how long to wait. It says so in whole seconds, so part of the silence is ours. */
  readonly told: boolean;
  readonly refusals: number;
}

const requestsPerRefusal = 200; // so that trying higher rates costs well below 1 %
const silencesPerSilence = 20; // the same for services whose refusals come with a pause
const sureMs = 1000;
const windowMs = 2000; // a longer silence is the rest of a window, so the measurement is good
const unsureMs = 1000; // Retry-After is in whole seconds
const requestsToEase = 2;
const shareToHurry = 0.6; // of the requests that the service may have saved up

/** Knows about a service's rate what one period can't show, and decides which rate to try next. */
export class RateBelief {
  readonly #options: RateBeliefOptions;
  /** What the service let through before its first refusal. It can't have saved up more than that. */
  #first: { readonly requests: number; readonly inMs: number } | undefined;
  #burst = Infinity;
  /**
   * How far to go from the low end of a measurement to its high end, and which part of a pause to count as ours. The high
   * end is right for windows, the low end for buckets. Experience decides.
   */
  #optimism = 0.5;
  #wasOptimistic = false;
  #before: { readonly low: number; readonly ms: number } | undefined;

  constructor(options: RateBeliefOptions) {
    this.#options = options;
  }

  /** The rate to try when the service accepts requests again. */
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
    const sure = measure.low / measure.high >= (told ? 0.8 : 0.97); // an error costs a pause if the service asks for one
    const level = margin * this.#between(low, high, sure || probe.early);
    const longestMs = Math.max(
      holdMs,
      told ? silencesPerSilence * silentMs : 0,
      Math.min((requestsPerRefusal * Math.max(refusals, 2 * refusals - 4) * 1000) / level, 16 * holdMs),
    );
    return new RateProbe({
      level,
      holdMs: Math.min(longestMs, (told ? 4 : 2) * spentMs), // a short measurement isn't trusted for long
      growMs: Math.min(10_000, Math.max(1000, 2 * spentMs)),
      owed: told && sure ? -shareToHurry * Math.max(0, Math.min(this.#burst - 2, (level * silentMs) / 1000)) : requestsToEase,
    });
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

  #between(low: number, high: number, sure: boolean): number {
    this.#wasOptimistic = !sure && high > low * 1.02;
    return this.#wasOptimistic ? low + this.#optimism * (high - low) : low;
  }
}
