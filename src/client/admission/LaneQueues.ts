import type { Task } from './Task.ts';
import { nextLevel, type WaitingLevel } from '../../../operators/demand/nextLevel.ts';

/** The tasks that wait in all lanes. Of one lane they go in the order of `nextLevel`, of one distance from the sink the oldest first. */
export class LaneQueues {
  /** By the index of the lane: its tasks by distance from the sink, nearest first. */
  readonly #lanes: readonly TaskLevel[][];
  readonly #enough: number;

  constructor(lanes: number, enough: number) {
    this.#lanes = Array.from({ length: lanes }, () => []);
    this.#enough = enough;
  }

  get size(): number {
    return this.#lanes.flat().reduce((size, level) => size + level.size, 0);
  }

  push(task: Task): void {
    this.#levelOf(task).push(task);
  }

  remove(task: Task): void {
    if (task.index !== -1) this.#levelOf(task).remove(task);
  }

  /** Whether a task waits that is needed soon, or is no farther from the sink than this. */
  hasWithin(depth: number): boolean {
    for (const levels of this.#lanes) if (nextLevel(levels, this.#enough, depth) !== undefined) return true;
    return false;
  }

  /** The first task of all lanes that aren't blocked: the nearest to the sink, then the oldest. `blocked`: by index. */
  next(blocked?: ReadonlySet<number>): Task | undefined {
    let first: Task | undefined;
    for (let index = 0; index < this.#lanes.length; index++) {
      const task = blocked?.has(index) === true ? undefined : nextLevel(this.#lanes[index]!, this.#enough)?.peek();
      if (task !== undefined && (first === undefined || before(task, first))) first = task;
    }
    return first;
  }

  #levelOf({ charge, depth }: Task): TaskLevel {
    const levels = this.#lanes[charge.lane.index]!;
    for (const level of levels) if (level.depth === depth) return level;
    const level = new TaskLevel(depth);
    levels.push(level);
    levels.sort((a, b) => a.depth - b.depth);
    return level;
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
