import type { Flow, FlowStage } from '../definition/Flow.ts';
import { SeedReader } from '../seeds/SeedQueue.ts';
import { DigestSet } from '../core/Dedup.ts';
import { bindQueries } from '../query/bindQueries.ts';
import { digestOf, queryKey } from '../core/Query.ts';

const batch = 1000;

/** The number of different queries of each root stage. undefined for standard input, which can be read only once. */
export async function countRoots(flow: Flow): Promise<ReadonlyMap<string, number | undefined>> {
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
