import type { Observable, Subscription } from 'rxjs';
import type { DemandNode } from '../demand/DemandNode.ts';
import type { Outlet } from './Outlet.ts';

/** How an operator works through the values of its source. */
interface WorkSettings<In> {
  /** Its name on the path to the sink. */
  readonly name: string;
  /** How many pieces of work run at once. */
  readonly concurrency: number;
  /** Everything upstream pauses at this load: the waiting values and the running pieces of work. */
  readonly holdAt: number;
  /** It continues at this load. */
  readonly releaseAt: number;
  /** Starts work even while something nearer to the sink is full. @default false */
  readonly eager?: boolean | undefined;
  /**
   * Takes one or more values from `waiting` and works on them. It calls `done` when that is over, and subscribes under `node`.
   */
  readonly start: (waiting: Queue<In>, done: () => void, node: DemandNode) => void;
  /** Called when the source has completed and all work is done. @default completes the operator */
  readonly complete?: (() => void) | undefined;
  /** Called when the source fails. @default the operator fails at once */
  readonly error?: ((error: unknown) => void) | undefined;
  /** An error of the source comes after all work, like its completion. @default false */
  readonly errorsLast?: boolean | undefined;
}

/**
 * The loop of each operator that works on values, one by one or several at once: merged streams, the body of a loop, writes to a sink.
 * Other values wait. That includes values that come while one is being emitted, so work begins in the order of the values, and the stack
 * doesn't grow.
 */
export function workThrough<In>(source: Observable<In>, out: Outlet<never>, work: WorkSettings<In>): Subscription {
  const { name, concurrency, holdAt, releaseAt, eager, start, complete = out.complete, error = out.error } = work;
  const waiting = new Queue<In>();
  const holder = out.holder(name, () => waiting.length);
  const { consumer } = holder;
  let active = 0;
  const load = (): number => waiting.length + active - consumer.sharing;
  /** What happens when all work is done. Undefined: the source may bring more. */
  let end: (() => void) | undefined;

  const done = (): void => {
    active -= 1;
    holder.moved();
    proceed();
  };
  const proceed = out.pump({
    eager,
    ready: () => waiting.length > 0 && active - consumer.sharing < concurrency,
    step() {
      active += 1;
      holder.moved();
      start(waiting, done, consumer);
    },
    after() {
      if (load() <= releaseAt) holder.release();
      if (end === undefined || waiting.length + active > 0) return;
      const atEnd = end;
      end = undefined;
      atEnd();
    },
  });
  consumer.countSharing(proceed);
  const endWith = (last: () => void): void => {
    end = last;
    proceed();
  };
  out.atEnd(() => waiting.clear());
  return out.listen(
    source,
    {
      next(value) {
        waiting.push(value);
        proceed();
        if (load() >= holdAt) holder.hold();
      },
      complete: () => endWith(complete),
      error: (cause) => (work.errorsLast === true ? endWith(() => error(cause)) : error(cause)),
    },
    holder,
  );
}

/** A first-in, first-out queue with constant cost at any length: a ring that doubles when it is full. */
export class Queue<T> {
  length = 0;
  #ring: (T | undefined)[] = slots(16);
  #head = 0;

  push(value: T): void {
    if (this.length === this.#ring.length) this.#resize(this.length * 2);
    this.#ring[(this.#head + this.length) & (this.#ring.length - 1)] = value;
    this.length += 1;
  }

  /** The first value; undefined when there is none. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const value = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.length -= 1;
    if (this.#ring.length > 1024 && this.length <= this.#ring.length / 4) this.#resize(this.#ring.length / 2);
    return value;
  }

  clear(): void {
    this.#ring = slots(16);
    this.#head = 0;
    this.length = 0;
  }

  #resize(size: number): void {
    const ring = slots<T>(size);
    for (let i = 0; i < this.length; i++) ring[i] = this.#ring[(this.#head + i) & (this.#ring.length - 1)];
    this.#ring = ring;
    this.#head = 0;
  }
}

function slots<T>(size: number): (T | undefined)[] {
  const ring: (T | undefined)[] = [];
  ring.length = size;
  return ring;
}
