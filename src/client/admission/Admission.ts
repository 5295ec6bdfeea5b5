import { countOf } from '../../../operators/kit/countOf.ts';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withVariables, type Service } from '../../contract/index.ts';
import type { Clock } from '../Clock.ts';
import type { LimitGroup } from './LimitGroups.ts';
import { GroupQueues } from './GroupQueues.ts';
import { holderOf, type Refusal, type Task } from './Task.ts';
import { AuthError, BudgetError, RateLimitError, TrawlerError } from '../../errors/index.ts';
import type { ErrorDetails } from '../../errors/TrawlerError.ts';
import type { EventHub } from '../events/clientEvents.ts';
import type { Settings } from '../options/resolveOptions.ts';

export interface AdmissionOptions {
  readonly clock: Clock;
  /** The main one, and those of groups with a limit of their own. */
  readonly limitGroups: readonly LimitGroup[];
  readonly concurrency: number;
  readonly maxRequests: number;
  /** Refuses requests beyond `maxRequests`. */
  readonly overBudget: Refusal;
}

const sliceMs = 5; // of reading the store

/** What happens to the next task now. `full`: no task can start before a request in flight is over. `waitMs`: none of its limit group. */
type Verdict = 'admit' | 'full' | { readonly refuse: Refusal } | { readonly park: DemandNode } | { readonly waitMs: number };

/**
 * Decides which request may be sent, and when. There is one for the whole client, because the service sees one key.
 * Requests nearest to the sink go first, then the oldest. A farther one goes before them if what its page leads to would
 * run out while it is on its way. A request waits if a node on its path to the sink holds, if
 * `concurrency` requests are in flight, until the pace allows it, and during a pause. Pace and pause are those of its limit group,
 * and don't hold back others. At most `maxRequests` are sent in total.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #queues: GroupQueues;
  /** Tasks that look into the store first. They take no slot. */
  readonly #lookUps: GroupQueues;
  readonly #parked = new ParkedTasks((tasks, stalled) => {
    for (const task of tasks) (task.inStore ? this.#lookUps : this.#queues).push(task, true);
    if (stalled !== undefined) for (const task of tasks) task.stalled?.(stalled);
    this.#pumpSoon();
  });
  #sequence = 0;
  #inFlight = 0;
  #sent = 0;
  #stopped: Refusal | undefined;
  #busy = false;
  #looksSoon = false;
  #looksLater = false;
  readonly #alarm: Alarm;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    // While one request is on its way, the others in flight can use up a backlog.
    this.#queues = new GroupQueues(options.limitGroups.length, options.concurrency - 1);
    this.#lookUps = new GroupQueues(options.limitGroups.length, 0);
    this.#alarm = new Alarm(options.clock, () => this.#pump());
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#queues.size + this.#lookUps.size + this.#parked.size;
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
   * Queues a task, to look into the store or to send. `again` puts it before all first attempts of its depth. Its turn comes a little
   * later, so that a task cancelled at once, as `switchMap` does, is never sent.
   */
  enqueue(task: Task, again: boolean): void {
    task.order = this.#sequence++ - (again ? 2 ** 52 : 0);
    (task.inStore ? this.#lookUps : this.#queues).push(task, again);
    this.#pumpSoon();
  }

  /** Cancels a waiting task. */
  withdraw(task: Task): void {
    this.#queues.remove(task);
    this.#lookUps.remove(task);
    this.#parked.remove(task);
    if (this.waiting === 0) this.#alarm.stop();
  }

  /**
   * A request is over. `deliver` runs before anything else is admitted, so that requests it makes go first. `sent`: false if
   * nothing left this client, so it isn't counted.
   */
  release(task: Task, deliver: () => void, sent = true): void {
    this.#left(task);
    if (!sent) this.#sent--;
    this.beforeNext(deliver);
  }

  /**
   * A request is cancelled. Its slot is given away after this turn, because the caller may be about to cancel others, too.
   * `sent`: a socket had taken it. If not, it isn't counted.
   */
  drop(task: Task, sent: boolean): void {
    this.#left(task);
    if (!sent) this.#sent--;
    this.#pumpSoon();
  }

  /**
   * The body of a request is complete. Admits the next task before the body is read, unless that is one
   * farther from the sink that isn't needed soon. False: there is none, and the request keeps its slot.
   */
  releaseEarly(task: Task): boolean {
    const { concurrency, maxRequests } = this.#options;
    if (this.#busy || concurrency === 1 || this.#sent >= maxRequests) return false;
    if (!this.#queues.hasWithin(task.depth)) return false;
    this.#left(task);
    this.#pump();
    return true;
  }

  /** Runs `work` and only then decides what goes next. */
  beforeNext(work: () => void): void {
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
    let waitMs = Infinity;
    /** The limit groups whose limits let nothing start now. */
    let blocked: Set<number> | undefined;
    try {
      if (this.#lookUps.size > 0) this.#lookIntoStore();
      for (let task = this.#queues.next(); task !== undefined; task = this.#queues.next(blocked)) {
        const now = this.#options.clock.now();
        const verdict = this.#judge(task, now);
        if (verdict === 'full') return this.#alarm.isSet ? this.#alarm.stop() : undefined;
        if (verdict !== 'admit' && 'waitMs' in verdict) {
          (blocked ??= new Set()).add(task.limitGroup.index);
          waitMs = Math.min(waitMs, verdict.waitMs);
          continue;
        }
        this.#queues.remove(task);
        if (verdict === 'admit') this.#admit(task, now);
        else if ('park' in verdict) this.#parked.add(task, verdict.park);
        else task.refuse(verdict.refuse);
      }
      this.#wait(waitMs);
    } finally {
      this.#busy = false;
      if (this.#lookUps.size > 0) this.#lookLater();
    }
  }

  /** Looks for `sliceMs` at most. Then the event loop gets a turn. */
  #lookIntoStore(): void {
    const until = performance.now() + sliceMs;
    for (let task = this.#lookUps.next(); task !== undefined && performance.now() < until; task = this.#lookUps.next()) {
      this.#lookUps.remove(task);
      const holder = holderOf(task);
      if (holder === undefined) task.lookUp!();
      else this.#parked.add(task, holder);
    }
  }

  #lookLater(): void {
    if (this.#looksLater) return;
    this.#looksLater = true;
    setImmediate(() => {
      this.#looksLater = false;
      this.#pump();
    });
  }

  #judge(task: Task, now: number): Verdict {
    if (this.#stopped !== undefined) return { refuse: this.#stopped };
    const { concurrency, maxRequests, overBudget, clock } = this.#options;
    const spent = this.#sent >= maxRequests;
    if (spent && this.#inFlight === 0) return { refuse: overBudget };
    if (spent || this.#inFlight >= concurrency) return 'full';
    const holder = task.letGo === true ? undefined : task.node?.holder();
    if (holder !== undefined) return { park: holder };
    const { limitGroup } = task;
    const { pause, pace } = limitGroup;
    const waitMs = Math.max(pause.msAt(now), limitGroup.isPaced ? pace.waitMs(now, limitGroup.inFlight) : 0);
    if (waitMs <= 0) return 'admit';
    // Pages that were paid for are delivered before an error ends the stream.
    const until = this.#inFlight > 0 ? undefined : pause.tooLongUntil;
    return until === undefined ? { waitMs } : { refuse: pauseRefusal(until, Math.ceil(until - clock.wall())) };
  }

  #admit(task: Task, now: number): void {
    const { limitGroup } = task;
    this.#inFlight++;
    limitGroup.inFlight++;
    this.#sent++;
    if (limitGroup.isPaced) limitGroup.pace.started(now);
    task.admit();
  }

  #left({ limitGroup }: Task): void {
    this.#inFlight--;
    limitGroup.inFlight--;
  }

  #wait(ms: number): void {
    if (ms !== Infinity) this.#alarm.setIn(ms);
    else if (this.#alarm.isSet) this.#alarm.stop();
  }
}

/** One timer, which rings at the earliest of the times it was set to. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  /** It rings at a time. */
  isSet = false;
  #at = Infinity;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  setIn(ms: number): void {
    const at = this.#clock.now() + ms;
    if (this.#at <= at) return; // ringing early costs one check
    this.stop();
    if (at === Infinity) return;
    this.#at = at;
    this.isSet = true;
    this.#cancel = this.#clock.after(ms, () => {
      this.#at = Infinity;
      this.isSet = false;
      this.#cancel = undefined;
      this.#ring();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.isSet = false;
    this.#at = Infinity;
  }
}

/** Refuses requests with a key that the service has rejected. */
export function authRefusal(service: Service, { status, code }: Pick<ErrorDetails, 'status' | 'code'> = {}): Refusal {
  return (details) => {
    const why =
      status === undefined
        ? "the key can't be made ready"
        : `the service refused the key (HTTP ${status}${status === 200 ? `, code ${code}` : ''})`;
    const what = `not sent, because ${why}; ${withVariables('check apiKey and make a new client', service)}`;
    return new AuthError(`${details.operation}: ${what}`, { ...details, status });
  };
}

/** Refuses requests beyond `maxRequests`. The first refusal emits an event. */
export function budgetRefusal({ maxRequests, clock, store }: Settings, events: EventHub): Refusal {
  let told = false;
  return (details) => {
    if (!told && events.on) {
      events.emit({ type: 'budget', operation: details.operation, query: details.query ?? {}, at: clock.wall(), maxRequests });
    }
    told = true;
    const what = `not sent, because the budget of ${countOf(maxRequests, 'request')} is used up; raise maxRequests to continue`;
    const kept = store === undefined ? '' : '; what came is in the store, and is not paid again';
    return new BudgetError(`${details.operation}: ${what}${kept}`, details);
  };
}

/** Refuses requests that would wait for a pause longer than `maxRetryAfterMs`. `until` is in milliseconds since 1970. */
function pauseRefusal(until: number, retryAfterMs: number): Refusal {
  return (details) => {
    const what =
      `not sent, because the service asks for a pause until ${new Date(until).toISOString()}, longer than ` +
      `retry.maxRetryAfterMs allows`;
    return new RateLimitError(`${details.operation}: ${what}`, { ...details, kind: 'throttled', retryAfterMs, pausedUntil: until });
  };
}

/** Refuses requests after a used-up quota. Nobody knows when there is more. */
export const quotaRefusal: Refusal = (details) => {
  const what = 'not sent, because a quota of the service is used up, and it does not say until when; come back later with a new client';
  return new RateLimitError(`${details.operation}: ${what}`, { ...details, kind: 'quota' });
};

/** Refuses requests to a closed client, and ends those in flight. */
export const closedRefusal: Refusal = (details) =>
  new TrawlerError(`${details.operation}: the client is closed; make a new one to continue`, { ...details, kind: 'closed' });

/**
 * Tasks that wait until the holding node on their path to the sink releases. `released` receives all tasks of one node
 * at once. Some are released although `stalled` still holds.
 */
class ParkedTasks {
  readonly #released: (tasks: readonly Task[], stalled?: DemandNode) => void;
  readonly #groups = new Map<DemandNode, { readonly tasks: Set<Task>; readonly cancel: () => void }>();
  #size = 0;

  constructor(released: (tasks: readonly Task[], stalled?: DemandNode) => void) {
    this.#released = released;
  }

  get size(): number {
    return this.#size;
  }

  add(task: Task, holder: DemandNode): void {
    let group = this.#groups.get(holder);
    if (group === undefined) {
      const cancel = holder.wait({
        resume: () => this.#resume(holder),
        letGo: () => this.#letGo(holder),
      });
      group = { tasks: new Set(), cancel };
      this.#groups.set(holder, group);
    }
    group.tasks.add(task);
    task.parked = holder;
    task.node?.addActive(-1);
    this.#size++;
  }

  /** Removes a task, if it is here. */
  remove(task: Task): void {
    const holder = task.parked;
    if (holder === undefined) return;
    const group = this.#groups.get(holder);
    if (group?.tasks.delete(task) !== true) return;
    this.#unpark(task);
    if (group.tasks.size === 0) {
      group.cancel();
      this.#groups.delete(holder);
    }
  }

  #unpark(task: Task): void {
    task.parked = undefined;
    task.node?.addActive(1);
    this.#size--;
  }

  #resume(holder: DemandNode): void {
    const group = this.#groups.get(holder);
    if (group === undefined) return;
    this.#groups.delete(holder);
    for (const task of group.tasks) this.#unpark(task);
    this.#released([...group.tasks]);
  }

  #letGo(holder: DemandNode): boolean {
    const [nearest] = [...(this.#groups.get(holder)?.tasks ?? [])].sort(byNeed);
    if (nearest === undefined) return false;
    nearest.letGo = true;
    this.remove(nearest);
    this.#released([nearest], holder);
    return true;
  }
}

/** Nearest to the sink first, then what is inside the oldest value, then the oldest. */
function byNeed(a: Task, b: Task): number {
  return a.depth - b.depth || (a.node?.value ?? 0) - (b.node?.value ?? 0) || a.order - b.order;
}
