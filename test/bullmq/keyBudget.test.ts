import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { leadFlow, startWorker } from '../../src/bullmq/index.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import type { FlowDefinition } from '../../src/flow/index.ts';
import { startServer } from '../client/startServer.ts';
import { hasRedis, startRedis } from './startRedis.ts';

it.skipIf(!hasRedis())('an attempt whose key was not ready is not charged to the budget of a flow over a queue', async () => {
  let [tokens, pages] = [0, 0];
  await using server = await startServer((request, response) => {
    if (request.url === '/token') tokens += 1;
    else pages += 1;
    if (pages === 0 && tokens <= 2) response.statusCode = 503;
    response.end(JSON.stringify({ access_token: 'token', rows: [{ id: request.url }] }));
  });
  const rows = defineOperation({
    get: '/rows',
    params: { q: { type: 'string' } },
    response: { rows: [{ id: 'string' }] },
    rows: 'rows',
  });
  const service = defineService({
    name: 'tokens',
    headers: { authorization: 'Bearer ${token}' },
    token: { post: '/token', form: { word: '${key}' }, at: 'access_token' },
    operations: { rows },
  });
  const stages = { rows: { call: 'rows', with: { q: ['a', 'b', 'c'] }, to: 'rows.jsonl' } };
  const flow: FlowDefinition = { name: 'tokens', service, stages, maxRequests: 3 };
  const out = await mkdtemp(join(tmpdir(), 'trawler-key-budget-'));
  const redis = await startRedis({ persistent: false });
  try {
    await using client = createClient({ service, baseUrl: server.url, apiKey: 'app:secret', concurrency: 1 });
    await using _worker = await startWorker(flow, { client: client as never, queue: redis.url });
    const summary = await lastValueFrom(leadFlow(flow, { queue: redis.url, outDir: out, retry: { baseMs: 1 } }));
    expect(summary).toMatchObject({ outcome: 'complete', requests: 3 });
    expect((await readFile(join(out, 'rows.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(3);
    expect(pages).toBe(3);
  } finally {
    await redis.close();
    await rm(out, { recursive: true, force: true });
  }
});
