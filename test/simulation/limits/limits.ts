import { smaller } from '../shrinkWorld.ts';
import type { WorldKind } from '../WorldKind.ts';
import { drawLimits } from './drawLimits.ts';
import type { LimitWorld } from './LimitWorld.ts';
import { oldLimits } from './oldLimits.ts';
import { runLimits } from './runLimits.ts';

const floors = { latencyMs: 5, concurrency: 1, maxRequests: 1, forMs: 10_000, failsEvery: 7 };

/** What a client does at limits of every kind. */
export const limits: WorldKind<LimitWorld> = {
  draw: drawLimits,
  run: runLimits,
  *smaller(world) {
    yield* smaller(world, floors, ['seed', 'limit', 'refuses']);
    for (const limit of smaller(world.limit, { requests: 1, burst: 1, most: 1 }, ['kind', 'perMs', 'perSecond', 'takesMs']))
      yield { ...world, limit };
  },
  old: oldLimits,
  oldFile: 'limits/oldLimits.ts',
};
