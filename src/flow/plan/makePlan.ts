import { bookTo } from '../../client/attachStore.ts';
import { destinationTable, destinationNamed, type Destinations } from '../load/RunLoads.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import { storeOptionsOf } from '../run/FlowClient.ts';
import { boundStages, type QueryBound } from './boundStages.ts';
import type { FlowPlan, PlanStage, Range } from './FlowPlan.ts';
import { countOf, sampledOf } from '../report/format.ts';
import { expect, sampleRoots, sampleSizes, sumOf, type Expected, type RootSample, type RootsSample, type Sample } from './sampleRoots.ts';
import { pathExists } from '../../files/blocks.ts';
import { createServiceClient } from '../../client/createServiceClient.ts';
import type { ResponseStore } from '../../contract/index.ts';
import { openStore } from '../../store/index.ts';
import { SeedReader } from '../seeds/SeedQueue.ts';
import { DigestSet } from '../core/Dedup.ts';
import { bindQueries } from '../query/bindQueries.ts';
import { digestOf, queryKey } from '../core/Query.ts';
import type { PlanFlowOptions } from './PlanFlowOptions.ts';
import { quoteOf } from './quoteOf.ts';

/** The plan of a flow whose options are checked. */
export async function makePlan(
  asWritten: Flow,
  options: PlanFlowOptions & { readonly sample: number; readonly sampleRequests: number },
): Promise<FlowPlan> {
  const flow = asWritten.at(Date.now());
  const { price, sample, sampleRequests, client, destinations } = options;
  if (destinations !== undefined) await checkDestinations(flow, destinations);

  const roots = await countRoots(flow);
  const { stages: bounds, perQuery } = boundStages(flow, roots);
  const sizes = sampleSizes(roots, sample);
  const of = sum(roots.values(), (count) => count ?? 0);
  const drawn = sum(sizes.values(), (size) => size);
  let sampled: Sample | undefined;
  if (sample > 0 && client !== undefined) {
    options.sampling?.({
      roots: drawn,
      of,
      requests: atMost(inAll(boundStages(flow, drawnOf(roots, sizes)).stages, flow), sampleRequests),
    });
    const endBooking = bookTo(client, flow.name);
    sampled = await sampleRoots(flow, client, roots, sizes, sampleRequests).finally(endBooking);
  }
  const stages = sampled === undefined ? bounds : extrapolate(flow, bounds, perQuery, sampled);
  const { store = flow.definition.store, baseUrl = process.env['TRAWLER_BASE_URL'] } = options;
  const found = store === undefined ? undefined : await countStored(flow, store, roots, baseUrl || undefined);
  const bound = inAll(stages, flow);
  const total = sampled && expected(sampled, sampled.byStage, totalOf, bound.atLeast, bound.atMost);
  const requests: Range = total === undefined ? bound : { ...bound, expected: total };
  const none = { paid: 0, missing: requests.atLeast };
  const plan: FlowPlan = {
    name: flow.name,
    stages: price === undefined ? stages : stages.map((stage): PlanStage => ({ ...stage, price: times(stage.requests, price) })),
    requests,
    ...(store === undefined ? {} : { stored: found ?? none }),
    ...(price === undefined ? {} : { price: times(requests, price) }),
    ...(sampled === undefined
      ? {}
      : { sampled: { roots: drawn, of, requests: sampled.requests, ...(sampled.isCut ? { cut: true } : {}) } }),
  };
  if (sampled === undefined) return plan;
  const quote = quoteOf(flow, plan);
  return { ...plan, quote: typeof quote === 'string' ? { because: quote } : quote };
}

function times({ atLeast, atMost, expected }: Range, price: number): Range {
  const product = (count: number): number => (price === 0 ? 0 : count * price);
  return {
    atLeast: product(atLeast),
    atMost: product(atMost),
    ...(expected === undefined
      ? {}
      : { expected: { mean: product(expected.mean), low: product(expected.low), high: product(expected.high) } }),
  };
}

function sum<T>(values: Iterable<T>, of: (value: T) => number): number {
  let total = 0;
  for (const value of values) total += of(value);
  return total;
}

/** The roots of a sample. Standard input isn't sampled. */
function drawnOf(roots: ReadonlyMap<string, unknown>, sizes: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map(Array.from(roots.keys(), (name) => [name, sizes.get(name) ?? 0]));
}

/** The requests of all stages, as far as the flow's own budget lets them. */
function inAll(stages: readonly PlanStage[], { maxRequests }: Flow): { readonly atLeast: number; readonly atMost: number } {
  return {
    atLeast: Math.min(
      sum(stages, ({ requests }) => requests.atLeast),
      maxRequests,
    ),
    atMost: Math.min(
      sum(stages, ({ requests }) => requests.atMost),
      maxRequests,
    ),
  };
}

function atMost(range: { readonly atLeast: number; readonly atMost: number }, most: number): typeof range {
  return { atLeast: Math.min(range.atLeast, most), atMost: Math.min(range.atMost, most) };
}

/** The requests of one root and everything below it. */
function totalOf(root: RootSample): number {
  return sum(Object.values(root), (stage) => stage?.requests ?? 0);
}

/** What these root stages let expect together, each by its own sample. undefined: there are none. */
function expected(
  { isWhole }: Sample,
  from: readonly RootsSample[],
  of: (root: RootSample) => number,
  atLeast: number,
  atMost: number,
): Expected | undefined {
  if (from.length === 0) return undefined;
  const [only] = from;
  if (from.length === 1) return expect(only!.roots.map(of), only!.of, atLeast, atMost, isWhole);
  const parts = from.map(({ roots, of: all }) => expect(roots.map(of), all, 0, atMost, isWhole));
  return sumOf(parts, atLeast, atMost);
}

/** Adds to the bounds what the sampled roots let expect. */
function extrapolate(
  flow: Flow,
  stages: readonly PlanStage[],
  perQuery: ReadonlyMap<string, QueryBound>,
  sample: Sample,
): readonly PlanStage[] {
  return stages.map((stage) => {
    const above = rootsAbove(flow, stage.name);
    const from = sample.byStage.filter(({ stage: root }) => above.has(root));
    const roots = from.flatMap((one) => one.roots);
    const all = sum(from, (one) => one.of);
    const of = (key: 'queries' | 'requests' | 'rows', most: number): Range => {
      const { atLeast, atMost } = stage[key];
      const found = expected(sample, from, (root) => root[stage.name]?.[key] ?? 0, atLeast, Math.min(atMost, most));
      return found === undefined ? stage[key] : { ...stage[key], expected: found };
    };
    const queries = of('queries', Infinity);
    // The queries give no more rows than this, though chance would let it seem so.
    const most = (each: number): number =>
      queries.expected === undefined || queries.expected.high === 0 ? Infinity : queries.expected.high * each;
    const { requests: perRequests, rows: perRows } = perQuery.get(stage.name)!;
    const shared = all === 1 ? '' : '; what several of them share makes it less';
    const why = from.length === 0 ? [] : [`expected from ${sampledOf(roots.length, all)}${shared}`];
    const parents = sum(roots, (root) => sum(stage.each, (parent) => root[parent]?.rows ?? 0));
    const made = sum(roots, (root) => root[stage.name]?.queries ?? 0);
    const unused = parents > 0 && made === 0 ? [`no query came out of the ${countOf(parents, 'row')} of the sample`] : [];
    return {
      ...stage,
      queries,
      requests: of('requests', most(perRequests)),
      rows: of('rows', most(perRows)),
      why: [...stage.why, ...why, ...unused],
    };
  });
}

/** The root stages from which a stage is reached, itself if it is one. */
function rootsAbove(flow: Flow, name: string): ReadonlySet<string> {
  const found = new Set([name]);
  for (const one of found) for (const parent of flow.byName.get(one)!.parents) found.add(parent); // a set takes more while it is walked
  return found;
}

/** Stands for any host but this machine. */
const anyHost = 'https://service.invalid';

/**
 * Runs a whole flow on stored responses, without a request, and writes nothing. It counts the requests that are already paid
 * for, and the missing ones that it meets. What would follow those isn't known. undefined if a run would find nothing.
 * `baseUrl`: where the run would send its requests.
 */
async function countStored(
  flow: Flow,
  named: NonNullable<FlowDefinition['store']>,
  roots: ReadonlyMap<string, number | undefined>,
  baseUrl: string = anyHost,
): Promise<{ readonly paid: number; readonly missing: number } | undefined> {
  const { folder, mode, ...options } = storeOptionsOf(flow, named);
  if (mode === 'record' || !pathExists(folder, flow.fileSystem)) return undefined;
  await using store = openStore(folder, { ...options, mode: 'replay' });
  await using client = createServiceClient(flow.service, { store: mode === 'replay' ? store : asFoundFrom(store, baseUrl) });
  const { byStage } = await sampleRoots(flow, client, roots, sampleSizes(roots, Infinity));
  const tried = sum(byStage, (one) => sum(one.roots, totalOf));
  const { hits } = client.stats();
  return { paid: hits, missing: tried - hits };
}

/** A store that finds what a run finds that sends its requests to `url`. */
function asFoundFrom(store: ResponseStore, url: string): ResponseStore {
  return {
    mode: 'replay',
    folder: store.folder,
    failure: undefined,
    find: (request) => store.find({ ...request, url }),
    has: (request) => store.has({ ...request, url }),
    keep: () => undefined,
    sync: () => Promise.resolve(),
  };
}

const batch = 1000;

/** The number of different queries of each root stage. undefined for standard input, which can be read only once. */
async function countRoots(flow: Flow): Promise<ReadonlyMap<string, number | undefined>> {
  const counts = new Map<string, number | undefined>();
  for (const stage of flow.stages.filter(({ depth }) => depth === 0)) {
    if (stage.seeds === '-') {
      counts.set(stage.name, undefined);
      continue;
    }
    if (stage.seeds === undefined) {
      counts.set(stage.name, countProduct(stage));
      continue;
    }
    const known = new DigestSet();
    const reader = new SeedReader(stage, { position: 0, crc: 0, ended: false }, flow.fileSystem);
    for (let ended = false; !ended;) {
      const next = await reader.next(batch);
      for (const { params, tile } of next.found) known.add(digestOf(queryKey(stage, params) + (tile?.area ?? '')));
      ended = next.ended;
    }
    counts.set(stage.name, known.size);
  }
  return counts;
}

/** The number of different queries of a stage that runs over its constants, without making each of them. */
function countProduct(stage: FlowStage): number {
  const sizes = stage.with.map(([param, values]) => {
    const queries = bindQueries({ ...stage, with: [[param, values]], needs: new Set() }, {});
    return new Set(Array.from(queries, (params) => queryKey(stage, params))).size;
  });
  return sizes.reduce((product, size) => product * size, 1);
}

/** Throws if a table can't take the rows of its stage. Changes nothing. */
async function checkDestinations(flow: Flow, destinations: Destinations): Promise<void> {
  for (const stage of flow.stages)
    for (const target of stage.targets)
      await destinationNamed(destinations, target.scheme).check?.(destinationTable(flow, stage, target, 'a plan'));
}
