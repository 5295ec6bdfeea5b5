import { join } from 'node:path';
import { parsedJson } from '../../../operators/kit/parsedJson.ts';
import { pathExists, readAll } from '../../files/blocks.ts';
import { ownFolder } from '../../files/takeWatchedLock.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import type { FlowView } from '../core/FlowState.ts';
import type { FirstQueries } from './FlowPlan.ts';
import { SeedReader } from '../seeds/SeedQueue.ts';
import { DigestSet, queryDigest } from '../core/Dedup.ts';
import { bindQueries } from '../query/bindQueries.ts';
import { queryKey } from '../core/Query.ts';

/** What the last run of only the first queries has taken. */
const firstFile = join(ownFolder, 'first.json');

/**
 * Keeps what a run of the first queries has taken. How many there are in all isn't known of standard input, nor of seeds that can't be
 * read to their end.
 */
export async function keepFirst(flow: Flow, { state, history, folder }: RunStorage): Promise<FirstQueries> {
  const counts = await countRoots(flow).then(
    (found) => [...found.values()],
    () => [undefined],
  );
  const queries = flow.stages.filter(({ parents }) => parents.length === 0).reduce((sum, stage) => sum + takenOf(stage, state), 0);
  const { requests } = history;
  if (counts.includes(undefined)) return { queries, requests };
  const of = counts.reduce<number>((sum, count) => sum + count!, 0);
  const first = { queries, of, requests, all: Math.ceil((requests * of) / Math.max(1, queries)) };
  await folder.replace(firstFile, [JSON.stringify({ digest: flow.digest, ...first })]);
  return first;
}

/** How many first queries were taken. The counts of a stage that divides queries have the narrower ones instead. */
function takenOf({ name, split }: FlowStage, { queries, seeds }: FlowView): number {
  const { done, waiting, failed } = queries.counts.get(name)!;
  return split === undefined ? done + waiting + failed : seeds.get(name)!.position;
}

/** What a run of the first queries of this very flow has taken in a folder. undefined: there was none. */
export function readFirst({ digest, fileSystem }: Flow, outDir: string): FirstQueries | undefined {
  const path = join(outDir, firstFile);
  if (!pathExists(path, fileSystem)) return undefined;
  const { digest: of, ...first } = parsedJson(readAll(path, fileSystem).toString()) as FirstQueries & { readonly digest: string };
  return of === digest ? first : undefined;
}

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
      for (const { params, tile } of next.found) known.add(queryDigest(stage, params, tile));
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
