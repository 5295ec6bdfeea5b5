import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedReader.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { Unit } from '../unit/Unit.ts';
import { foundAnew } from './takePage.ts';

/** Takes seeds into the store: how far they were read, and the units that are new. Gives these. */
export function takeSeeds(flow: Flow, store: FlowStore, stage: FlowStage, { position, crc, ended, found }: SeedBatch): readonly Unit[] {
  const index = flow.stages.indexOf(stage);
  return store.take({
    kind: 'seeds',
    stage: index,
    position,
    crc,
    ...(ended ? { ended } : {}),
    found: foundAnew(flow, store, found),
  });
}
