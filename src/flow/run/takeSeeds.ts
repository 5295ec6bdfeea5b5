import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import type { SeedBatch } from '../seeds/SeedQueue.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { addedQueries, inJournal } from './addedQueries.ts';

/** Stores how far the seeds were read and the new queries. Returns the new queries. */
export function takeSeeds(
  flow: Flow,
  store: FlowStore,
  stage: FlowStage,
  { position, crc, ended, unused, found }: SeedBatch,
  atOnce: number,
): readonly StageQuery[] {
  const isCover = stage.split?.kind === 'area';
  const seeds = isCover ? found.map((one) => ({ ...one, tile: { ...one.tile, atOnce } })) : found;
  const added = addedQueries(flow, store, seeds);
  const areas = isCover ? added.found : undefined;
  return store.take({
    kind: 'seeds',
    stage: stage.index,
    position,
    crc,
    ended: ended ? true : undefined,
    unused: unused === 0 ? undefined : unused,
    areas,
    found: areas === undefined ? (added.found ?? []) : inJournal(flow, store.state.startAreas(stage, areas)),
    unchanged: added.unchanged,
  });
}
