import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueName } from '../../src/bullmq/index.ts';
import { brokerOf } from '../../src/bullmq/QueueConnection.ts';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { until } from '../client/testClient.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { brokers, type TestBroker } from './brokers.ts';
import { rowsIn, spawnMember } from './crowd.ts';
import { key, Scene } from './Scene.ts';

const stages: FlowDefinition['stages'] = {
  places: {
    call: 'mapsSearch',
    with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' },
    pages: 2,
    limit: 10,
    to: 'places.jsonl',
  },
  reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 2, to: 'reviews.csv' },
};
const files = ['places.jsonl', 'reviews.csv'];

// The other one is tried by kill.test.ts, and tomorrow.
describe.each(ofTheDay(brokers, 1, 1))('a run that moves, with a queue in $broker', { concurrent: true }, ({ start }) => {
  let server: TestBroker;
  let folder: string;
  let local: FlowSummary;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-moves-'));
    server = await start();
    await using sandbox = await startSandbox({ apiKey: key });
    local = await alone(sandbox, 'golden', {});
  }, 60_000);
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A run without a queue. */
  async function alone(sandbox: Sandbox, name: string, options: Partial<RunFlowOptions>): Promise<FlowSummary> {
    await using client = createClient({ baseUrl: sandbox.url, apiKey: key, concurrency: 4 });
    return (await lastValueFrom(runFlow({ name, stages }, { ...options, client, outDir: join(folder, name) }))) as FlowSummary;
  }
  const scene = (name: string): Scene => new Scene(name, server.url, folder, stages);
  const isWhole = (name: string): void => expect(rowsIn(join(folder, name), files)).toEqual(rowsIn(join(folder, 'golden'), files));

  it('begins alone, continues with workers, and ends alone', async () => {
    await using here = scene('moving');
    const sandbox = await here.sandbox();
    expect(await alone(sandbox, 'moving', { maxRequests: 5 })).toMatchObject({ outcome: 'interrupted' });
    await here.work(sandbox.url);
    expect(await here.lead({ maxRequests: 9 })).toMatchObject({ outcome: 'interrupted' });
    expect((await alone(sandbox, 'moving', {})).outcome).toBe(local.outcome);
    isWhole('moving');
    expect(sandbox.count()).toBe(local.requests);
  });

  it('continues with a leader on another host, and takes what came for the one that was killed', async () => {
    await using here = scene('host');
    const sandbox = await here.sandbox({ latencyMs: 100 });
    const first = spawnMember('leader', { flow: here.flow, queue: server.url, outDir: here.outDir, host: `not-${hostname()}` });
    await here.work(sandbox.url);
    await until(() => sandbox.count() > 8);
    first.child.kill('SIGKILL');
    await first.exited;
    expect((await here.lead()).outcome).toBe(local.outcome);
    isWhole('host');
    expect(sandbox.count()).toBe(local.requests);
  });

  it('takes nothing of a leader of another version, and says so', async ({ expect }) => {
    await using here = scene('version');
    const sandbox = await here.sandbox();
    const other = brokerOf('test', server.url).lead(queueName(here.flow), '8 elsewhere:/out');
    const page = { id: 'a', stage: 'places', operation: 'mapsSearch', query: { query: 'coffee' } };
    await other.lead([]);
    await other.add([{ name: 'places', data: { format: 8, pages: [page] }, opts: { jobId: 'a+1' } }]);
    const said: string[] = [];
    await here.work(sandbox.url, {}, 60_000, (message) => said.push(message));
    await expect.poll(() => said[1]).toContain('the leader is of another version of trawler');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await other.lead([]);
    expect([await other.all(), await other.active()]).toEqual([[], []]);
    await other.leave(true);
    other.close();
    await other.queue.close();
    expect((await here.lead()).outcome).toBe(local.outcome);
    expect([said.length, sandbox.count()]).toEqual([2, local.requests]);
  });
});
