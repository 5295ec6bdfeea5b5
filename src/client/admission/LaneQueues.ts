import type { Lane } from './Lane.ts';
import type { Task } from './Task.ts';
import { WaitingTasks } from './WaitingTasks.ts';

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
