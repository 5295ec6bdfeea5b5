import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { planFlow, runFlow } from '../../src/flow/index.ts';
import { define } from '../contract/descriptions.ts';

it('a flow that names no service has that of its client', async () => {
  const server = createServer((_, response) => response.end(JSON.stringify({ rows: [{ id: 'a' }, { id: 'b' }] })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'trawler-client-'));
  const service = define({
    name: 'own',
    operations: { things: { path: '/x', params: {}, response: { rows: [{ id: 'string' }] }, list: 'rows', paging: { kind: 'none' } } },
  });
  const flow = { name: 'own', stages: { things: { call: 'things', to: 'things.jsonl' } } };
  try {
    await using client = createClient({ service, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    await expect(planFlow(flow, { client })).resolves.toMatchObject({ requests: { atMost: 1 } });
    await lastValueFrom(runFlow(flow, { client, outDir: folder }));
    expect(await readFile(join(folder, 'things.jsonl'), 'utf8')).toBe('{"id":"a"}\n{"id":"b"}\n');
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});
