import { lastValueFrom } from 'rxjs';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { nodeFileSystem } from '../../src/sinks/index.ts';
import { failingDisk } from './failingDisk.mjs';

export interface Whole {
  /** Each operation of the disk, as its kind and its file. */
  readonly done: readonly string[];
  readonly ms: number;
}

/** Runs a flow as crashChild.mjs does, in this process, and nobody kills it. */
export async function runWhole(
  flow: FlowDefinition,
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  outDir: string,
  update: boolean = false,
): Promise<Whole> {
  const { fileSystem, done } = failingDisk(nodeFileSystem);
  await using client = createClient({ baseUrl: url, apiKey });
  const started = performance.now();
  await lastValueFrom(runFlow(flow, { client, outDir, fileSystem, concurrency: 2, commitMs: 2, update }));
  return { done, ms: performance.now() - started };
}
