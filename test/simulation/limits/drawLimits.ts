import { Random } from '../Random.ts';
import { retryAfters, tellings, type LimitKind, type LimitWorld } from './LimitWorld.ts';

/** The world of a seed. */
export function drawLimits(seed: number): LimitWorld {
  const random = new Random(seed);
  const limit = drawLimit(random);
  const tells = random.happens(0.5) ? drawTelling(random, limit) : undefined;
  const forMs = durationOf(limit, random);
  const retryAfter = random.happens(0.55) ? random.pick(retryAfters) : undefined;
  return {
    seed,
    limit,
    ...(random.happens(0.25) ? { change: { atMs: Math.floor(forMs * random.next()), factor: random.pick([0.3, 0.5, 2, 3]) } } : {}),
    ...(tells === undefined ? {} : { tells }),
    refuses: drawRefusal(random, limit, tells),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(limit.kind === 'window' && tells === undefined && random.happens(0.15) ? { known: true } : {}),
    ...(random.happens(0.2) ? { outage: drawOutage(random, forMs) } : {}),
    ...(random.happens(0.15) ? { failsEvery: random.pick([7, 20, 50]) } : {}),
    latencyMs: random.pick([5, 20, 20, 50, 100, 300]),
    concurrency: random.pick([1, 2, 4, 8, 8, 16, 32]),
    ...(random.happens(0.08) ? { maxRequests: random.whole(1, 100) } : {}),
    forMs,
  };
}

const rates = [0.5, 1, 2, 5, 10, 20, 50, 100];

function drawLimit(random: Random): LimitKind {
  const perSecond = random.pick(rates);
  const perMs = random.pick([1000, 1000, 2000, 5000, 10_000, 60_000]);
  const requests = Math.min(400, Math.max(1, Math.round((perSecond * perMs) / 1000)));
  switch (random.pick(['window', 'window', 'sliding', 'bucket', 'bucket', 'queue', 'inFlight', 'quota'] as const)) {
    case 'window':
      return { kind: 'window', requests, perMs };
    case 'sliding':
      return { kind: 'sliding', requests, perMs };
    case 'bucket':
      return { kind: 'bucket', perSecond, burst: random.pick([1, 5, 20, 50, 100]) };
    case 'queue':
      return { kind: 'queue', perSecond, burst: random.pick([0, 1, 4, 10, 20]) };
    case 'inFlight':
      return { kind: 'inFlight', most: random.whole(1, 12), takesMs: random.pick([20, 50, 100, 500]) };
    default:
      return { kind: 'quota', requests: random.whole(10, 200), perMs: random.pick([60_000, 200_000, 600_000, 3_600_000, 86_400_000]) };
  }
}

/** Long enough for a few hundred requests. */
function durationOf(limit: LimitKind, random: Random): number {
  if (limit.kind === 'quota') return Math.min(7_200_000, 2.5 * limit.perMs);
  const perSecond =
    'perSecond' in limit
      ? limit.perSecond
      : 'requests' in limit
        ? (1000 * limit.requests) / limit.perMs
        : (1000 * limit.most) / limit.takesMs;
  const periodMs = 'perMs' in limit ? limit.perMs : 1000;
  return Math.round(Math.min(1_800_000, Math.max(30_000, 4 * periodMs, (random.whole(200, 600) / perSecond) * 1000)));
}

function drawTelling(random: Random, { kind }: LimitKind): LimitWorld['tells'] {
  const withReset = tellings.slice(0, tellings.indexOf('remainingOnly'));
  switch (kind) {
    case 'window':
      return random.pick([...withReset, ...withReset, 'remainingOnly', 'interval', 'policy', 'alwaysFull', 'alwaysEmpty'] as const);
    case 'quota':
      return random.pick(withReset);
    case 'sliding':
      return random.pick(['interval', 'policy', 'remainingOnly'] as const);
    case 'bucket':
      return random.pick(['alwaysFull', 'alwaysEmpty'] as const);
    default:
      return undefined;
  }
}

function drawRefusal(random: Random, { kind }: LimitKind, tells: LimitWorld['tells']): LimitWorld['refuses'] {
  const isWindow = kind === 'window' || kind === 'quota';
  const saysNoneLeft = isWindow && tells !== undefined && tellings.indexOf(tells) <= tellings.indexOf('remainingOnly') && tells !== 'own';
  return random.pick([
    '429',
    '429',
    '429',
    '403 by a rule',
    '200 with an error',
    '503',
    ...(saysNoneLeft ? (['403', '403'] as const) : []),
    ...(kind === 'quota' ? (['quota by a rule'] as const) : []),
  ]);
}

function drawOutage(random: Random, forMs: number): NonNullable<LimitWorld['outage']> {
  return {
    fromMs: Math.floor(forMs * random.next()),
    forMs: random.pick([1000, 10_000, 60_000, 300_000]),
    as: random.pick(['reset', 500, 503] as const),
  };
}
