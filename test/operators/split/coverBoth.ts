import { lastValueFrom, of, tap } from 'rxjs';
import {
  coverArea,
  type PageFactory,
  type PageLike,
  type OffsetPaging,
  type SplitSummary,
  type WalkEvent,
} from '../../../operators/index.ts';
import { runFlow, type FlowProgress, type FlowSummary } from '../../../src/flow/index.ts';
import { mapsSearch } from '../../../src/search/operations/mapsSearch.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';
import { fakeClient } from '../../flow/fakeClient.ts';
import type { MapWorld, Spot } from './mapWorld.ts';

interface MapQuery {
  readonly query: string;
  readonly ll?: string;
  readonly page?: number;
}

/** What covering an area came to. */
export interface Coverage {
  /** The ids found, sorted. */
  readonly ids: readonly string[];
  readonly requests: readonly string[];
  /** Tiles or queries that hold more than was found. */
  readonly full: number;
  /** What was told. */
  readonly events: readonly string[];
  readonly error?: unknown;
  readonly outcome?: string;
}

export interface CoverOptions {
  readonly concurrency?: number;
  readonly zoom?: readonly [number, number];
  /** The service has no more requests. */
  readonly most?: number;
  /** An update follows, of this world, which drops what is gone. */
  readonly update?: MapWorld;
}

const pageSize = 20;
const pageOf = (world: MapWorld, { ll, page = 0 }: MapQuery): readonly Spot[] => world.search(ll!).slice(page, page + pageSize);

/** Covers the area of a world with `coverArea`. */
export async function coverInPipe(world: MapWorld, { most = Infinity, ...options }: CoverOptions = {}): Promise<Coverage> {
  const requests: string[] = [];
  const events: string[] = [];
  const ids: string[] = [];
  let summary: SplitSummary<MapQuery> | undefined;
  const factory = Object.assign(
    (query: MapQuery) => {
      if (requests.length >= most) throw new RangeError('too many requests');
      requests.push(`${query.ll} ${query.page ?? 0}`);
      const items = pageOf(world, query);
      return of({ operation: 'mapsSearch', query, data: { search_results: items }, items });
    },
    {
      notify: (event: WalkEvent) => void ('message' in event && event.message !== undefined && events.push(event.message)),
      paging: mapsSearch.spec.paging,
      id: mapsSearch.spec.id,
      splits: mapsSearch.spec.splits,
    },
  ) as unknown as PageFactory<MapQuery, PageLike, OffsetPaging>;
  const pages = coverArea(factory, { within: world.within, query: 'coffee', summary: { next: (each) => (summary = each) }, ...options });
  let error: unknown;
  try {
    await lastValueFrom(pages.pipe(tap(({ items }) => ids.push(...items.map((row) => (row as Spot).data_id ?? '')))), {
      defaultValue: undefined,
    });
  } catch (reason) {
    error = reason;
  }
  return { ids: ids.toSorted(), requests, full: summary?.full.length ?? 0, error, events };
}

/** Covers the area of a world with a flow. */
export async function coverInFlow(
  world: MapWorld,
  { most = Infinity, concurrency = 8, zoom, update }: CoverOptions = {},
): Promise<Coverage> {
  let now = world;
  const client = fakeClient(({ query }) => ({ search_results: pageOf(now, query as unknown as MapQuery) }));
  const disk = new MemoryDisk();
  const cover = { within: world.within as never, ...(zoom === undefined ? {} : { zoom }) };
  const gone = update === undefined ? undefined : ('drop' as const);
  const flow = {
    name: 'cover',
    stages: { places: { call: 'mapsSearch', with: { query: 'coffee' }, cover, by: 'data_id', gone, to: 'places.jsonl' } },
  };
  const events: string[] = [];
  const heard = (event: FlowProgress): void => {
    if (event.type === 'notice') events.push(event.message);
    if (event.type === 'summary') events.push(...event.stages.flatMap(({ name, doubts }) => doubts.map((doubt) => `${name}: ${doubt}`)));
  };
  const run = async (isUpdate: boolean): Promise<FlowSummary> => {
    const options = { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk), concurrency, maxRequests: most, update: isUpdate };
    return (await lastValueFrom(runFlow(flow, options).pipe(tap(heard)))) as FlowSummary;
  };
  let summary = await run(false);
  if (update !== undefined) {
    now = update;
    summary = await run(true);
  }
  const text = disk.read('/out/places.jsonl')?.toString() ?? '';
  const rows = text.split('\n').filter((line) => line !== '');
  const [stage] = summary.stages;
  return {
    ids: rows.map((line) => (JSON.parse(line) as Spot).data_id ?? '').toSorted(),
    requests: client.asked.map(({ query }) => `${query['ll']} ${query['page'] ?? 0}`),
    full: stage!.capped,
    events,
    outcome: summary.outcome,
  };
}
