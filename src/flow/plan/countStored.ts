import type { Flow } from '../definition/Flow.ts';
import type { FlowClient } from '../run/FlowClient.ts';
import { sampleRoots } from './sampleRoots.ts';

/**
 * Runs a whole flow on what is stored, through a client that replays, and writes nothing: how many of its requests are paid
 * for, and how many it comes upon that are not. What would follow from those isn't known.
 */
export async function countStored(
  flow: Flow,
  client: FlowClient,
  roots: ReadonlyMap<string, number | undefined>,
): Promise<{ readonly paid: number; readonly missing: number }> {
  const before = client.stats().hits;
  const sample = await sampleRoots(flow, client, roots, Infinity);
  const tried = sample.roots.flatMap((root) => Object.values(root)).reduce((sum, stage) => sum + (stage?.requests ?? 0), 0);
  const paid = client.stats().hits - before;
  return { paid, missing: tried - paid };
}
