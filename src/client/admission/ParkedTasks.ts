import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Task } from './Task.ts';

/**
 * Tasks that wait until the holding node on their path to the sink releases. `released` receives all tasks of one node
 * at once. Some are released although `stalled` still holds.
 */
export class ParkedTasks<T extends Task = Task> {
  readonly #released: (tasks: readonly T[], stalled?: DemandNode) => void;
  readonly #groups = new Map<DemandNode, { readonly tasks: Set<T>; readonly cancel: () => void }>();
  #size = 0;

  constructor(released: (tasks: readonly T[], stalled?: DemandNode) => void) {
    this.#released = released;
  }

  get size(): number {
    return this.#size;
  }

  add(task: T, holder: DemandNode): void {
    let group = this.#groups.get(holder);
    if (group === undefined) {
      const cancel = holder.wait({
        resume: () => this.#resume(holder),
        letGo: (limit) => this.#letGo(holder, limit),
        count: () => this.#groups.get(holder)?.tasks.size ?? 0,
      });
      group = { tasks: new Set(), cancel };
      this.#groups.set(holder, group);
    }
    group.tasks.add(task);
    task.parked = holder;
    task.node?.addActive(-1);
    this.#size++;
  }

  /** Removes a task, if it is here. */
  remove(task: T): void {
    const holder = task.parked;
    if (holder === undefined) return;
    const group = this.#groups.get(holder);
    if (group?.tasks.delete(task) !== true) return;
    this.#unpark(task);
    if (group.tasks.size === 0) {
      group.cancel();
      this.#groups.delete(holder);
    }
  }

  #unpark(task: T): void {
    task.parked = undefined;
    task.node?.addActive(1);
    this.#size--;
  }

  #resume(holder: DemandNode): void {
    const group = this.#groups.get(holder);
    if (group === undefined) return;
    this.#groups.delete(holder);
    for (const task of group.tasks) this.#unpark(task);
    this.#released([...group.tasks]);
  }

  #letGo(holder: DemandNode, limit: number): number {
    const nearest = [...(this.#groups.get(holder)?.tasks ?? [])].sort(byNeed);
    const tasks = nearest.slice(0, limit);
    for (const task of tasks) {
      task.letGo = true;
      this.remove(task);
    }
    this.#released(tasks, holder);
    return tasks.length;
  }
}

/** Nearest to the sink first, then what is inside the oldest value, then the oldest. */
function byNeed(a: Task, b: Task): number {
  return a.depth - b.depth || (a.node?.value ?? 0) - (b.node?.value ?? 0) || a.order - b.order;
}
