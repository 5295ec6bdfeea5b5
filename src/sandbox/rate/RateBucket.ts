/** A token bucket. */
export class RateBucket {
  private readonly perMs: number;
  private readonly burst: number;
  private tokens: number;
  private last: number | undefined;

  constructor(perSecond: number, burst: number) {
    this.perMs = perSecond / 1000;
    this.burst = burst;
    this.tokens = burst;
  }

  take(now: number): number {
    this.tokens = Math.min(this.burst, this.tokens + (now - (this.last ?? now)) * this.perMs);
    this.last = now;
    if (this.tokens < 1 - 1e-9) return (1 - this.tokens) / this.perMs; // adding up fractions leaves a little behind
    this.tokens--;
    return 0;
  }
}
