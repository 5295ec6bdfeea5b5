import { existsSync } from 'node:fs';
import { createServiceClient } from '../../client/createServiceClient.ts';
import { openStore } from '../../store/index.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import { storeOptionsOf } from '../definition/storeOptionsOf.ts';
import { sampleRoots } from './sampleRoots.ts';

/**
 * Runs a whole flow on stored responses, without a request, and writes nothing. It counts the requests that are already paid
 * for, and the missing ones that it meets. What would follow those isn't known. undefined if there is no store yet.
 */
export async function countStored(
  flow: Flow,
  named: NonNullable<FlowDefinition['store']>,
  roots: ReadonlyMap<string, number | undefined>,
): Promise<{ readonly paid: number; readonly missing: number } | undefined> {
  const { folder, maxAgeMs } = storeOptionsOf(flow, named);
  if (!existsSync(folder)) return undefined;
  await using store = openStore(folder, { mode: 'replay', maxAgeMs });
  await using client = createServiceClient(flow.service, { store });
  const sample = await sampleRoots(flow, client, roots, Infinity);
  const tried = sample.roots.flatMap((root) => Object.values(root)).reduce((sum, stage) => sum + (stage?.requests ?? 0), 0);
  const { hits } = client.stats();
  return { paid: hits, missing: tried - hits };
}
