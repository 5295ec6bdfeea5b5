/** A limit per time window. The first request opens the first window. */
export class RateWindow {
  private readonly requests: number;
  private readonly perMs: number;
  private opened: number | undefined;
  private taken = 0;

  constructor(requests: number, perMs: number) {
    this.requests = requests;
    this.perMs = perMs;
  }

  take(now: number): number {
    this.opened ??= now;
    const windows = Math.floor((now - this.opened) / this.perMs);
    if (windows > 0) {
      this.opened += windows * this.perMs;
      this.taken = 0;
    }
    if (this.taken >= this.requests) return this.opened + this.perMs - now;
    this.taken++;
    return 0;
  }
}
