import { describe, expect, it } from 'vitest';
import type { LimitGroup } from '../../../src/client/admission/LimitGroups.ts';
import { GroupQueues } from '../../../src/client/admission/GroupQueues.ts';
import type { Task } from '../../../src/client/admission/Task.ts';

const limitGroups = [{ index: 0 }, { index: 1 }] as unknown as readonly [LimitGroup, LimitGroup];

function task(limitGroup: LimitGroup, depth: number, order: number): Task {
  return {
    limitGroup,
    node: undefined,
    depth,
    order,
    parked: undefined,
    slot: -1,
    inFlight: false,
    inStore: false,
    admit() {},
    refuse() {},
  };
}

describe('GroupQueues', () => {
  it('gives the task nearest to the sink of all limit groups, then the oldest', () => {
    const queues = new GroupQueues(2, 7);
    const [far, old, young] = [task(limitGroups[0], 2, 1), task(limitGroups[1], 1, 2), task(limitGroups[0], 1, 3)];
    for (const one of [far, old, young]) queues.push(one, false);
    const order: Task[] = [];
    for (let next = queues.next(); next !== undefined; next = queues.next()) {
      order.push(next);
      queues.remove(next);
    }
    expect(order).toEqual([old, young, far]);
    expect(queues.size).toBe(0);
  });

  it.each([1, 2])('gives nothing of a blocked limit group, of %d', (count) => {
    const queues = new GroupQueues(count, 7);
    const first = task(limitGroups[0], 1, 1);
    const other = task(limitGroups[1], 3, 2);
    queues.push(first, false);
    if (count === 2) queues.push(other, false);
    expect(queues.next(new Set([0]))).toBe(count === 2 ? other : undefined);
    expect(queues.next()).toBe(first);
  });

  it('gives what is pushed ahead before all others of its distance', () => {
    const queues = new GroupQueues(1, 7);
    const [one, two, again] = [task(limitGroups[0], 1, 1), task(limitGroups[0], 1, 2), task(limitGroups[0], 1, -5)];
    queues.push(one, false);
    queues.push(two, false);
    queues.push(again, true);
    expect(queues.next()).toBe(again);
    queues.remove(again);
    queues.remove(one);
    expect([queues.next(), queues.size]).toEqual([two, 1]);
  });

  it('knows whether a task is near enough', () => {
    const queues = new GroupQueues(2, 7);
    expect(queues.hasWithin(9)).toBe(false);
    queues.push(task(limitGroups[1], 2, 1), false);
    expect([1, 2].map((depth) => queues.hasWithin(depth))).toEqual([false, true]);
  });
});
