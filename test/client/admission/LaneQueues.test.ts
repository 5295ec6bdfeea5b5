import { describe, expect, it } from 'vitest';
import type { Lane } from '../../../src/client/admission/Lanes.ts';
import { LaneQueues } from '../../../src/client/admission/LaneQueues.ts';
import type { Task } from '../../../src/client/admission/Task.ts';

const lanes = [{ index: 0 }, { index: 1 }] as unknown as readonly [Lane, Lane];

function task(lane: Lane, depth: number, order: number): Task {
  return {
    lane,
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

describe('LaneQueues', () => {
  it('gives the task nearest to the sink of all lanes, then the oldest', () => {
    const queues = new LaneQueues(2, 7);
    const [far, old, young] = [task(lanes[0], 2, 1), task(lanes[1], 1, 2), task(lanes[0], 1, 3)];
    for (const one of [far, old, young]) queues.push(one, false);
    const order: Task[] = [];
    for (let next = queues.next(); next !== undefined; next = queues.next()) {
      order.push(next);
      queues.remove(next);
    }
    expect(order).toEqual([old, young, far]);
    expect(queues.size).toBe(0);
  });

  it.each([1, 2])('gives nothing of a blocked lane, of %d', (count) => {
    const queues = new LaneQueues(count, 7);
    const first = task(lanes[0], 1, 1);
    const other = task(lanes[1], 3, 2);
    queues.push(first, false);
    if (count === 2) queues.push(other, false);
    expect(queues.next(new Set([0]))).toBe(count === 2 ? other : undefined);
    expect(queues.next()).toBe(first);
  });

  it('gives what is pushed ahead before all others of its distance', () => {
    const queues = new LaneQueues(1, 7);
    const [one, two, again] = [task(lanes[0], 1, 1), task(lanes[0], 1, 2), task(lanes[0], 1, -5)];
    queues.push(one, false);
    queues.push(two, false);
    queues.push(again, true);
    expect(queues.next()).toBe(again);
    queues.remove(again);
    queues.remove(one);
    expect([queues.next(), queues.size]).toEqual([two, 1]);
  });

  it('knows whether a task is near enough', () => {
    const queues = new LaneQueues(2, 7);
    expect(queues.hasWithin(9)).toBe(false);
    queues.push(task(lanes[1], 2, 1), false);
    expect([1, 2].map((depth) => queues.hasWithin(depth))).toEqual([false, true]);
  });
});
