import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startWorker, type FlowWorker } from '../../src/bullmq/index.ts';
import { createClient } from '../../src/createClient.ts';
import { loadFlow } from '../../src/flow/index.ts';
import { startServer, type TestServer } from '../client/startServer.ts';
import { until } from '../client/testClient.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { brokers, type TestBroker } from './brokers.ts';
import { rowsIn, spawnMember } from './crowd.ts';

const total = 12;
const file = 'rows.jsonl';

/** When the leader is killed, counted in requests since it was started. */
const kills = [[1, 1], [3, 2]] as const; // prettier-ignore
const cases = kills.flatMap((at) => brokers.map(({ broker, start }) => ({ broker, start, at })));

describe.each(ofTheDay(cases, 1))('a walk whose pages the service counts, over $broker', ({ start, at }) => {
  let folder: string;
  let broker: TestBroker;
  let server: TestServer;
  let requests = 0;
  /** Pages of each walk so far. A walk has the same token each time. */
  const walks = new Map<string, number>();

  beforeAll(async () => {
    broker = await start();
    server = await startServer((request, response) => {
      requests += 1;
      const { searchParams } = new URL(request.url!, 'http://scroll');
      const next = searchParams.get('next');
      const of = next ?? `scroll of ${searchParams.get('of')}`;
      const page = next === null ? 0 : (walks.get(of) ?? total);
      walks.set(of, page + 1);
      const rows = page < total ? [{ id: `${of} ${page}` }] : [];
      setTimeout(() => response.end(JSON.stringify({ rows, next: of })), 40);
    });
    folder = await mkdtemp(join(inject('dist'), 'scroll-')); // below the bundle, which the description imports
    await writeFile(
      join(folder, 'service.mjs'),
      `import { defineOperation, defineService } from '${inject('dist')}/bundle/index.js';
const pages = defineOperation({ get: '/', params: { of: { type: 'string', required: true } },
  response: { rows: [{ id: 'string' }], next: 'string' }, rows: 'rows', id: 'id',
  query: { next: '\${cursor}' }, next: 'next', repeats: true });
export default defineService({ name: 'scroll', operations: { pages } });`,
    );
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await broker.close();
    await rm(folder, { recursive: true, force: true });
  });

  it(`has each row once after its leader was killed at requests ${at.join(' and ')}`, { timeout: 60_000 }, async () => {
    const name = `scroll-${at.join('-')}`;
    const path = join(folder, `${name}.json`);
    const stages = { rows: { call: 'pages', with: { of: [name] }, pages: 'all', to: file } };
    await writeFile(path, JSON.stringify({ name, service: './service.mjs', stages }));
    const flow = await loadFlow(path);
    await using client = createClient({ service: flow.service, baseUrl: server.url, rate: 'unlimited', concurrency: 2 });
    const worker: FlowWorker = await startWorker(flow, { client, queue: broker.url });
    const outDir = join(folder, name);
    for (const count of at) {
      const leader = spawnMember('leader', { flow: path, queue: broker.url, outDir });
      const before = requests;
      await until(() => requests >= before + count, `${count} requests`);
      leader.child.kill('SIGKILL');
      await leader.exited;
    }
    const { code, out, err } = await spawnMember('leader', { flow: path, queue: broker.url, outDir }).exited;
    await worker.close();
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(JSON.parse(out)).toMatchObject({ outcome: 'complete' });
    const ids = rowsIn(outDir, [file])[file]!.filter(Boolean);
    expect(ids).toEqual(Array.from({ length: total }, (_, page) => JSON.stringify({ id: `scroll of ${name} ${page}` })).sort());
  });
});
