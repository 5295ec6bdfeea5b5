import type { Lane } from './Lanes.ts';
import type { Task } from './Task.ts';
import { nextLevel, type WaitingLevel } from '../../../operators/demand/nextLevel.ts';

/** The tasks that wait in all lanes. */
export class LaneQueues {
  /** By the index of the lane. */
  readonly #lanes: readonly WaitingTasks[];
  /** The limits of these let nothing start now. */
  readonly #blocked = new Set<number>();

  constructor(lanes: number, enough: number) {
    this.#lanes = Array.from({ length: lanes }, () => new WaitingTasks(enough));
  }

  get size(): number {
    return this.#lanes.reduce((size, tasks) => size + tasks.size, 0);
  }

  push(task: Task): void {
    this.#tasksOf(task.charge.lane).push(task);
  }

  remove(task: Task): void {
    this.#tasksOf(task.charge.lane).remove(task);
  }

  /** Whether a task waits that is needed soon, or is no farther from the sink than this. */
  hasWithin(depth: number): boolean {
    return this.#lanes.some((tasks) => tasks.next(depth) !== undefined);
  }

  /** The first task of all lanes that aren't blocked: the nearest to the sink, then the oldest. */
  next(): Task | undefined {
    if (this.#lanes.length === 1) return this.#blocked.size === 0 ? this.#lanes[0]!.next() : undefined;
    const first = this.#lanes.flatMap((tasks, index) => (this.#blocked.has(index) ? [] : (tasks.next() ?? [])));
    return first.sort((a, b) => a.depth - b.depth || a.order - b.order)[0];
  }

  block({ index }: Lane): void {
    this.#blocked.add(index);
  }

  unblock(): void {
    this.#blocked.clear();
  }

  #tasksOf({ index }: Lane): WaitingTasks {
    return this.#lanes[index]!;
  }
}

/** Waiting tasks, nearest to the sink first, then oldest first. Each stores its index, so any can be removed. */
export class TaskHeap<T extends Task = Task> {
  readonly #tasks: T[] = [];

  get size(): number {
    return this.#tasks.length;
  }

  peek(): T | undefined {
    return this.#tasks[0];
  }

  push(task: T): void {
    this.#tasks.push(task);
    this.#up(task, this.#tasks.length - 1);
  }

  remove(task: T): void {
    const { index } = task;
    if (index === -1) return;
    task.index = -1;
    const last = this.#tasks.pop()!;
    if (last === task) return;
    this.#up(last, index);
    if (last.index === index) this.#down(last, index);
  }

  #up(task: T, from: number): void {
    let index = from;
    while (index > 0) {
      const above = this.#tasks[(index - 1) >> 1]!;
      if (!before(task, above)) break;
      this.#put(above, index);
      index = (index - 1) >> 1;
    }
    this.#put(task, index);
  }

  #down(task: T, from: number): void {
    let index = from;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= this.#tasks.length) break;
      if (below + 1 < this.#tasks.length && before(this.#tasks[below + 1]!, this.#tasks[below]!)) below++;
      const child = this.#tasks[below]!;
      if (!before(child, task)) break;
      this.#put(child, index);
      index = below;
    }
    this.#put(task, index);
  }

  #put(task: T, index: number): void {
    this.#tasks[index] = task;
    task.index = index;
  }
}

function before(a: Task, b: Task): boolean {
  return a.depth === b.depth ? a.order < b.order : a.depth < b.depth;
}

/** The tasks of one distance from the sink. */
class TaskLevel extends TaskHeap implements WaitingLevel {
  readonly depth: number;

  constructor(depth: number) {
    super();
    this.depth = depth;
  }

  /** What the oldest task adds to. */
  get backlog(): number {
    return this.peek()?.node?.backlog ?? Infinity;
  }
}

/** Waiting tasks, in the order of `nextLevel`. Of one distance the oldest goes first. */
class WaitingTasks {
  readonly #enough: number;
  /** Nearest first. */
  readonly #levels: TaskLevel[] = [];
  #size = 0;

  constructor(enough: number) {
    this.#enough = enough;
  }

  get size(): number {
    return this.#size;
  }

  push(task: Task): void {
    this.#level(task.depth).push(task);
    this.#size++;
  }

  remove(task: Task): void {
    if (task.index === -1) return;
    this.#level(task.depth).remove(task);
    this.#size--;
  }

  /** The next task. One that only waits for its turn counts up to a distance of `farthest`. */
  next(farthest?: number): Task | undefined {
    return nextLevel(this.#levels, this.#enough, farthest)?.peek();
  }

  #level(depth: number): TaskLevel {
    for (const level of this.#levels) if (level.depth === depth) return level;
    const level = new TaskLevel(depth);
    this.#levels.push(level);
    this.#levels.sort((a, b) => a.depth - b.depth);
    return level;
  }
}
