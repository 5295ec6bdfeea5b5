import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { planFlow, runFlow, type RunFlowOptions } from '../../src/flow/index.ts';
import { define } from '../contract/descriptions.ts';

const server = createServer((_, response) => response.end(JSON.stringify({ rows: [{ id: 'a' }, { id: 'b' }], more: [{ id: 'c' }] })));
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
    operations: { things: { get: '/x', params: {}, response: { rows: [{ id: 'string' }] }, list: 'rows', paging: { kind: 'none' } } },
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

it('says which operations are described in another way since the run began', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-described-'));
  const described = (list: string): ReturnType<typeof define> =>
    define({
      name: 'own',
      operations: {
        things: {
          get: '/x',
          params: {},
          response: { rows: [{ id: 'string' }], more: [{ id: 'string' }] },
          list,
          paging: { kind: 'none' },
        },
        others: { get: '/y', params: {}, response: { rows: [{ id: 'string' }] }, list: 'rows', paging: { kind: 'none' } },
      },
    });
  const notices = async (list: string, options: Pick<RunFlowOptions, 'update' | 'fresh'> = {}): Promise<readonly string[]> => {
    const service = described(list);
    const stages = { things: { call: 'things', to: 'things.jsonl' }, others: { call: 'others', to: 'others.jsonl' } };
    await using client = createClient({ service, baseUrl });
    const said = await lastValueFrom(runFlow({ name: 'own', stages }, { client, outDir: folder, ...options }).pipe(toArray()));
    return said.flatMap((event) => (event.type === 'notice' && event.message.includes('description') ? [event.message] : []));
  };
  try {
    expect(await notices('rows')).toEqual([]);
    expect(await notices('rows')).toEqual([]);
    expect(await notices('more')).toEqual([expect.stringMatching(/^the description of things was changed since this run began/)]);
    expect(await notices('more', { update: true })).toHaveLength(1);
    expect(await notices('more')).toEqual([]); // the update was made by the new one
    expect(await notices('rows', { fresh: true })).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
