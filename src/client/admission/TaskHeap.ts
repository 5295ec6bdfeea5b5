import type { Task } from './Task.ts';

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
