import type { Clock } from '../Clock.ts';
import type { Pace } from '../rate/Pace.ts';
import { own } from '../../../operators/demand/workElsewhere.ts';
import { holderOf, type Refusal, type Task } from './Task.ts';
import { ParkedTasks } from './ParkedTasks.ts';
import { WaitingTasks } from './WaitingTasks.ts';

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly concurrency: number;
  readonly maxRequests: number;
  /** Refuses requests beyond `maxRequests`. */
  readonly overBudget: Refusal;
}

/**
 * Decides which request may be sent, and when. There is one for the whole client, because the service sees one key.
 * Requests nearest to the sink go first, then the oldest. A farther one goes before them if what its page leads to would
 * run out while it is on its way. A request waits if a node on its path to the sink holds, if
 * `concurrency` requests are in flight, until the pace allows it, and during a pause. At most `maxRequests` are sent in
 * total.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #queued: WaitingTasks;
  readonly #parked = new ParkedTasks((tasks, stalled) => {
    for (const task of tasks) this.#queued.push(task);
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
    // While one request is on its way, the others in flight can use up a backlog.
    this.#queued = new WaitingTasks(options.concurrency - 1);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#queued.size + this.#parked.size;
  }

  /** Requests admitted so far. */
  get sent(): number {
    return this.#sent;
  }

  get budgetLeft(): number {
    return this.#options.maxRequests - this.#sent;
  }

  /** Whether the limit of requests in flight is reached. */
  get isFull(): boolean {
    return this.#inFlight >= this.#options.concurrency;
  }

  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - this.#options.clock.now());
  }

  /**
   * Queues a task. `again` puts it before all first attempts of its depth. It is admitted a little later, so that a
   * task cancelled at once, as `switchMap` does, is never sent.
   */
  enqueue(task: Task, again: boolean): void {
    task.order = this.#sequence++ - (again ? 2 ** 52 : 0);
    this.#queued.push(task);
    if (this.#busy || this.#looksSoon) return;
    this.#looksSoon = true;
    queueMicrotask(() => {
      this.#looksSoon = false;
      this.#pump();
    });
  }

  /** Cancels a waiting task. */
  withdraw(task: Task): void {
    this.#queued.remove(task);
    this.#parked.remove(task);
    if (this.waiting === 0) this.#sleep();
  }

  /** A request is over. `deliver` runs before anything else is admitted, so that requests it makes go first. */
  release(deliver: () => void): void {
    this.#inFlight--;
    own.requests--;
    this.quietly(deliver);
  }

  /**
   * The body of a request at this depth is complete. Admits the next task before the body is read, unless that is one
   * farther from the sink that isn't needed soon. False: there is none, and the request keeps its place in flight.
   */
  releaseEarly(depth: number): boolean {
    const { concurrency, maxRequests } = this.#options;
    if (this.#busy || concurrency === 1 || this.#sent >= maxRequests || this.#queued.next(depth) === undefined) return false;
    this.release(() => {});
    return true;
  }

  /** Runs `work` and only then decides what goes next. */
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

  /** Sends nothing for this long. A longer pause already in effect stays. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.clock.now() + ms);
  }

  /** Refuses every task from now on. */
  stop(refusal: Refusal): void {
    this.#stopped ??= refusal;
  }

  #pump(): void {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let task = this.#queued.next(); task !== undefined; task = this.#queued.next()) {
        if (!this.#tryAdmit(task)) return;
      }
      this.#sleep();
    } finally {
      this.#busy = false;
    }
  }

  /** False: no task can go now. */
  #tryAdmit(task: Task): boolean {
    if (this.#stopped !== undefined) {
      this.#queued.remove(task);
      task.refuse(this.#stopped);
      return true;
    }
    const { concurrency, maxRequests, overBudget, clock, pace } = this.#options;
    if (this.#sent >= maxRequests) {
      if (this.#inFlight > 0) return false; // deliver what was paid for first
      this.#queued.remove(task);
      task.refuse(overBudget);
      return true;
    }
    if (this.#inFlight >= concurrency) {
      this.#sleep();
      return false;
    }
    const holder = holderOf(task);
    if (holder !== undefined) {
      this.#queued.remove(task);
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
    this.#queued.remove(task);
    this.#inFlight++;
    own.requests++;
    this.#sent++;
    pace.started(now);
    task.admit();
    return true;
  }

  #wakeIn(ms: number, now: number): void {
    const at = now + ms;
    if (this.#wakeAt <= at) return; // waking early costs one check
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
