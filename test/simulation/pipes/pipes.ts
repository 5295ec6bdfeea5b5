import { smaller } from '../shrinkWorld.ts';
import type { WorldOperation } from '../World.ts';
import type { WorldKind } from '../WorldKind.ts';
import { drawPipe } from './drawPipe.ts';
import { oldPipes } from './oldPipes.ts';
import { isAsker, type PipeWorld } from './PipeWorld.ts';
import { runPipe } from './runPipe.ts';

/** Whether a claim gives wrong pages away. */
const isNoticed = ({ claims, mishaps = [] }: WorldOperation): boolean =>
  claims !== undefined || !mishaps.some(({ as }) => as === 'lostToken' || as === 'emptyPage');

/** Pipes of our operators and RxJS's. */
export const pipes: WorldKind<PipeWorld> = {
  draw: drawPipe,
  run: runPipe,
  *smaller(world) {
    const { steps, operations, life } = world;
    for (const at of [...steps.keys()].slice(1).toReversed()) {
      const step = steps[at]!;
      const isLast = isAsker(step) && step.operation === steps.filter(isAsker).length - 1;
      if (!isAsker(step) || isLast) yield { ...world, steps: steps.toSpliced(at, 1) };
    }
    if (life.kind !== 'whole') yield { ...world, life: { kind: 'whole' } };
    if (world.sink !== 'array') yield { ...world, sink: 'array' };
    for (const one of smaller(world, { queries: 1, inFlight: 1, maxRequests: 1 }, ['seed', 'operations', 'steps', 'sink', 'life']))
      yield one;
    for (const [at, operation] of operations.entries())
      for (const one of smaller(operation, { size: 1, rows: 0, cap: 3 }))
        if (isNoticed(one)) yield { ...world, operations: operations.with(at, one) };
    for (const [at, step] of steps.entries())
      for (const one of smaller(step, { concurrency: 1, maxPages: 1, lookahead: 2, count: 1 }, ['kind', 'operation', 'from']))
        yield { ...world, steps: steps.with(at, one) };
  },
  old: oldPipes,
  oldFile: 'pipes/oldPipes.ts',
};
