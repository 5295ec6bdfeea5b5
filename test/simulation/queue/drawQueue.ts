import { Random } from '../Random.ts';
import { drawWorld } from '../drawWorld.ts';
import { withOneListless } from '../World.ts';
import { troubles, type QueueWorld } from './QueueWorld.ts';

/**
 * Failures that a leader retries, and that don't slow it down, and how often at most. At most half of the queries have one: with more, it
 * takes them for an outage, or retries no more.
 */
const passing = new Map<string, number>([['500', 2], ['503', 2], ['reset', 2], ['noList', 1], ['maintenance', 1]]); // prettier-ignore

/** Troubles after which no job is done twice. */
const harmless = ['killLeader', 'killLeader', 'closeWorker'] as const;

/** The world of a seed: the service and the flow of a world of flows, without updates. */
export function drawQueue(seed: number): QueueWorld {
  const { operations, stages, limit } = drawWorld(seed);
  const random = new Random(seed ^ 0x5ca1ab1e);
  const workers = Array.from({ length: random.whole(1, 3) }, () => random.pick([1, 2, 4]));
  const commitMs = random.pick([0, 20, 100, 1000]);
  const drawn = Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => ({ kind: random.pick(troubles), at: random.whole(1, 20) }));
  // A job that is done twice takes two pages of a token whose pages the service counts.
  const isScrolled = operations.some(({ paging }) => paging === 'scroll');
  const met = isScrolled ? drawn.map(({ at }) => ({ kind: random.pick(harmless), at })) : drawn;
  const calm = operations.map(({ mishaps = [], ...operation }) => {
    const few = mishaps.filter(({ as, times }) => times <= (passing.get(as) ?? 0));
    const kept = withOneListless(few.map((mishap) => ({ ...mishap, every: Math.max(2, mishap.every) })));
    return { ...operation, dated: undefined, ...(kept.length === 0 ? {} : { mishaps: kept }) };
  });
  return {
    seed,
    operations: calm,
    stages: stages.map((stage) => ({ ...stage, since: undefined, gone: undefined, expect: undefined })),
    ...(limit === undefined ? {} : { limit }),
    workers,
    commitMs,
    troubles: met,
  };
}
