import type { Clock } from '../../src/client/Clock.ts';

/** Time that passes only when it is told to. */
export class ManualClock implements Clock {
  #now = 0;
  #wall = Date.UTC(2030, 0, 1);
  readonly #timers = new Map<object, { readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#wall + this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const id = {};
    this.#timers.set(id, { at: this.#now + ms, run });
    return () => this.#timers.delete(id);
  }

  random(): number {
    return 0.5;
  }

  /** Sets the wall clock forward or back; no time passes. */
  jump(ms: number): void {
    this.#wall += ms;
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
