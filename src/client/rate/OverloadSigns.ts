const few = 3;
const among = 0b111111;
const cleanRun = 20;

/**
 * Decides which failures other than 429 mean overload: 503s, broken connections and timeouts in a row. A single one may
 * mean anything. Once slowing down has stopped them, each counts as a sign, until one comes without reason.
 */
export class OverloadSigns {
  /** The last outcomes, a bit each: 1 is a failure. */
  #recent = 0;
  #proven = false;
  /** Successes since the last sign; undefined: there was none so far. */
  #cleanFor: number | undefined;

  succeeded(): void {
    this.#recent = (this.#recent << 1) & among;
    if (this.#cleanFor !== undefined && ++this.#cleanFor >= cleanRun) this.#proven = true;
  }

  /** A failure that may be one; whether it is. */
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
