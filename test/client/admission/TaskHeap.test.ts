import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskHeap } from '../../../src/client/admission/LaneQueues.ts';
import type { Charge } from '../../../src/client/admission/Lanes.ts';
import type { Task } from '../../../src/client/admission/Task.ts';

function task(depth: number, order: number): Task {
  return { charge: {} as Charge, node: undefined, depth, order, index: -1, parked: undefined, inFlight: false, admit() {}, refuse() {} };
}

describe('TaskHeap', () => {
  it('returns the task nearest to the sink first, then the oldest, after any removals', () => {
    const steps = fc.array(
      fc.oneof(fc.record({ push: fc.integer({ min: 0, max: 5 }) }), fc.record({ remove: fc.nat() }), fc.constant({ pop: true })),
    );
    fc.assert(
      fc.property(steps, (list) => {
        const heap = new TaskHeap();
        let model: Task[] = [];
        let order = 0;
        const inOrder = (): Task[] => model.toSorted((a, b) => a.depth - b.depth || a.order - b.order);
        for (const step of list) {
          if ('push' in step) {
            const added = task(step.push, order++);
            heap.push(added);
            model.push(added);
          } else {
            const gone = 'remove' in step ? model[step.remove % Math.max(1, model.length)] : heap.peek();
            if (gone === undefined) continue;
            heap.remove(gone);
            model = model.filter((other) => other !== gone);
          }
          expect(model.every((held) => held.index >= 0)).toBe(true);
          expect(heap.size).toBe(model.length);
          expect(heap.peek()).toBe(inOrder()[0]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("removes nothing that it doesn't contain", () => {
    const heap = new TaskHeap();
    heap.push(task(0, 1));
    heap.remove(task(0, 2));
    expect(heap.size).toBe(1);
  });
});
