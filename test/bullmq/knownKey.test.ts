import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { leadFlow, startWorker } from '../../src/bullmq/index.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { createClient } from '../../src/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { hasRedis, startRedis } from './startRedis.ts';

const words = { call: 'autocomplete', with: { query: ['first', 'forbidden', 'last'] }, by: 'value', to: 'words.jsonl' } as const;
const flow: FlowDefinition = { name: 'known', stages: { words } };

it.skipIf(!hasRedis())('workers of a run whose key has worked take a 403 as that of its query', { timeout: 60_000 }, async () => {
  await using sandbox = await startSandbox({ faults: [{ fault: 'status', status: 403, query: { query: 'forbidden' } }] });
  const out = await mkdtemp(join(tmpdir(), 'trawler-known-'));
  const redis = await startRedis({ persistent: false });
  const newClient = (apiKey = sandbox.apiKey) => createClient({ baseUrl: sandbox.url, apiKey, concurrency: 1 });
  /** Over the queue, with a worker that has seen nothing yet. */
  const lead = async (options: object = {}, apiKey?: string): Promise<unknown> => {
    await using client = newClient(apiKey);
    const worker = await startWorker(flow, { client, queue: redis.url });
    worker.done.catch(() => undefined);
    try {
      return await lastValueFrom(leadFlow(flow, { queue: redis.url, outDir: out, retry: { baseMs: 1 }, concurrency: 1, ...options }));
    } finally {
      await worker.close();
    }
  };
  const run = async (options: object = {}): Promise<unknown> => {
    await using client = newClient();
    return await lastValueFrom(runFlow(flow, { client, outDir: out, concurrency: 1, ...options }));
  };
  const failed = { outcome: 'failed', stages: [{ failed: 1 }] };
  try {
    expect(await lead({ maxRequests: 1 })).toMatchObject({ outcome: 'interrupted', requests: 1 });
    expect(await readFile(join(out, '.trawler/journal.jsonl'), 'utf8')).toMatch(/"key":"[0-9a-f]{8}"/);
    expect(await run({ maxRequests: 1 })).toMatchObject({ outcome: 'interrupted', requests: 1 }); // the key that a worker had
    expect(await lead()).toMatchObject(failed);
    expect(await lead({ failures: true })).toMatchObject(failed);
    expect(await run({ failures: true })).toMatchObject(failed);
    expect(await lead({ failures: true }, 'another')).toMatchObject({
      outcome: 'interrupted',
      because: expect.stringMatching(/key is not known/) as string,
    });
  } finally {
    await redis.close();
    await rm(out, { recursive: true, force: true });
  }
});
