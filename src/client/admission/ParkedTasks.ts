import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Task } from './Task.ts';

/** Tasks that wait until whoever holds on their way to the sink lets go; `released` is given those of one holder at once. */
export class ParkedTasks<T extends Task = Task> {
  readonly #released: (tasks: ReadonlySet<T>) => void;
  readonly #places = new Map<DemandNode, { readonly tasks: Set<T>; readonly cancel: () => void }>();
  #size = 0;

  constructor(released: (tasks: ReadonlySet<T>) => void) {
    this.#released = released;
  }

  get size(): number {
    return this.#size;
  }

  add(task: T, holder: DemandNode): void {
    let place = this.#places.get(holder);
    if (place === undefined) {
      place = { tasks: new Set(), cancel: holder.onRelease(() => this.#release(holder)) };
      this.#places.set(holder, place);
    }
    place.tasks.add(task);
    task.parked = holder;
    this.#size++;
  }

  /** Takes a task out, if it is here. */
  remove(task: T): void {
    const holder = task.parked;
    if (holder === undefined) return;
    const place = this.#places.get(holder)!;
    place.tasks.delete(task);
    task.parked = undefined;
    this.#size--;
    if (place.tasks.size === 0) {
      place.cancel();
      this.#places.delete(holder);
    }
  }

  #release(holder: DemandNode): void {
    const place = this.#places.get(holder);
    if (place === undefined) return;
    this.#places.delete(holder);
    this.#size -= place.tasks.size;
    for (const task of place.tasks) task.parked = undefined;
    this.#released(place.tasks);
  }
}
