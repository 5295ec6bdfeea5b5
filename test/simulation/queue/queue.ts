import { smallerWorlds } from '../shrinkWorld.ts';
import type { World } from '../World.ts';
import type { WorldKind } from '../WorldKind.ts';
import { drawQueue } from './drawQueue.ts';
import { oldQueues } from './oldQueues.ts';
import type { QueueWorld } from './QueueWorld.ts';
import { runQueue } from './runQueue.ts';

/** Flows that a leader and workers run together, over a queue in memory. */
export const queue: WorldKind<QueueWorld> = {
  draw: drawQueue,
  run: runQueue,
  *smaller(world) {
    const { workers, troubles } = world;
    for (const at of troubles.keys()) yield { ...world, troubles: troubles.toSpliced(at, 1) };
    for (const at of workers.keys()) if (workers.length > 1) yield { ...world, workers: workers.toSpliced(at, 1) };
    const whole: World = { ...world, life: [] };
    for (const { life: _, ...one } of smallerWorlds(whole)) yield { ...world, ...one };
    for (const [at, { kind, at: nth }] of troubles.entries())
      if (nth > 1) yield { ...world, troubles: troubles.with(at, { kind, at: Math.floor(nth / 2) }) };
  },
  old: oldQueues,
  oldFile: 'queue/oldQueues.ts',
};
