import type { World } from './World.ts';

/** The most worlds that are tried for a smaller one. */
const maxTries = 400;

/** The smallest world that still fails, as far as `smallerOnes` go. `fails` says whether a world does. */
export async function shrinkWorld<Kind>(
  world: Kind,
  smallerOnes: (world: Kind) => Iterable<Kind>,
  fails: (world: Kind) => Promise<boolean>,
): Promise<Kind> {
  let best = world;
  let tries = 0;
  for (let found = true; found;) {
    found = false;
    for (const smaller of smallerOnes(best)) {
      if (++tries > maxTries) return best;
      if (!(await fails(smaller))) continue;
      best = smaller;
      found = true;
      break;
    }
  }
  return best;
}

/** Worlds that are smaller by one thing, the largest things first. */
export function* smallerWorlds(world: World): Generator<World, void, undefined> {
  const { stages, operations, life } = world;
  for (const at of life.keys()) yield { ...world, life: life.toSpliced(at, 1) };
  for (const at of [...stages.keys()].toReversed()) {
    if (stages.length > 1 && !stages.some(({ each }) => each === at)) yield withoutStage(world, at);
  }
  for (const key of ['limit', 'outage', 'store', 'windows', 'slowDisk'] as const)
    if (world[key] !== undefined) yield { ...world, [key]: undefined };
  for (const [at, operation] of operations.entries())
    // Without these its stages aren't a flow.
    for (const one of smaller(operation, { size: 1, rows: 0 }, ['dated', 'has'])) yield { ...world, operations: operations.with(at, one) };
  for (const [at, stage] of stages.entries())
    for (const one of smaller(stage, { queries: 1, pages: 1, limit: 1 }, ['each', 'from', 'operation']))
      yield { ...world, stages: stages.with(at, one) };
  for (const [at, step] of life.entries()) {
    const floors = { concurrency: 1, inFlight: 1, commitMs: 0, maxRequests: 1, rival: 1, dayAt: 1 };
    if (step.kind === 'run') for (const one of smaller(step, floors, ['kind', 'fate'])) yield { ...world, life: life.with(at, one) };
  }
}

/** The stages below count from one less. Its operation stays, and is not used. */
function withoutStage(world: World, gone: number): World {
  const rest = world.stages.toSpliced(gone, 1);
  return {
    ...world,
    stages: rest.map((stage) => (stage.each !== undefined && stage.each > gone ? { ...stage, each: stage.each - 1 } : stage)),
  };
}

/** An object without one of its fields or list entries, or with a smaller number. */
export function* smaller<T extends object>(
  given: T,
  floors: { readonly [field: string]: number },
  fixed: readonly string[] = [],
): Generator<T, void, undefined> {
  for (const [field, value] of Object.entries(given) as [string, unknown][]) {
    if (value === undefined || fixed.includes(field)) continue;
    const floor = floors[field];
    if (typeof value === 'number' && floor !== undefined) {
      for (const less of new Set([floor, Math.floor((floor + value) / 2), value - 1]))
        if (less >= floor && less < value) yield { ...given, [field]: less };
    } else if (Array.isArray(value)) {
      for (const at of value.keys()) yield { ...given, [field]: value.toSpliced(at, 1) };
    }
    if (floor === undefined && field !== 'paging') yield { ...given, [field]: undefined };
  }
}
