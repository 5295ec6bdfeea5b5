const requestsKept = 10; // what was known before weighs as much as so many requests
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
