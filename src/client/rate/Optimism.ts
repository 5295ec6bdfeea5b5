const maxOptimism = 0.5;
const regain = 1.5; // per rate that held until the client tried more
const lose = 3; // much faster than it is regained: a rate that is too high costs refusals at once, one that is too low costs little
const worthIt = 1.02; // ends closer together than this are one figure

/**
 * How far to go from the low end of a measurement to its high end, and which part of a pause to count as ours. The high end is
 * right for windows, the low end for buckets. Experience decides.
 */
export class Optimism {
  #share = maxOptimism;
  #used = false;

  get share(): number {
    return this.#share;
  }

  /** A rate was refused. `early`: before the client tried more. `costly`: each refusal costs a pause. */
  judge(early: boolean, costly: boolean): void {
    if (!early) this.#share = Math.min(maxOptimism, this.#share * regain);
    else if (this.#used || costly) this.#share /= lose;
  }

  /** The rate to believe. `sure`: the low end is right. */
  between(low: number, high: number, sure: boolean): number {
    this.#used = !sure && high > low * worthIt;
    return this.#used ? low + this.#share * (high - low) : low;
  }
}
