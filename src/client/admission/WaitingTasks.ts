import type { Task } from './Task.ts';
import { TaskHeap } from './TaskHeap.ts';

/**
 * Waiting tasks. The nearest to the sink goes first, unless a backlog holds fewer values than `enough`: then the page that
 * adds to it does, so that the backlog isn't empty before that page is here.
 */
export class WaitingTasks {
  readonly #enough: number;
  /** Nearest first. */
  readonly #levels: { readonly depth: number; readonly tasks: TaskHeap }[] = [];
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
  next(farthest: number = Infinity): Task | undefined {
    let next: Task | undefined;
    for (const { depth, tasks } of this.#levels) {
      const task = tasks.peek();
      if (task === undefined) continue;
      const { backlog = Infinity } = task.node ?? {};
      if (backlog < this.#enough || (next === undefined && depth <= farthest)) next = task;
    }
    return next;
  }

  #level(depth: number): TaskHeap {
    const found = this.#levels.find((level) => level.depth === depth);
    if (found !== undefined) return found.tasks;
    const tasks = new TaskHeap();
    this.#levels.push({ depth, tasks });
    this.#levels.sort((a, b) => a.depth - b.depth);
    return tasks;
  }
}
