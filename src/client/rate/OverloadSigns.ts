const few = 3;
const among = 0b111111;
const cleanRun = 20;

/**
 * Decides which failures other than a 429 mean overload: several 503s, broken connections or timeouts in a row. One alone
 * may mean anything. Once slowing down has helped (20 successes without one), each further failure counts, until two come
 * closer together than that.
 */
export class OverloadSigns {
  /** The last outcomes, one bit each. 1 is a failure. */
  #recent = 0;
  #proven = false;
  /** Successes since the last sign. undefined before the first sign. */
  #cleanFor: number | undefined;

  succeeded(): void {
    this.#recent = (this.#recent << 1) & among;
    if (this.#cleanFor !== undefined && ++this.#cleanFor >= cleanRun) this.#proven = true;
  }

  /** Takes a failure. Returns whether it means overload. */
  failed(): boolean {
    this.#recent = ((this.#recent << 1) | 1) & among;
    const sign = this.#proven || ones(this.#recent) >= few;
    if (sign) {
      this.#proven &&= this.#cleanFor !== undefined && this.#cleanFor >= cleanRun;
      this.#cleanFor = 0;
    }
    return sign;
  }
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}
