import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { createClient } from '../../src/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';

const flow: FlowDefinition = {
  name: 'known',
  stages: { words: { call: 'autocomplete', with: { query: ['first', 'forbidden', 'last'] }, by: 'value', to: 'words.jsonl' } },
};

describe('a run whose key has worked', () => {
  let folder: string;
  let sandbox: Sandbox;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-key-'));
    sandbox = await startSandbox({ faults: [{ fault: 'status', status: 403, query: { query: 'forbidden' } }] });
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs in a client of its own, as another process would. */
  const run = async (options: Partial<RunFlowOptions> & { readonly apiKey?: string } = {}): Promise<FlowSummary> => {
    const { apiKey = sandbox.apiKey, ...rest } = options;
    await using client = createClient({ baseUrl: sandbox.url, apiKey });
    return (await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'out'), concurrency: 1, ...rest }))) as FlowSummary;
  };
  const failed = { stages: [{ failed: 1 }] };

  it('is finished by another process, though its first response is a 403 of one query', async () => {
    expect(await run({ maxRequests: 1 })).toMatchObject({ outcome: 'interrupted', requests: 1 });
    expect(await run()).toMatchObject({ outcome: 'failed', requests: 2, ...failed });
  });

  it('retries that query with --failures, and has an update, as often as one likes', async () => {
    for (const option of ['failures', 'failures', 'update', 'failures', 'update'] as const)
      expect(await run({ [option]: true })).toMatchObject({ outcome: 'failed', ...failed });
  });

  it('takes a 403 for a wrong key if it has another key, and keeps neither', async () => {
    await expect(run({ failures: true, apiKey: 'another' })).rejects.toThrow(/key/);
    const journal = await readFile(join(folder, 'out/.trawler/journal.jsonl'), 'utf8');
    expect(journal).toMatch(/"key":"[0-9a-f]{8}"/);
    expect(journal).not.toContain(sandbox.apiKey);
  });
});
