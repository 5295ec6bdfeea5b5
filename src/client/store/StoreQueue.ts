import type { Clock } from '../Clock.ts';
import { ParkedTasks } from '../admission/Admission.ts';
import { holderOf, type Task } from '../admission/Task.ts';
import { TaskHeap } from '../admission/LaneQueues.ts';

/** A call that reads the store before it sends a request. */
export interface StoreTask extends Task {
  /** Called when its turn has come. */
  lookUp(): void;
}

const lookMs = 25; // a call that waits for somebody else's request looks into the store so often
const sliceMs = 5; // yield to the event loop after this time

/**
 * Calls that wait to read the store. As in the admission, the call nearest to the sink goes first, and none whose path to the
 * sink holds.
 */
export class StoreQueue {
  readonly #clock: Clock;
  readonly #ready = new TaskHeap<StoreTask>();
  readonly #parked = new ParkedTasks<StoreTask>((tasks) => this.#add(tasks));
  /** Calls whose request somebody else is sending. */
  readonly #waiting = new Set<StoreTask>();
  #cancelLook: (() => void) | undefined;
  #sequence = 0;
  #scheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#ready.size + this.#parked.size + this.#waiting.size;
  }

  add(task: StoreTask): void {
    task.order = this.#sequence++;
    this.#add([task]);
  }

  /** The task looks into the store again in a moment. */
  addLater(task: StoreTask): void {
    this.#waiting.add(task);
    if (this.#waiting.size > 1) return;
    this.#cancelLook = this.#clock.after(lookMs, () => {
      this.#add(this.#waiting);
      this.#waiting.clear();
    });
  }

  /** Removes a task, wherever it waits. */
  remove(task: StoreTask): void {
    this.#ready.remove(task);
    this.#parked.remove(task);
    this.#waiting.delete(task);
    if (this.#waiting.size === 0) this.#cancelLook?.();
  }

  #add(tasks: Iterable<StoreTask>): void {
    for (const task of tasks) this.#ready.push(task);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#work();
    });
  }

  #work(): void {
    const until = performance.now() + sliceMs;
    for (let task = this.#ready.peek(); task !== undefined; task = this.#ready.peek()) {
      this.#ready.remove(task);
      const holder = holderOf(task);
      if (holder !== undefined) {
        this.#parked.add(task, holder);
        continue;
      }
      task.lookUp();
      if (performance.now() >= until) return this.#schedule();
    }
  }
}
