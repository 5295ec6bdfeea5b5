import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue, type IRedisClient } from 'bullmq';
import { lastValueFrom, tap } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { queueName, runFlow, startWorker, type FlowWorker, type LeadFlowOptions } from '../../src/bullmq/index.ts';
import type { ClientOptions } from '../../src/client/ClientOptions.ts';
import { createClient } from '../../src/client/createClient.ts';
import { AuthError, FlowError } from '../../src/errors/index.ts';
import { runFlow as runLocally, type FlowDefinition, type FlowProgress, type FlowSummary } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { rowsIn, spawnMember } from './crowd.ts';
import { hasRedis, startRedis, type TestRedis } from './startRedis.ts';

const files = ['places.jsonl', 'reviews.csv'];
const key = 'a-key-that-nobody-else-has';

function flowNamed(name: string): FlowDefinition {
  return {
    name,
    stages: {
      places: { call: 'mapsSearch', with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' }, limit: 8, to: 'places.jsonl' },
      reviews: {
        call: 'mapsReviews',
        each: 'places',
        with: { data_id: '$.data_id' },
        pages: 2,
        keep: { place: '$.title' },
        to: 'reviews.csv',
      },
    },
  };
}

describe.skipIf(!hasRedis())('runFlow of trawler/bullmq', () => {
  let folder: string;
  let redis: TestRedis;
  let golden: { readonly [file: string]: readonly string[] };
  let local: FlowSummary;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-queue-'));
    redis = await startRedis();
    await using sandbox = await startSandbox({});
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    local = (await lastValueFrom(runLocally(flowNamed('local'), { client, outDir: join(folder, 'golden') }))) as FlowSummary;
    golden = rowsIn(join(folder, 'golden'), files);
    await client.close();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(async () => {
    await redis?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function sandboxWith(options: Parameters<typeof startSandbox>[0]): Promise<Sandbox> {
    const sandbox = await startSandbox({ apiKey: key, ...options });
    closing.push(() => sandbox.close());
    return sandbox;
  }

  async function work(flow: FlowDefinition, baseUrl: string, options: ClientOptions = {}): Promise<FlowWorker> {
    const client = createClient({ baseUrl, apiKey: key, concurrency: 4, ...options });
    const worker = await startWorker(flow, { client, queue: redis.url, lockMs: 1000 });
    closing.push(async () => {
      await worker.close();
      await client.close();
    });
    return worker;
  }

  async function lead(
    flow: FlowDefinition,
    options: Partial<LeadFlowOptions> = {},
    heard: (progress: FlowProgress) => void = () => undefined,
  ): Promise<FlowSummary> {
    const progress$ = runFlow(flow, { queue: redis.url, outDir: join(folder, flow.name), ...options }).pipe(tap(heard));
    return (await lastValueFrom(progress$)) as FlowSummary;
  }

  async function redisClient(flow: FlowDefinition): Promise<{ readonly queue: Queue; readonly client: IRedisClient }> {
    const queue = new Queue(queueName(flow), { connection: { url: redis.url } });
    closing.push(() => queue.close());
    return { queue, client: await queue.getBackend().client };
  }

  it('leaves the files and the manifest of a local run, and nothing in Redis', async () => {
    const flow = flowNamed('plain');
    const sandbox = await sandboxWith({});
    await work(flow, sandbox.url);
    await work(flow, sandbox.url);
    const summary = await lead(flow);
    expect(summary).toMatchObject({ outcome: local.outcome, requests: local.requests, retries: 0 });
    expect(rowsIn(join(folder, 'plain'), files)).toEqual(golden);
    const stages = async (out: string): Promise<unknown> => JSON.parse(await readFile(join(folder, out, 'manifest.json'), 'utf8')).stages;
    expect(await stages('plain')).toEqual(await stages('golden'));
    expect(await readFile(join(folder, 'plain', 'report.html'), 'utf8')).toContain('</html>');
    expect(sandbox.count()).toBe(local.requests);
    const { client } = await redisClient(flow);
    const [, keys] = await client.scan(0, { MATCH: '*trawler-plain*', COUNT: 1000 });
    expect(keys.filter((name) => !/:(meta|stalled-check)$/.test(name))).toEqual([]);
  });

  it('goes on after it was stopped, and asks for no page again', async () => {
    const flow = flowNamed('stopped');
    const sandbox = await sandboxWith({ latencyMs: 30 });
    await work(flow, sandbox.url);
    const stop = new AbortController();
    const first = await lead(flow, { signal: stop.signal, commitMs: 20 }, ({ type }) => {
      if (type === 'commit' && sandbox.count() > 8) stop.abort();
    });
    expect(first.outcome).toBe('interrupted');
    const second = await lead(flow);
    expect(second.outcome).toBe(local.outcome);
    expect(rowsIn(join(folder, 'stopped'), files)).toEqual(golden);
    expect(sandbox.count()).toBe(local.requests);
  });

  it('takes nothing that another run left in Redis', async () => {
    const flow = flowNamed('again');
    const sandbox = await sandboxWith({ latencyMs: 30 });
    await work(flow, sandbox.url);
    const stop = new AbortController();
    await lead(flow, { signal: stop.signal }, () => sandbox.count() > 8 && stop.abort());
    const before = sandbox.count();
    await lead(flow, { outDir: join(folder, 'elsewhere') });
    expect(rowsIn(join(folder, 'elsewhere'), files)).toEqual(golden);
    expect(sandbox.count() - before).toBeGreaterThanOrEqual(local.requests);
  });

  it('takes a result once that is delivered twice', async () => {
    const flow = flowNamed('twice');
    const sandbox = await sandboxWith({ latencyMs: 10 });
    await work(flow, sandbox.url);
    const { queue, client } = await redisClient(flow);
    let copied = 0;
    let last = '0-0';
    const copy = async (): Promise<void> => {
      const found = (await client.xread([{ key: queue.toKey('results'), id: last }], {})) as [string, [string, string[]][]][] | null;
      for (const [at, fields] of found?.[0]?.[1] ?? []) {
        last = at;
        if (fields.includes('copy')) continue;
        const [, job, , good, , ms, , body] = fields as [string, string, string, string, string, string, string, string];
        await client.xadd(queue.toKey('results'), '*', { job, good, ms, body, copy: 1 });
        copied += 1;
      }
    };
    const copying = setInterval(() => void copy(), 5);
    const summary = await lead(flow, { commitMs: 50 });
    clearInterval(copying);
    expect(copied).toBeGreaterThan(5);
    expect(summary.requests).toBe(local.requests);
    expect(rowsIn(join(folder, 'twice'), files)).toEqual(golden);
  });

  it('takes the rows of a job once whose worker was blocked past its lock, so that it ran twice', async () => {
    const flow = flowNamed('blocked');
    const sandbox = await sandboxWith({ latencyMs: 20 });
    const options = { flow, queue: redis.url, baseUrl: sandbox.url, concurrency: 4, lockMs: 1000 };
    const blocked = spawnMember('worker', { ...options, block: { at: 'answer', count: 4, ms: 3500 } }, key);
    const other = spawnMember('worker', options, key);
    const summary = await lead(flow);
    expect(rowsIn(join(folder, 'blocked'), files)).toEqual(golden);
    expect(summary.retries).toBeGreaterThan(0);
    for (const { child } of [blocked, other]) child.kill('SIGTERM');
    expect((await Promise.all([blocked.exited, other.exited])).map(({ code }) => code)).toEqual([0, 0]);
  });

  it('puts a unit on record that ends every worker that has it', { timeout: 40_000 }, async () => {
    const flow = flowNamed('poison');
    const sandbox = await sandboxWith({});
    const poison = (JSON.parse(golden['places.jsonl']!.find((line) => line !== '')!) as { data_id: string }).data_id;
    const options = { flow, queue: redis.url, baseUrl: sandbox.url, concurrency: 4, lockMs: 600, die: { query: poison } };
    let over = false;
    let died = 0;
    const workers = [0, 1].map(function start(place): ReturnType<typeof spawnMember> {
      const member = spawnMember('worker', options, key);
      void member.exited.then(({ code }) => {
        if (code === null) died += 1;
        if (!over) workers[place] = start(place);
      });
      return member;
    });
    const summary = await lead(flow, { retry: { baseMs: 10 } });
    over = true;
    for (const { child } of workers) child.kill('SIGTERM');
    await Promise.all(workers.map(({ exited }) => exited));
    expect(summary.outcome).toBe('failed');
    const failures = (await readFile(join(folder, 'poison', 'failures.jsonl'), 'utf8')).trim().split('\n');
    expect(failures).toHaveLength(1);
    expect(JSON.parse(failures[0]!)).toMatchObject({
      stage: 'reviews',
      query: { data_id: poison },
      error: { name: 'NetworkError', attempts: 5 },
    });
    expect(died).toBe(5);
    expect(summary.stages.map(({ unitsFailed }) => unitsFailed)).toEqual([0, 1]);
  });

  it('sends no request more than maxRequests, whoever dies', async () => {
    const flow = flowNamed('budget');
    const sandbox = await sandboxWith({ latencyMs: 50 });
    const options = { flow, queue: redis.url, baseUrl: sandbox.url, concurrency: 4, lockMs: 600 };
    const dying = spawnMember('worker', { ...options, die: { at: 'answer', count: 3 } }, key);
    await work(flow, sandbox.url);
    const summary = await lead(flow, { maxRequests: 12, retry: { baseMs: 10 } });
    expect(summary).toMatchObject({ outcome: 'interrupted', requests: 12 });
    expect(sandbox.count()).toBeLessThanOrEqual(12);
    dying.child.kill('SIGKILL');
    await dying.exited;
    await lead(flow);
    expect(rowsIn(join(folder, 'budget'), files)).toEqual(golden);
  });

  it('stops everything when a key is refused, and the worker with it ends', async () => {
    const flow = flowNamed('refused');
    const sandbox = await sandboxWith({});
    const worker = await work(flow, sandbox.url, { apiKey: 'another-key' });
    await expect(lead(flow)).rejects.toThrow(AuthError);
    await expect(worker.done).rejects.toThrow("refused this worker's key");
    await work(flow, sandbox.url);
    expect((await lead(flow)).outcome).toBe(local.outcome);
  });

  it('leaves the work of a worker whose own budget is used up to others', async () => {
    const flow = flowNamed('poor');
    const sandbox = await sandboxWith({});
    const poor = await work(flow, sandbox.url, { maxRequests: 3 });
    await work(flow, sandbox.url);
    const summary = await lead(flow, { retry: { baseMs: 10 } });
    expect(summary.outcome).toBe(local.outcome);
    expect(rowsIn(join(folder, 'poor'), files)).toEqual(golden);
    await expect(poor.done).rejects.toThrow('budget of 3 requests');
  });

  it('refuses to lead where another run leads', async () => {
    const flow = flowNamed('led');
    const stop = new AbortController();
    const first = lead(flow, { signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(lead(flow, { outDir: join(folder, 'second') })).rejects.toThrow(/another run leads this queue: .*led/);
    stop.abort();
    expect((await first).outcome).toBe('interrupted');
  });

  it('says within seconds that no worker is there', async () => {
    const flow = flowNamed('alone');
    const stop = new AbortController();
    const said: string[] = [];
    await lead(flow, { signal: stop.signal }, (progress) => {
      if (progress.type !== 'notice') return;
      said.push(progress.message);
      stop.abort();
    });
    expect(said).toEqual(['no worker is there; start one with trawler worker and the same flow and queue']);
  });

  it('says within seconds that Redis is away, and gives up after waitMs', async () => {
    const flow = flowNamed('away');
    const said: string[] = [];
    const queue = 'redis://user:secret@127.0.0.1:1';
    const running = lead(flow, { queue, waitMs: 3000 }, (progress) => progress.type === 'notice' && said.push(progress.message));
    await expect(running).rejects.toThrow(FlowError);
    await expect(running).rejects.toThrow('Redis at 127.0.0.1:1 has not answered for 3 s');
    expect(said).toEqual(['Redis at 127.0.0.1:1 does not answer (ECONNREFUSED); waiting for it, 3 s at most']);
  });

  it('lets no key into Redis, not even one that the service repeats', async () => {
    const flow = flowNamed('secret');
    const service = createServer((request, response) => {
      const { searchParams, pathname } = new URL(request.url!, 'http://service');
      const search_results = [
        { title: `of ${key}`, data_id: '1' },
        { title: 'x'.repeat(20_000) + key, data_id: '2' },
      ];
      const reviews_results = [{ snippet: request.headers['x-api-key'] }];
      const refused = searchParams.get('data_id') === '2';
      response.writeHead(refused ? 400 : 200, { 'content-type': 'application/json' });
      const data = pathname.includes('review') ? { reviews_results } : { search_results };
      response.end(JSON.stringify({ code: refused ? 400 : 200, message: key, data, requestId: key, timestamp: 1 }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    closing.push(async () => service.close());
    await work(flow, `http://127.0.0.1:${(service.address() as AddressInfo).port}`);
    const summary = await lead(flow);
    expect(summary.stages.map(({ unitsDone, unitsFailed }) => [unitsDone, unitsFailed])).toEqual([
      [2, 0],
      [1, 1],
    ]);
    const written = redis.written();
    expect(written).toContain('"data_id":"2"');
    const packed = Array.from(written.matchAll(/H4sI[\w+/]+=*/g), ([text]) => Buffer.from(text, 'base64'));
    const { gunzipSync } = await import('node:zlib');
    const texts = [written, ...packed.map((bytes) => gunzipSync(bytes).toString())];
    expect(packed.length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes(key))).toEqual([]);
    expect(texts.some((text) => text.includes('[key]'))).toBe(true);
  });

  it.each([
    ['queue', 'localhost:6379'],
    ['queue', undefined],
    ['waitMs', -1],
    ['waitMs', Number.NaN],
    ['client', {}],
  ])('refuses %s %j at once', (option, value) => {
    const options = { queue: redis.url, outDir: folder, [option]: value } as unknown as LeadFlowOptions;
    expect(() => runFlow(flowNamed('bad'), options)).toThrow(new RegExp(`runFlow: ${option} must be`));
  });
});
