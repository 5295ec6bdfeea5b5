const everyMs = 60_000;

/** What a worker says of its work: a line when it is connected, and one a minute. */
export class WorkMeter {
  readonly #tell: (message: string) => void;
  readonly #connected: string;
  #toldAt: number | undefined;
  #pages = 0;
  #failed = 0;

  /** `connected`: what it says first. */
  constructor(connected: string, tell: (message: string) => void) {
    this.#connected = connected;
    this.#tell = tell;
  }

  /** A page came, or a request failed. */
  add(isGood: boolean): void {
    if (isGood) this.#pages += 1;
    else this.#failed += 1;
  }

  /** The queue has responded. */
  look(now: number): void {
    if (this.#toldAt !== undefined && now - this.#toldAt < everyMs) return;
    this.#tell(this.#toldAt === undefined ? this.#connected : this.#line(now - this.#toldAt));
    this.#toldAt = now;
    this.#pages = this.#failed = 0;
  }

  #line(ms: number): string {
    const failed = this.#failed === 0 ? '' : `; requests that failed: ${this.#failed}`;
    if (this.#pages + this.#failed === 0) return 'no jobs in the last minute';
    return `pages in the last minute: ${this.#pages}, ${((this.#pages * 1000) / ms).toFixed(1)} per second${failed}`;
  }
}
