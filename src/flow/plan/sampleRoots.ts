import { firstValueFrom } from 'rxjs';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { SeedReader } from '../seeds/SeedQueue.ts';
import { moveWalk } from '../../../operators/walk/Walk.ts';
import { type FlowClient, pageOf } from '../run/FlowClient.ts';
import type { PickTiles } from '../../../operators/split/AreaCover.ts';
import { StageCovers, type TilePage } from '../split/StageCovers.ts';
import { digestOf, queryKey, type FoundQuery, type BegunQuery, begun } from '../core/Query.ts';
import { DigestSet } from '../core/Dedup.ts';
import { boundedQueries, stepQuery } from '../core/stepQuery.ts';
import { isTile } from '../split/StageSplit.ts';

/** The cost of one root and everything below it. */
export interface RootSample {
  readonly [stage: string]: { readonly queries: number; readonly requests: number; readonly rows: number } | undefined;
}

/** The most requests for the tiles and narrower queries of a root. Each that is left counts as one request. */
const enough = 100;

/** The sample of one root stage. */
export interface RootsSample {
  readonly stage: string;
  readonly roots: readonly RootSample[];
  /** The number of its roots. */
  readonly of: number;
}

export interface Sample {
  readonly byStage: readonly RootsSample[];
  /** The roots ran whole: nothing in their cost stands for others. */
  readonly isWhole: boolean;
  /** Its requests were used up before it was whole. */
  readonly isCut: boolean;
  /** The cost of the sample itself. */
  readonly requests: number;
}

const atOnce = 8;

/**
 * How many roots of each stage a sample has: at least one of each, and in all about `limit`. Below 1 that is a share, and at least three of
 * each: fewer say too little of the others.
 */
export function sampleSizes(counts: ReadonlyMap<string, number | undefined>, limit: number): ReadonlyMap<string, number> {
  const known = Array.from(counts).filter((entry): entry is [string, number] => entry[1] !== undefined && entry[1] > 0);
  if (limit < 1) return new Map(known.map(([stage, roots]) => [stage, Math.min(roots, Math.max(3, Math.floor(roots * limit)))]));
  let [left, most] = [known.reduce((sum, [, roots]) => sum + roots, 0), Math.max(limit, known.length)];
  const sizes = new Map<string, number>();
  // The smallest first, so that those that get their one at least leave a fair share to the others.
  for (const [stage, roots] of known.sort(([, one], [, other]) => one - other)) {
    const size = Math.min(roots, Math.max(1, Math.round((roots / left) * most)));
    sizes.set(stage, size);
    left -= roots;
    most = Math.max(0, most - size);
  }
  return sizes;
}

/** Runs random roots, the same ones for the same flow, and writes nothing. A failed query counts with the requests it took. */
export async function sampleRoots(
  flow: Flow,
  client: FlowClient,
  counts: ReadonlyMap<string, number | undefined>,
  sizes: ReadonlyMap<string, number>,
  most: number = Infinity,
): Promise<Sample> {
  const before = client.stats().requests;
  const known = new DigestSet();
  const byStage: RootsSample[] = [];
  let isWhole = true;
  const budget = { left: most };
  for (const stage of flow.stages.filter(({ name }) => sizes.has(name))) {
    const of = counts.get(stage.name)!;
    const chosen = await chooseRoots(flow, stage, of, sizes.get(stage.name)!);
    const roots: RootSample[] = [];
    for (let at = 0; at < chosen.length; at += atOnce) {
      for (const { sample, whole } of await Promise.all(
        chosen.slice(at, at + atOnce).map((root) => runRoot(flow, client, root, known, budget)),
      )) {
        roots.push(sample);
        isWhole &&= whole;
      }
    }
    byStage.push({ stage: stage.name, roots, of });
  }
  return { byStage, isWhole, isCut: budget.left < 0, requests: client.stats().requests - before };
}

async function chooseRoots(flow: Flow, stage: FlowStage, of: number, limit: number): Promise<readonly FoundQuery[]> {
  const chosen: FoundQuery[] = [];
  const known = new DigestSet();
  let state = Number.parseInt(flow.digest.slice(0, 8), 16) | 0;
  const random = (): number => {
    // mulberry32: four lines, and good enough for drawing a sample
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const reader = new SeedReader(stage, { position: 0, crc: 0, ended: false }, flow.fileSystem);
  for (let ended = false; !ended && chosen.length < limit;) {
    const batch = await reader.next(1000);
    ended = batch.ended;
    for (const found of batch.found) {
      if (!known.add(digestOf(queryKey(stage, found.params) + (found.tile?.area ?? '')))) continue;
      // Take each with the probability that gives the right number at the end.
      if (random() * (of - known.size + 1) < limit - chosen.length) chosen.push(found);
    }
  }
  await reader.close();
  return chosen;
}

async function runRoot(
  flow: Flow,
  client: FlowClient,
  root: FoundQuery,
  known: DigestSet,
  budget: { left: number },
): Promise<{ readonly sample: RootSample; /** Nothing stands for others. */ readonly whole: boolean }> {
  const sample = Object.create(null) as { [stage: string]: { queries: number; requests: number; rows: number } }; // a stage may be called constructor
  const waiting: { readonly query: BegunQuery; readonly stands: number; readonly level: number }[] = [];
  /** `stands`: how many queries like it this one stands for. */
  const add = (found: FoundQuery, stands: number, level: number): void => {
    if (found.tile === undefined && !known.add(digestOf(queryKey(flow.byName.get(found.stage)!, found.params)))) return;
    const stage = flow.byName.get(found.stage)!;
    const counts = (sample[found.stage] ??= { queries: 0, requests: 0, rows: 0 });
    for (const query of boundedQueries(stage, found)) {
      counts.queries += stands;
      waiting.push({ query: begun(stage, { ...query, is: 'waiting', number: 0, parent: undefined }), stands, level });
    }
  };
  const covers = new StageCovers(pickTiles);
  let [narrowed, whole] = [0, true];
  const start = flow.byName.get(root.stage)!;
  const tiles = (stage: FlowStage): void => {
    for (const due of covers.due(stage)) {
      if (!isTile(due.tile)) continue;
      covers.opened(stage, due.tile.number);
      add(due, due.tile.stands ?? 1, 0);
    }
  };
  if (start.split?.kind === 'area') {
    covers.start(start, root);
    tiles(start);
  } else add(root, 1, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { query, stands, level } = next;
    const stage = flow.byName.get(query.stage)!;
    const cover = (page: TilePage): void => {
      covers.take(stage, query, page);
      tiles(stage);
    };
    const counts = sample[query.stage]!;
    counts.requests += stands;
    whole &&= stands === 1;
    if ((query.tile !== undefined && query.tile.range === undefined) || level > 0) narrowed += 1;
    budget.left -= 1;
    if (narrowed > enough || budget.left < 0) {
      whole = false;
      continue;
    }
    try {
      const page = await firstValueFrom(pageOf(flow, client, query));
      const step = stepQuery(flow, query, page);
      const narrower = step.found.filter(({ stage }) => stage === query.stage);
      for (const { key, found } of step.rows) {
        if (key !== undefined && !known.add(digestOf(`${stage.name} ${key}`))) continue; // another tile or query has it, too
        counts.rows += stands;
        for (const each of found) add(each, stands, 0);
      }
      for (const each of step.found) if (each.stage !== query.stage) add(each, stands, 0);
      // one or two of the narrower queries stand for all of them: on average this gives the size of the whole tree
      const tried = narrower.length <= 2 ? narrower : someOf(narrower, level < 2 ? 2 : 1, query.number + level);
      // every piece of a range is needed to know how wide the next one is
      for (const each of tried) add(each, (stands * narrower.length) / tried.length, each.tile?.range === undefined ? level + 1 : level);
      if (step.tile !== undefined) cover({ ...step.tile, over: step.move === undefined ? 'done' : undefined });
      if (step.move !== undefined) {
        const walk = moveWalk(stage.operation.spec, query.walk, step.move, stage.walk);
        waiting.push({ query: { ...query, walk }, stands, level });
      }
    } catch (error) {
      if (isFatal(error)) throw error;
      if (stage.split?.kind === 'area') cover({ spots: [], rows: 0, over: 'failed' });
    }
  }
  for (const counts of Object.values(sample)) {
    counts.queries = Math.round(counts.queries);
    counts.requests = Math.round(counts.requests);
    counts.rows = Math.round(counts.rows);
  }
  return { sample, whole };
}

/** One or two of the tiles that a tile is split into stand for all of them. */
const pickTiles: PickTiles = (tiles) => {
  const [{ stands = 1, zoom } = { zoom: 0 }] = tiles;
  const tried = tiles.length <= 2 ? tiles : someOf(tiles, stands < 4 ? 2 : 1, zoom);
  return tried.map((tile) => ({ ...tile, stands: (stands * tiles.length) / tried.length }));
};

/** Picks this many of a list. Another seed picks other ones. */
function someOf<T>(list: readonly T[], count: number, seed: number): T[] {
  return Array.from({ length: count }, (_, index) => list[(seed + Math.floor((index * list.length) / count)) % list.length]!);
}

/** Errors that every other request would fail with too. */
function isFatal(error: unknown): boolean {
  return error instanceof Error && ['AuthError', 'BudgetError', 'FlowError'].includes(error.name);
}

/** An estimate and its 95 % confidence interval. */
export interface Expected {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Student's t for 95 %, by degrees of freedom from 1 on. */
const student = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1, 2.09, 2.09];

/** Estimates the sum over `of` roots from some of them, within the possible range. `isWhole`: nothing in them is an estimate itself. */
export function expect(values: readonly number[], of: number, atLeast: number, atMost: number, isWhole = true): Expected {
  const within = (value: number): number => Math.min(Math.max(value, atLeast), atMost);
  const n = values.length;
  if (n === 0) return { mean: within(0), low: atLeast, high: atMost };
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === of) return isWhole ? { mean: mean * n, low: mean * n, high: mean * n } : { mean: within(mean * n), low: atLeast, high: atMost };
  if (n === 1) return { mean: within(mean * of), low: within(Math.max(mean, atLeast)), high: atMost };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const t = student[n - 2] ?? 2;
  // A sample that is a large part of the whole leaves less to chance.
  const half = t * Math.sqrt((variance / n) * ((of - n) / (of - 1))) * of;
  return { mean: within(mean * of), low: within(mean * of - half), high: within(mean * of + half) };
}

/** The estimate of a sum of independent estimates, within the possible range. */
export function sumOf(parts: readonly Expected[], atLeast: number, atMost: number): Expected {
  const within = (value: number): number => Math.min(Math.max(value, atLeast), atMost);
  const sum = (of: (part: Expected) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const mean = sum((part) => part.mean);
  const half = (of: (part: Expected) => number): number => Math.sqrt(sum((part) => of(part) ** 2));
  return {
    mean: within(mean),
    low: within(mean - half((part) => part.mean - part.low)),
    high: within(mean + half((part) => part.high - part.mean)),
  };
}
