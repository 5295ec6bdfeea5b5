import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Clock } from '../Clock.ts';
import type { Pace } from '../rate/Pace.ts';
import { Alarm } from './Alarm.ts';
import { ParkedTasks } from './ParkedTasks.ts';
import type { Pause } from './Pause.ts';
import { pauseRefusal } from './refusals.ts';
import { holderOf, type Refusal, type Task } from './Task.ts';
import { WaitingTasks } from './WaitingTasks.ts';

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly pause: Pause;
  readonly concurrency: number;
  readonly maxRequests: number;
  /** Refuses requests beyond `maxRequests`. */
  readonly overBudget: Refusal;
}

/** What happens to the next task now. `waitMs`: Infinity until a request in flight is over. */
type Verdict = 'admit' | { readonly refuse: Refusal } | { readonly park: DemandNode } | { readonly waitMs: number };

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
    this.#pumpSoon();
  });
  #sequence = 0;
  #inFlight = 0;
  #sent = 0;
  #stopped: Refusal | undefined;
  #busy = false;
  #looksSoon = false;
  readonly #alarm: Alarm;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => this.#pump());
    // While one request is on its way, the others in flight can use up a backlog.
    this.#queued = new WaitingTasks(options.concurrency - 1);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#queued.size + this.#parked.size;
  }

  /** Requests sent so far, those on their way to a socket included. */
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

  /**
   * Queues a task. `again` puts it before all first attempts of its depth. It is admitted a little later, so that a
   * task cancelled at once, as `switchMap` does, is never sent.
   */
  enqueue(task: Task, again: boolean): void {
    task.order = this.#sequence++ - (again ? 2 ** 52 : 0);
    this.#queued.push(task);
    this.#pumpSoon();
  }

  /** Cancels a waiting task. */
  withdraw(task: Task): void {
    this.#queued.remove(task);
    this.#parked.remove(task);
    if (this.waiting === 0) this.#alarm.stop();
  }

  /**
   * A request is over. `deliver` runs before anything else is admitted, so that requests it makes go first. `sent`: false if
   * nothing left this client, so it isn't counted.
   */
  release(deliver: () => void, sent = true): void {
    this.#inFlight--;
    if (!sent) this.#sent--;
    this.quietly(deliver);
  }

  /**
   * A request is cancelled. Nothing goes in its place before the caller is done, who may be about to cancel that, too.
   * `sent`: a socket had taken it. If not, it isn't counted.
   */
  drop(sent: boolean): void {
    this.#inFlight--;
    if (!sent) this.#sent--;
    this.#pumpSoon();
  }

  /**
   * The body of a request at this depth is complete. Admits the next task before the body is read, unless that is one
   * farther from the sink that isn't needed soon. False: there is none, and the request keeps its slot.
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

  /** Refuses every task from now on. */
  stop(refusal: Refusal): void {
    this.#stopped ??= refusal;
  }

  #pumpSoon(): void {
    if (this.#busy || this.#looksSoon) return;
    this.#looksSoon = true;
    queueMicrotask(() => {
      this.#looksSoon = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let task = this.#queued.next(); task !== undefined; task = this.#queued.next()) {
        const verdict = this.#judge(task);
        if (verdict !== 'admit' && 'waitMs' in verdict) return this.#wait(verdict.waitMs);
        this.#queued.remove(task);
        if (verdict === 'admit') this.#admit(task);
        else if ('park' in verdict) this.#parked.add(task, verdict.park);
        else task.refuse(verdict.refuse);
      }
      this.#alarm.stop();
    } finally {
      this.#busy = false;
    }
  }

  #judge(task: Task): Verdict {
    if (this.#stopped !== undefined) return { refuse: this.#stopped };
    const { concurrency, maxRequests, overBudget, clock, pace, pause } = this.#options;
    const spent = this.#sent >= maxRequests;
    if (spent && this.#inFlight === 0) return { refuse: overBudget };
    if (spent || this.#inFlight >= concurrency) return { waitMs: Infinity };
    const holder = holderOf(task);
    if (holder !== undefined) return { park: holder };
    const waitMs = Math.max(pause.ms, pace.waitMs(clock.now(), this.#inFlight));
    if (waitMs <= 0) return 'admit';
    // Pages that were paid for are delivered before an error ends the stream.
    const until = this.#inFlight > 0 ? undefined : pause.tooLongUntil;
    return until === undefined ? { waitMs } : { refuse: pauseRefusal(until, Math.ceil(until - clock.wall())) };
  }

  #admit(task: Task): void {
    const { clock, pace } = this.#options;
    this.#inFlight++;
    this.#sent++;
    pace.started(clock.now());
    task.admit();
  }

  #wait(ms: number): void {
    if (ms === Infinity) this.#alarm.stop();
    else this.#alarm.setIn(ms);
  }
}
