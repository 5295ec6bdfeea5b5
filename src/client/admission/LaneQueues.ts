import type { Task } from './Task.ts';
import { nextLevel, type WaitingLevel } from '../../../operators/demand/nextLevel.ts';

/** The tasks that wait in all lanes. Of one lane they go in the order of `nextLevel`, of one distance from the sink the oldest first. */
export class LaneQueues {
  /** By the index of the lane: its tasks by distance from the sink, nearest first. */
  readonly #lanes: readonly TaskLevel[][];
  readonly #enough: number;
  size = 0;

  constructor(lanes: number, enough: number) {
    this.#lanes = Array.from({ length: lanes }, () => []);
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
    if (!level.first.delete(task) && !level.ahead.delete(task)) return;
    level.size--;
    this.size--;
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
      const task = blocked?.has(index) === true ? undefined : nextLevel(this.#lanes[index]!, this.#enough)?.oldest;
      if (task !== undefined && (first === undefined || before(task, first))) first = task;
    }
    return first;
  }

  #levelOf({ lane, depth }: Task): TaskLevel {
    const levels = this.#lanes[lane.index]!;
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

/** The tasks of one distance from the sink. A set keeps the order in which they came. */
class TaskLevel implements WaitingLevel {
  readonly depth: number;
  readonly ahead = new Set<Task>();
  readonly first = new Set<Task>();
  size = 0;

  constructor(depth: number) {
    this.depth = depth;
  }

  get oldest(): Task | undefined {
    for (const task of this.ahead) return task;
    for (const task of this.first) return task;
    return undefined;
  }

  /** What the oldest task adds to. */
  get backlog(): number {
    return this.oldest?.node?.backlog ?? Infinity;
  }
}
