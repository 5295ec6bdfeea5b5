import type { Explanation } from '../../client/admission/Task.ts';
import type { MeanWait } from '../../files/dataPackage.ts';

/** How many requests were in flight and how many waited, on average over the samples. */
export class WaitMeans {
  #samples = 0;
  #inFlight = 0;
  readonly #waiting = new Map<string, number>();

  add(waits: readonly Explanation[]): void {
    this.#samples += 1;
    for (const { state, for: reason, count } of waits) {
      if (state === 'in flight') this.#inFlight += count;
      else if (reason !== undefined) this.#waiting.set(reason, (this.#waiting.get(reason) ?? 0) + count);
    }
  }

  get inFlight(): number {
    return this.#mean(this.#inFlight);
  }

  /** What they waited for, the most first. */
  get waits(): readonly MeanWait[] {
    return Array.from(this.#waiting, ([reason, sum]) => ({ for: reason, requests: this.#mean(sum) })).toSorted(
      (one, other) => other.requests - one.requests,
    );
  }

  #mean(sum: number): number {
    return Math.round((sum / Math.max(1, this.#samples)) * 10) / 10;
  }
}
