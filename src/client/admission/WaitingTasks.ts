import { nextLevel, type WaitingLevel } from '../../../operators/demand/nextLevel.ts';
import type { Task } from './Task.ts';
import { TaskHeap } from './TaskHeap.ts';

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
export class WaitingTasks {
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
