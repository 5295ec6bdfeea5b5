/** Things to happen, in order of their time: a binary heap. */
export class EventQueue {
  /** @type {{ at: number, run: (now: number) => void }[]} */
  #heap = [];

  /** @type {(at: number, run: (now: number) => void) => void} */
  add(at, run) {
    const heap = this.#heap;
    let i = heap.length;
    for (let parent = (i - 1) >> 1; i > 0 && heap[parent].at > at; parent = (i - 1) >> 1) {
      heap[i] = heap[parent];
      i = parent;
    }
    heap[i] = { at, run };
  }

  /** Takes out the next one; undefined: none is left. */
  next() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (let child = 1; child < heap.length; child = 2 * i + 1) {
      if (child + 1 < heap.length && heap[child + 1].at < heap[child].at) child += 1;
      if (heap[child].at >= last.at) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
    return first;
  }
}
