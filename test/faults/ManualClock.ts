import type { Clock } from '../../src/client/Clock.ts';

/** Time that passes only when it is told to. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Map<object, { readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  wall(): number {
    return Date.UTC(2030, 0, 1) + this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const id = {};
    this.#timers.set(id, { at: this.#now + ms, run });
    return () => this.#timers.delete(id);
  }

  random(): number {
    return 0.5;
  }

  /** Lets time pass and runs, in order, what is due by then. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].run();
    }
    this.#now = end;
  }
}
