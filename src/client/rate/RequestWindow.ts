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
 * A limit of so many requests in a period. A service with such a limit refuses everything after its first burst, so that
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
