import { destinationTable } from '../load/destinationTable.ts';
import { destinationNamed, type Destinations } from '../load/RunLoads.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import { storeOptionsOf } from '../run/FlowClient.ts';
import { boundStages } from './boundStages.ts';
import type { FlowPlan, PlanStage, Range } from './FlowPlan.ts';
import { countOf, sampledOf } from '../report/format.ts';
import { sampleRoots, type Sample, expect } from './sampleRoots.ts';
import { pathExists } from '../../files/blocks.ts';
import { createServiceClient } from '../../client/createServiceClient.ts';
import type { ResponseStore } from '../../contract/index.ts';
import { openStore } from '../../store/index.ts';
import { SeedReader } from '../seeds/SeedQueue.ts';
import { DigestSet } from '../core/DigestSet.ts';
import { bindQueries } from '../query/bindQueries.ts';
import { digestOf, queryKey } from '../core/Query.ts';
import type { PlanFlowOptions } from './PlanFlowOptions.ts';

/** The plan of a flow whose options are checked. */
export async function makePlan(flow: Flow, options: PlanFlowOptions & { readonly sample: number }): Promise<FlowPlan> {
  const { price, sample, client, destinations } = options;
  if (destinations !== undefined) await checkDestinations(flow, destinations);

  const roots = await countRoots(flow);
  const bounds = boundStages(flow, roots);
  const sampled = sample === 0 || client === undefined ? undefined : await sampleRoots(flow, client, roots, sample);
  const stages = sampled === undefined ? bounds : extrapolate(bounds, sampled);
  const { store = flow.definition.store, baseUrl = process.env['TRAWLER_BASE_URL'] } = options;
  const found = store === undefined ? undefined : await countStored(flow, store, roots, baseUrl || undefined);
  const sum = (key: 'atLeast' | 'atMost'): number => stages.reduce((total, stage) => total + stage.requests[key], 0);
  const budget = flow.maxRequests;
  const requests: Range = {
    atLeast: Math.min(sum('atLeast'), budget),
    atMost: Math.min(sum('atMost'), budget),
    ...(sampled === undefined ? {} : { expected: sampled.total(sum('atLeast'), Math.min(sum('atMost'), budget)) }),
  };
  const none = { paid: 0, missing: requests.atLeast };
  return {
    name: flow.name,
    stages: price === undefined ? stages : stages.map((stage): PlanStage => ({ ...stage, price: times(stage.requests, price) })),
    requests,
    ...(store === undefined ? {} : { stored: found ?? none }),
    ...(price === undefined ? {} : { price: times(requests, price) }),
    ...(sampled === undefined ? {} : { sampled: { roots: sampled.roots.length, of: sampled.of, requests: sampled.requests } }),
  };
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

/** Adds to the bounds what the sampled roots let expect. */
function extrapolate(stages: readonly PlanStage[], sample: Sample): readonly PlanStage[] {
  return stages.map((stage) => {
    const of = (key: 'queries' | 'requests' | 'rows'): PlanStage['queries'] => ({
      ...stage[key],
      expected: expect(
        sample.roots.map((root) => root[stage.name]?.[key] ?? 0),
        sample.of,
        stage[key].atLeast,
        stage[key].atMost,
        sample.isWhole,
      ),
    });
    const shared = sample.of === 1 ? '' : '; what several of them share makes it less';
    const why = `expected from ${sampledOf(sample.roots.length, sample.of)}${shared}`;
    const rows = sample.roots.reduce((sum, root) => sum + stage.each.reduce((all, parent) => all + (root[parent]?.rows ?? 0), 0), 0);
    const queries = sample.roots.reduce((sum, root) => sum + (root[stage.name]?.queries ?? 0), 0);
    const unused = rows > 0 && queries === 0 ? [`no query came out of the ${countOf(rows, 'row')} of the sample`] : [];
    return { ...stage, queries: of('queries'), requests: of('requests'), rows: of('rows'), why: [...stage.why, why, ...unused] };
  });
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
  const sample = await sampleRoots(flow, client, roots, Infinity);
  const tried = sample.roots.flatMap((root) => Object.values(root)).reduce((sum, stage) => sum + (stage?.requests ?? 0), 0);
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
