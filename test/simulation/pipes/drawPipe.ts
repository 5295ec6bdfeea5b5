import { Random } from '../Random.ts';
import { pagings, withOneListless, type Mishap, type WorldOperation } from '../World.ts';
import { askers, passers, sinks, type Asker, type PipeLife, type PipeStep, type PipeWorld } from './PipeWorld.ts';

/** The world of a seed. */
export function drawPipe(seed: number): PipeWorld {
  const random = new Random(seed);
  const steps = drawSteps(random);
  const isLarge = random.happens(0.08);
  const isCalm = isLarge || random.happens(0.6);
  return {
    seed,
    operations: steps
      .filter((step) => 'operation' in step)
      .map((step, at) => drawOperation(random, step, { isCalm, isLarge, isChild: at > 0 })),
    queries: isLarge ? random.whole(5, 20) : random.whole(1, 4),
    steps,
    inFlight: random.pick([1, 1, 2, 4, 8]),
    ...(random.happens(0.06) ? { maxRequests: random.whole(1, 20) } : {}),
    sink: random.pick(sinks),
    life: drawLife(random),
  };
}

function drawSteps(random: Random): PipeStep[] {
  const steps: PipeStep[] = [];
  const count = random.pick([1, 1, 2, 2, 2, 3]);
  for (let operation = 0; operation < count; operation++) {
    steps.push(drawAsker(random, operation));
    while (random.happens(0.45)) steps.push({ kind: random.pick(passers) });
    if (random.happens(0.15)) steps.push({ kind: 'take', count: random.whole(1, 12) });
  }
  return steps;
}

function drawAsker(random: Random, operation: number): Asker {
  const kind = operation === 0 ? random.pick(['walk', 'walk', 'walk', 'split'] as const) : random.pick(askers);
  const isSingle = !['walk', 'split'].includes(kind);
  return {
    kind,
    operation,
    concurrency: random.pick([1, 1, 2, 8]),
    from: random.pick(['id', 'id', 'group'] as const),
    ...(kind === 'fanOut' && random.happens(0.4) ? { once: true } : {}),
    ...(kind === 'fanOut' && random.happens(0.4) ? { skip: true } : {}),
    ...(kind !== 'split' && random.happens(0.2) ? { maxPages: random.whole(1, 3) } : {}),
    ...(kind !== 'split' && random.happens(0.15) ? { lookahead: random.whole(2, 3) } : {}),
    ...(isSingle && random.happens(0.3) ? { under: random.pick(['concurrency', 'rate', 'backoff', 'retry'] as const) } : {}),
  };
}

function drawOperation(
  random: Random,
  { kind, lookahead }: Asker,
  { isCalm, isLarge, isChild }: { readonly isCalm: boolean; readonly isLarge: boolean; readonly isChild: boolean },
): WorldOperation {
  const isSplit = kind === 'split';
  const isClaimed = !isSplit && random.happens(0.4);
  const drawn = isCalm ? [] : Array.from({ length: random.whole(0, 2) }, () => drawMishap(random, isClaimed, isSplit));
  const mishaps = withOneListless(drawn);
  mishaps.sort((one, other) => Number(other.as === '400') - Number(one.as === '400')); // a query that always fails does so at once
  return {
    paging: lookahead === undefined ? random.pick(pagings) : random.pick(['page', 'pages'] as const),
    size: random.whole(1, isLarge ? 20 : 4),
    rows: random.whole(0, isChild ? 5 : isLarge ? 60 : 9),
    ...(random.happens(0.5) ? { ties: random.whole(2, 4) } : {}),
    ...(isClaimed ? { claims: 0 } : {}),
    ...(mishaps.length === 0 ? {} : { mishaps }),
    ...(isSplit ? { cap: random.whole(3, 6) } : {}),
  };
}

/** Failures that pass, wrong pages that a claim gives away, and queries that always fail. */
function drawMishap(random: Random, isClaimed: boolean, isSplit: boolean): Mishap {
  const kinds = isSplit ? [] : (['400'] as const);
  const as = random.pick([
    '500',
    '503',
    '429',
    'reset',
    'stalled',
    'torn',
    'noList',
    'maintenance',
    ...kinds,
    ...(isClaimed ? (['lostToken', 'emptyPage'] as const) : []),
  ] as const);
  return as === '400'
    ? { as, every: random.whole(2, 6), nth: 1, times: 100_000 }
    : { as, every: random.whole(1, 5), nth: random.whole(1, 4), times: 1 };
}

function drawLife(random: Random): PipeLife {
  const ms = random.whole(1, random.pick([50, 300, 1000]));
  switch (random.pick(['whole', 'whole', 'whole', 'leave', 'leaveAt', 'takeUntil', 'close', 'twice'] as const)) {
    case 'leave':
      return { kind: 'leave', rows: random.whole(1, 10) };
    case 'leaveAt':
      return { kind: 'leaveAt', ms };
    case 'takeUntil':
      return { kind: 'takeUntil', ms };
    case 'close':
      return { kind: 'close', ms };
    case 'twice':
      return { kind: 'twice', ms };
    default:
      return { kind: 'whole' };
  }
}
