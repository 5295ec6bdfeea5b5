const few = 3;
const among = 0b111111;
const firstRun = 20;

/**
 * Decides which failures other than a 429 mean overload: several 503s, broken connections or timeouts in a row. One alone
 * may mean anything. Once slowing down has helped (20 successes without one), a further failure counts alone. After that one, it
 * takes twice as many successes, and so on: where slowing down helps, failures become rarer.
 */
export class OverloadSigns {
  /** The last outcomes, one bit each. 1 is a failure. */
  #recent = 0;
  /** Successes since the last failure. undefined before the first sign. */
  #run: number | undefined;
  /** The successes after which one failure counts. */
  #needed = firstRun;

  succeeded(): void {
    this.#recent = (this.#recent << 1) & among;
    if (this.#run !== undefined) this.#run += 1;
  }

  /** Takes a failure. Returns whether it means overload. */
  failed(): boolean {
    this.#recent = ((this.#recent << 1) | 1) & among;
    const several = ones(this.#recent) >= few;
    const alone = this.#run !== undefined && this.#run >= this.#needed;
    if (several) this.#needed = firstRun;
    else if (alone) this.#needed *= 2;
    if (several || this.#run !== undefined) this.#run = 0;
    return several || alone;
  }
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}
