import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Task } from './Task.ts';

/**
 * Tasks that wait until the holding node on their path to the sink releases. `released` receives all tasks of one node
 * at once. Some are released although `stalled` still holds.
 */
export class ParkedTasks<T extends Task = Task> {
  readonly #released: (tasks: readonly T[], stalled?: DemandNode) => void;
  readonly #places = new Map<DemandNode, { readonly tasks: Set<T>; readonly cancel: () => void }>();
  #size = 0;

  constructor(released: (tasks: readonly T[], stalled?: DemandNode) => void) {
    this.#released = released;
  }

  get size(): number {
    return this.#size;
  }

  add(task: T, holder: DemandNode): void {
    let place = this.#places.get(holder);
    if (place === undefined) {
      const cancel = holder.wait({
        resume: () => this.#resume(holder),
        letGo: (most) => this.#letGo(holder, most),
        count: () => this.#places.get(holder)?.tasks.size ?? 0,
      });
      place = { tasks: new Set(), cancel };
      this.#places.set(holder, place);
    }
    place.tasks.add(task);
    task.parked = holder;
    task.node?.addActive(-1);
    this.#size++;
  }

  /** Removes a task, if it is here. */
  remove(task: T): void {
    const holder = task.parked;
    if (holder === undefined) return;
    const place = this.#places.get(holder);
    if (place?.tasks.delete(task) !== true) return;
    this.#unpark(task);
    if (place.tasks.size === 0) {
      place.cancel();
      this.#places.delete(holder);
    }
  }

  #unpark(task: T): void {
    task.parked = undefined;
    task.node?.addActive(1);
    this.#size--;
  }

  #resume(holder: DemandNode): void {
    const place = this.#places.get(holder);
    if (place === undefined) return;
    this.#places.delete(holder);
    for (const task of place.tasks) this.#unpark(task);
    this.#released([...place.tasks]);
  }

  #letGo(holder: DemandNode, most: number): number {
    const nearest = [...(this.#places.get(holder)?.tasks ?? [])].sort(byNeed);
    const tasks = nearest.slice(0, most);
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
