import type { Task } from './Task.ts';
import { nextLevel, type WaitingLevel } from '../../../operators/demand/nextLevel.ts';

/** The tasks that wait, by limit group. In a group they go in the order of `nextLevel`, at one distance from the sink the oldest first. */
export class GroupQueues {
  /** By the index of the limit group: its tasks by distance from the sink, nearest first. */
  readonly #limitGroups: readonly TaskLevel[][];
  readonly #enough: number;
  size = 0;

  constructor(limitGroups: number, enough: number) {
    this.#limitGroups = Array.from({ length: limitGroups }, () => []);
    this.#enough = enough;
  }

  /** `ahead`: before all that wait at its distance for the first time. */
  push(task: Task, ahead: boolean): void {
    const level = this.#levelOf(task);
    (ahead ? level.ahead : level.first).add(task);
    level.size++;
    this.size++;
  }

  /** Removes a task, if it is here. */
  remove(task: Task): void {
    const level = this.#levelOf(task);
    if (!level.ahead.delete(task) && !level.first.delete(task)) return;
    level.size--;
    this.size--;
  }

  /** Whether a task waits that is needed soon, or is no farther from the sink than this. */
  hasWithin(depth: number): boolean {
    for (const levels of this.#limitGroups) if (nextLevel(levels, this.#enough, depth) !== undefined) return true;
    return false;
  }

  /** The first task of all limit groups that aren't blocked: the nearest to the sink, then the oldest. `blocked`: by index. */
  next(blocked?: ReadonlySet<number>): Task | undefined {
    let first: Task | undefined;
    for (let index = 0; index < this.#limitGroups.length; index++) {
      const task = blocked?.has(index) === true ? undefined : nextLevel(this.#limitGroups[index]!, this.#enough)?.oldest;
      if (task !== undefined && (first === undefined || before(task, first))) first = task;
    }
    return first;
  }

  #levelOf({ limitGroup, depth }: Task): TaskLevel {
    const levels = this.#limitGroups[limitGroup.index]!;
    for (const level of levels) if (level.depth === depth) return level;
    const level = new TaskLevel(depth);
    levels.push(level);
    levels.sort((a, b) => a.depth - b.depth);
    return level;
  }
}

function before(a: Task, b: Task): boolean {
  return a.depth === b.depth ? a.order < b.order : a.depth < b.depth;
}

/**
 * Tasks in the order in which they came. No `Set`, for the reason that `OpenCalls` gives. Removing one is quick at both ends only.
 */
class TaskLine {
  readonly #tasks: (Task | undefined)[] = [];
  #head = 0;

  get oldest(): Task | undefined {
    return this.#tasks[this.#head];
  }

  add(task: Task): void {
    this.#tasks.push(task);
  }

  /** False if it isn't here. */
  delete(task: Task): boolean {
    const tasks = this.#tasks;
    const at = tasks.at(-1) === task ? tasks.length - 1 : tasks.indexOf(task, this.#head);
    if (at < 0) return false;
    tasks[at] = undefined;
    while (this.#head < tasks.length && tasks[this.#head] === undefined) this.#head++;
    while (tasks.length > this.#head && tasks.at(-1) === undefined) tasks.pop();
    if (this.#head > 64 && this.#head * 2 > tasks.length) {
      tasks.splice(0, this.#head);
      this.#head = 0;
    }
    return true;
  }
}

/** The tasks of one distance from the sink. */
class TaskLevel implements WaitingLevel {
  readonly depth: number;
  readonly ahead = new TaskLine();
  readonly first = new TaskLine();
  size = 0;

  constructor(depth: number) {
    this.depth = depth;
  }

  get oldest(): Task | undefined {
    return this.ahead.oldest ?? this.first.oldest;
  }

  /** What the oldest task adds to. */
  get backlog(): number {
    return this.oldest?.node?.backlog ?? Infinity;
  }
}
