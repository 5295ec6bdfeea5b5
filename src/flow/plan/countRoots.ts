import type { Flow } from '../definition/Flow.ts';
import { SeedReader } from '../seeds/SeedReader.ts';
import { DigestSet } from '../state/DigestSet.ts';
import { digestOf } from '../query/digestOf.ts';
import { queryKey } from '../query/queryKey.ts';

const batch = 1000;

/** The number of different queries of each root stage. undefined for standard input, which can be read only once. */
export async function countRoots(flow: Flow): Promise<ReadonlyMap<string, number | undefined>> {
  const counts = new Map<string, number | undefined>();
  for (const stage of flow.stages.filter(({ depth }) => depth === 0)) {
    if (stage.seeds === '-') {
      counts.set(stage.name, undefined);
      continue;
    }
    const known = new DigestSet();
    const reader = new SeedReader(stage, { position: 0, crc: 0, ended: false });
    for (let ended = false; !ended;) {
      const next = await reader.next(batch);
      for (const { params, tile } of next.found) known.add(digestOf(queryKey(stage, params) + (tile?.area ?? '')));
      ended = next.ended;
    }
    counts.set(stage.name, known.size);
  }
  return counts;
}
