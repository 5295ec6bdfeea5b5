import type { Clock } from '../Clock.ts';
import type { Pace } from '../rate/Pace.ts';
import { holderOf } from './holderOf.ts';
import { ParkedTasks } from './ParkedTasks.ts';
import type { Refusal, Task } from './Task.ts';
import { TaskHeap } from './TaskHeap.ts';

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly concurrency: number;
  readonly maxRequests: number;
  /** Refuses what `maxRequests` leaves no room for. */
  readonly overBudget: Refusal;
}

/**
 * Says which request may go out, and when: one for the whole client, since the service sees one key. Nearest to the sink
 * first, then first come; none whose way to the sink has a holder; no more than `concurrency` at once; not before the pace
 * allows it, nor during a pause; and no more than `maxRequests` in all.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #heap = new TaskHeap();
  readonly #parked = new ParkedTasks((tasks, stalled) => {
    for (const task of tasks) this.#heap.push(task);
    if (stalled !== undefined) for (const task of tasks) task.stalled?.(stalled);
    this.#pump();
  });
  #sequence = 0;
  #inFlight = 0;
  #sent = 0;
  #pausedUntil = -Infinity;
  #stopped: Refusal | undefined;
  #busy = false;
  #looksSoon = false;
  #wakeAt = Infinity;
  #cancelWake: (() => void) | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#heap.size + this.#parked.size;
  }

  /** Requests that were admitted. */
  get sent(): number {
    return this.#sent;
  }

  get budgetLeft(): number {
    return this.#options.maxRequests - this.#sent;
  }

  /** As many requests are in flight as may be. */
  get isFull(): boolean {
    return this.#inFlight >= this.#options.concurrency;
  }

  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - this.#options.clock.now());
  }

  /**
   * Queues a task; `again` puts it before all first tries of its depth. It is admitted a little later, so that what is taken
   * back at once, as `switchMap` does, is never sent.
   */
  enqueue(task: Task, again: boolean): void {
    task.order = this.#sequence++ - (again ? 2 ** 52 : 0);
    this.#heap.push(task);
    if (this.#busy || this.#looksSoon) return;
    this.#looksSoon = true;
    queueMicrotask(() => {
      this.#looksSoon = false;
      this.#pump();
    });
  }

  /** Takes back a task that waits. */
  withdraw(task: Task): void {
    this.#heap.remove(task);
    this.#parked.remove(task);
    if (this.waiting === 0) this.#sleep();
  }

  /** A request is over: `deliver` runs before anything else is admitted, so that what it asks for has its turn first. */
  release(deliver: () => void): void {
    this.#inFlight--;
    this.quietly(deliver);
  }

  /**
   * The body of a request at this depth is complete: lets the next one of that depth or nearer go before it is read. False:
   * there is none, and the place in flight is kept.
   */
  releaseEarly(depth: number): boolean {
    const next = this.#heap.peek();
    const { concurrency, maxRequests } = this.#options;
    if (this.#busy || concurrency === 1 || this.#sent >= maxRequests || next === undefined || next.depth > depth) return false;
    this.release(() => {});
    return true;
  }

  /** Runs `work` and only then looks at who may go next. */
  quietly(work: () => void): void {
    if (this.#busy) return work();
    this.#busy = true;
    try {
      work();
    } finally {
      this.#busy = false;
      this.#pump();
    }
  }

  /** Nothing goes out for this long; a longer pause that is under way stays. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.clock.now() + ms);
  }

  /** From now on every task is refused. */
  stop(refusal: Refusal): void {
    this.#stopped ??= refusal;
  }

  #pump(): void {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let task = this.#heap.peek(); task !== undefined; task = this.#heap.peek()) {
        if (!this.#tryAdmit(task)) return;
      }
      this.#sleep();
    } finally {
      this.#busy = false;
    }
  }

  /** False: nobody can go right now. */
  #tryAdmit(task: Task): boolean {
    if (this.#stopped !== undefined) {
      this.#heap.remove(task);
      task.refuse(this.#stopped);
      return true;
    }
    const { concurrency, maxRequests, overBudget, clock, pace } = this.#options;
    if (this.#sent >= maxRequests) {
      if (this.#inFlight > 0) return false; // what was paid for is delivered first
      this.#heap.remove(task);
      task.refuse(overBudget);
      return true;
    }
    if (this.#inFlight >= concurrency) {
      this.#sleep();
      return false;
    }
    const holder = holderOf(task);
    if (holder !== undefined) {
      this.#heap.remove(task);
      this.#parked.add(task, holder);
      return true;
    }
    const now = clock.now();
    const waitMs = Math.max(this.#pausedUntil - now, pace.waitMs(now, this.#inFlight));
    if (waitMs > 0) {
      if (waitMs === Infinity) this.#sleep();
      else this.#wakeIn(waitMs, now);
      return false;
    }
    this.#heap.remove(task);
    this.#inFlight++;
    this.#sent++;
    pace.started(now);
    task.admit();
    return true;
  }

  #wakeIn(ms: number, now: number): void {
    const at = now + ms;
    if (this.#wakeAt <= at) return; // waking early costs one look
    this.#sleep();
    this.#wakeAt = at;
    this.#cancelWake = this.#options.clock.after(ms, () => {
      this.#wakeAt = Infinity;
      this.#cancelWake = undefined;
      this.#pump();
    });
  }

  #sleep(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    this.#wakeAt = Infinity;
  }
}
