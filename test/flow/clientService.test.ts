import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { planFlow, runFlow } from '../../src/flow/index.ts';
import { define } from '../contract/descriptions.ts';

const server = createServer((_, response) => response.end(JSON.stringify({ rows: [{ id: 'a' }, { id: 'b' }] })));
let baseUrl: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it('a flow that names no service has that of its client', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-client-'));
  const service = define({
    name: 'own',
    operations: { things: { get: '/x', params: {}, response: { rows: [{ id: 'string' }] }, rows: 'rows' } },
  });
  const flow = { name: 'own', stages: { things: { call: 'things', to: 'things.jsonl' } } };
  try {
    await using client = createClient({ service, baseUrl });
    await expect(planFlow(flow, { client })).resolves.toMatchObject({ requests: { atMost: 1 } });
    await lastValueFrom(runFlow(flow, { client, outDir: folder }));
    expect(await readFile(join(folder, 'things.jsonl'), 'utf8')).toBe('{"id":"a"}\n{"id":"b"}\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});
