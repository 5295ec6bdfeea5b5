import { Random } from '../Random.ts';
import { drawWorld } from '../drawWorld.ts';
import { isScroll } from '../World.ts';
import { troubles, type QueueWorld } from './QueueWorld.ts';

/** Failures that a leader retries, and that don't slow it down. */
const passing = new Set(['500', '503', 'reset']);

/** The world of a seed: the service and the flow of a world of flows, without updates. */
export function drawQueue(seed: number): QueueWorld {
  const { operations, stages, limit } = drawWorld(seed);
  const random = new Random(seed ^ 0x5ca1ab1e);
  const calm = operations.map(({ mishaps = [], ...operation }) => {
    const kept = mishaps.filter(({ as, times }) => passing.has(as) && times <= 2);
    // A job that is done twice takes two pages of a token whose pages the service counts.
    const paging = isScroll(operation) ? 'token' : operation.paging;
    return { ...operation, paging, dated: undefined, ...(kept.length === 0 ? {} : { mishaps: kept }) };
  });
  return {
    seed,
    operations: calm,
    stages: stages.map((stage) => ({ ...stage, since: undefined, gone: undefined, expect: undefined })),
    ...(limit === undefined ? {} : { limit }),
    workers: Array.from({ length: random.whole(1, 3) }, () => random.pick([1, 2, 4])),
    commitMs: random.pick([0, 20, 100, 1000]),
    troubles: Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => ({ kind: random.pick(troubles), at: random.whole(1, 20) })),
  };
}
