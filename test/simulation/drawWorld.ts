import { hashOf, Random } from './Random.ts';
import {
  failures,
  flowPagings,
  isThin,
  pagings,
  splits,
  wrongPages,
  type Fate,
  type LifeStep,
  type Mishap,
  type Run,
  type World,
  type WorldOperation,
  type WorldStage,
} from './World.ts';

/** The world of a seed. */
export function drawWorld(seed: number): World {
  const random = new Random(seed);
  const stages = drawStages(random).map((stage, at) => withUntil(seed, stage, at));
  const isCalm = random.happens(0.4);
  const drawn = stages.map((stage) => drawOperation(random, stage, isCalm));
  const operations = hashOf(seed, 'large') % 8 === 0 ? drawn : withFewRows(stages, drawn);
  const life = drawLife(random);
  return {
    seed,
    operations,
    stages,
    ...(random.happens(0.25) ? { limit: { perSecond: random.whole(3, 30), told: random.happens(0.5) } } : {}),
    ...(!isCalm && random.happens(0.2)
      ? { outage: { fromMs: random.whole(0, 2000), forMs: random.whole(100, 400_000), as: random.pick(['reset', 503] as const) } }
      : {}),
    ...(random.happens(0.25) ? { store: true } : {}),
    ...(random.happens(0.1) ? { windows: true } : {}),
    ...(random.happens(0.15) ? { slowDisk: true } : {}),
    life,
  };
}

/** One operation for each stage. */
function drawStages(random: Random): WorldStage[] {
  const count = random.pick([1, 1, 2, 2, 2, 3, 3, 4]);
  return Array.from({ length: count }, (_, at) => {
    const isRoot = at === 0 || random.happens(0.15);
    const { limit, ...stage }: WorldStage = {
      operation: at,
      ...(isRoot ? { queries: random.whole(1, 3) } : { each: random.whole(0, at - 1), from: random.pick(['id', 'id', 'group'] as const) }),
      ...(random.happens(0.12) ? { pages: random.whole(1, 3) } : {}),
      ...(random.happens(0.08) ? { limit: random.whole(1, 12) } : {}),
      ...drawWay(random, at === 0),
      ...(random.happens(0.4) ? { gone: 'drop' as const } : {}),
      ...(random.happens(0.4) ? { csv: true } : {}),
      ...(random.happens(0.3) ? { by: true } : {}),
      ...(random.happens(0.2) ? { expect: true } : {}),
    };
    return limit === undefined || stage.since === true || stage.split !== undefined ? stage : { ...stage, limit }; // a stage has one of them
  });
}

/** Some stages look for a row. Drawn apart, so that the other worlds stay as they are. */
function withUntil(seed: number, stage: WorldStage, at: number): WorldStage {
  const { split, since } = stage;
  if (split !== undefined || since !== undefined || hashOf(seed, 'until', at) % 4 > 0) return stage;
  return { ...stage, until: hashOf(seed, 'rank', at) % 6 };
}

/** What else a stage does with its queries. */
function drawWay(random: Random, isRoot: boolean): Pick<WorldStage, 'split' | 'since'> {
  // Only a stage with queries of its own can cover an area. That takes some dozens of requests.
  if (random.happens(0.14)) return { split: random.pick(isRoot && random.happens(0.5) ? splits : splits.slice(0, -1)) };
  return random.happens(0.3) ? { since: true } : {};
}

function drawOperation(random: Random, { each, split, since, limit }: WorldStage, isCalm: boolean): WorldOperation {
  const isChild = each !== undefined;
  if (!isCalm && !split && !since && random.happens(0.06)) return drawThin(random);
  const claims = !split && random.happens(0.45) ? (random.happens(0.85) ? 0 : random.whole(1, 9)) : undefined;
  const kinds = claims === 0 ? [...failures, ...wrongPages, ...wrongPages, 'shortPage' as const, 'shortPage' as const] : failures;
  const mishaps = isCalm ? [] : Array.from({ length: random.whole(0, 3) }, () => drawMishap(random, kinds));
  // Most worlds are small: more of them find more.
  const isLarge = random.happens(0.1);
  const size = random.whole(1, isLarge ? 10 : 4);
  return {
    paging: random.pick(flowPagings),
    size,
    rows: random.whole(0, isLarge ? 20 : isChild ? 4 : 8),
    ...(random.happens(0.5) ? { ties: random.whole(2, 4) } : {}),
    ...(claims === undefined ? {} : { claims }),
    ...(mishaps.length === 0 ? {} : { mishaps }),
    ...(split === undefined ? {} : { cap: random.whole(3, 12), ...drawRows(random, split, limit) }),
    ...(since ? { dated: true } : {}),
  };
}

/** Most worlds have few rows, so that more of them run in a minute. A stage that others hang from brings fewest. */
function withFewRows(stages: readonly WorldStage[], operations: readonly WorldOperation[]): WorldOperation[] {
  const queries: number[] = [];
  const expected: number[] = [];
  return operations.map((operation, at) => {
    const { each, queries: own = 0 } = stages[at]!;
    queries[at] = each === undefined ? own : expected[each]!;
    const hasChildren = stages.some((stage) => stage.each === at);
    const few = Math.min(operation.rows, Math.max(2, Math.round((2 * (hasChildren ? 3 : 8)) / queries[at])));
    // Among few rows no page is thin.
    const rows = isThin(operation) && !hasChildren ? operation.rows : few;
    expected[at] = (queries[at] * rows) / 2;
    // Among few rows most may come from beyond a view, which then seems not to be heeded.
    return { ...operation, rows, ...(operation.beyond !== undefined && rows < 12 ? { beyond: undefined } : {}) };
  });
}

/** What the rows of a split stage have. More of them are in reach than a query returns. */
function drawRows(random: Random, split: WorldStage['split'], limit: number | undefined): Partial<WorldOperation> {
  if (split === 'area') {
    const [rows, cap] = [random.whole(0, 24), random.whole(3, 12)];
    return { has: 'place', rows, cap, ...drawView(random, limit, cap) };
  }
  if (split !== 'range') return {};
  return { has: 'price', rows: random.whole(0, 24), ...(random.happens(0.4) ? { sorted: true } : {}) };
}

/** A limit or a cap may end a search after more rows from beyond its view than from within. Then it seems not to heed its view. */
function drawView(random: Random, limit: number | undefined, cap: number): Pick<WorldOperation, 'ellipse' | 'beyond'> {
  const rows = Math.min(Math.floor(cap / 4), random.happens(0.4) ? random.whole(1, 4) : 0);
  const beyond = rows === 0 || limit !== undefined ? {} : { beyond: rows };
  return random.happens(0.4) ? { ellipse: true, ...beyond } : beyond;
}

/** Some of its pages lack rows, and no number says so. */
function drawThin(random: Random): WorldOperation {
  const mishaps = [{ ...drawMishap(random, ['shortPage', 'shortPage', 'emptyPage']), every: random.whole(1, 2) }];
  return { paging: random.pick(pagings), size: random.whole(5, 7), rows: random.whole(12, 24), mishaps };
}

function drawMishap(random: Random, kinds: readonly Mishap['as'][]): Mishap {
  const often = { every: random.whole(1, 5), nth: random.whole(1, 4), times: random.pick([1, 1, 1, 2, 3, 1000]) };
  // What goes wrong only later meets an update of a run in which all was well.
  return { as: random.pick(kinds), ...often, ...(random.happens(0.3) ? { day: 1, nth: random.whole(1, 2) } : {}) };
}

function drawLife(random: Random): LifeStep[] {
  const life: LifeStep[] = [];
  // Somebody sees a mistake in the command, and ends it at once.
  if (random.happens(0.1)) life.push({ ...drawRun(random), fate: { kind: 'kill', at: random.whole(1, soon.disk), on: 'disk' } });
  // Half of all folders are finished first: only then an update, or a run of failures, has something to do.
  if (random.happens(0.5)) life.push({ ...drawRun(random), fate: { kind: 'end' } });
  const runs = random.pick([1, 2, 2, 3, 3, 4]);
  for (let at = 0; at < runs; at++) {
    if (random.happens(0.12)) life.push({ kind: 'clock', ms: random.pick([-86_400_000, -5000, 5000, 3_600_000, 40 * 86_400_000]) });
    if (random.happens(0.1)) life.push({ kind: 'edit' });
    const run = drawRun(random);
    // Most updates are for days on which something has changed.
    if (random.happens(run.update ? 0.65 : 0.35)) life.push({ kind: 'day' });
    life.push(run);
  }
  return life;
}

function drawRun(random: Random): Run {
  const isFirst = random.happens(0.5);
  const fate = drawFate(random);
  const failures = random.happens(0.2);
  const update = random.happens(isFirst ? 0.25 : 0.6);
  return {
    kind: 'run',
    fate,
    ...(update ? { update } : failures ? { failures } : {}),
    ...(random.happens(0.12) ? { maxRequests: random.whole(1, 30) } : {}),
    concurrency: random.pick([1, 2, 4, 32]),
    inFlight: random.pick([1, 2, 4, 8]),
    commitMs: random.pick([0, 1, 20, 100, 1000]),
    ...(random.happens(0.08) ? { rival: random.whole(1, 10) } : {}),
    ...(random.happens(0.08) ? { dayAt: random.whole(1, 12) } : {}),
  };
}

const soon = { disk: 20, name: 10, end: 10, request: 4 } as const;
/** No run has so many requests, so the power goes when nothing runs. */
const afterAll = 100_000;

function drawFate(random: Random): Fate {
  const chance = random.next();
  const on = random.pick(['disk', 'name', 'end', 'end', 'request'] as const);
  // What goes wrong soon after the start goes wrong again where the process is started again.
  const isSoon = random.happens(0.3);
  const at = random.whole(
    1,
    isSoon ? soon[on] : { disk: random.pick([30, 60, 120]), name: 40, end: random.pick([20, 60]), request: 30 }[on],
  );
  if (chance < 0.22) return { kind: 'end' };
  if (chance < 0.4) return { kind: 'kill', at, on };
  if (chance < 0.64) return { kind: 'power', at, on };
  if (chance < 0.72) return { kind: 'power', at: afterAll, on: 'request' };
  if (chance < 0.85) return { kind: 'stop', at, on };
  return { kind: chance < 0.93 ? 'full' : 'broken', at, on: on === 'request' ? 'disk' : on };
}
