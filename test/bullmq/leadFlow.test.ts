import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, from, lastValueFrom } from 'rxjs';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leadFlow, type LeadFlowOptions } from '../../src/bullmq/index.ts';
import { createClient } from '../../src/createClient.ts';
import { AuthError, NetworkError } from '../../src/errors/index.ts';
import { runFlow as runLocally, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { exportStore, openStore, verifyStore } from '../../src/store/index.ts';
import { freePort } from '../freePort.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { brokers, type TestBroker } from './brokers.ts';
import { rowsIn, type Member } from './crowd.ts';
import { key, Scene } from './Scene.ts';
import { hasRedis, startRedis, type TestRedis } from './startRedis.ts';
import { more, nameOf } from '../sandbox/moreFaults/more.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const files = ['places.jsonl', 'reviews.csv'];

describe.skipIf(!hasRedis())('leadFlow of trawler/bullmq', { concurrent: true }, () => {
  let folder: string;
  let redis: TestRedis;
  /** Redis, or on the next day PostgreSQL: for what is the same in both. */
  let either: TestBroker;
  let golden: { readonly [file: string]: readonly string[] };
  let local: FlowSummary;
  const scene = (name: string, stages?: FlowDefinition['stages']): Scene => new Scene(name, redis.url, folder, stages);
  const sceneInEither = (name: string, stages?: FlowDefinition['stages']): Scene => new Scene(name, either.url, folder, stages);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-queue-'));
    redis = await startRedis();
    either = await ofTheDay(brokers, 1)[0]!.start();
    await using sandbox = await startSandbox({});
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const { flow, outDir } = scene('golden');
    local = (await lastValueFrom(runLocally(flow, { client, outDir }))) as FlowSummary;
    golden = rowsIn(outDir, files);
  });
  afterAll(async () => {
    await redis?.close();
    await either?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('leaves the files and the manifest of a local run, and nothing in Redis', async () => {
    await using here = scene('plain');
    const sandbox = await here.sandbox();
    await here.work(sandbox.url);
    await here.work(sandbox.url);
    const summary = await here.lead();
    expect(summary).toMatchObject({ outcome: 'doubtful', requests: local.requests, retries: 0 });
    expect(summary.stages[1]!.doubts).toHaveLength(4);
    expect(rowsIn(here.outDir, files)).toEqual(golden);
    const stages = async (out: string): Promise<unknown> =>
      JSON.parse(await readFile(join(folder, out, 'datapackage.json'), 'utf8')).trawler.stages;
    expect(await stages('plain')).toEqual(await stages('golden'));
    expect(await readFile(join(here.outDir, 'report.html'), 'utf8')).toContain('</html>');
    expect(sandbox.count()).toBe(local.requests);
    const { queue, redis: client } = await here.look();
    const [, keys] = await client.scan(0, { MATCH: `${queue.toKey('')}*`, COUNT: 10_000 });
    expect(keys.filter((name) => !/:(meta|stalled-check)$/.test(name))).toEqual([]);
  });

  it('makes no job for a stored response, and stores what workers bring as it came', async () => {
    await using here = sceneInEither('stored');
    const sandbox = await here.sandbox();
    await here.work(sandbox.url);
    const responses = join(folder, 'responses');
    const lead = async (outDir: string): Promise<FlowSummary> => {
      await using store = openStore(responses);
      await using client = createClient({ baseUrl: sandbox.url, apiKey: 'none', store });
      return await here.lead({ client, outDir });
    };
    await lead(here.outDir);
    expect(await lead(join(folder, 'stored-2'))).toMatchObject({ outcome: local.outcome, requests: 0 });
    expect(rowsIn(join(folder, 'stored-2'), files)).toEqual(golden);
    expect(sandbox.count()).toBe(local.requests);
    expect(await firstValueFrom(from(exportStore(responses)))).toMatchObject({ operation: 'mapsSearch', status: 200, body: { code: 200 } });
    expect(verifyStore(responses)).toMatchObject({ records: local.requests, faults: [] });
  });

  it('resumes after a stop, and requests no page again', async () => {
    await using here = sceneInEither('stopped');
    const sandbox = await here.sandbox();
    // After ten requests the next ones wait for the stop.
    let open = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (open = resolve));
    let sent = 0;
    const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
      if (++sent <= 10) return dispatch(options, handler);
      void stopped.then(() => dispatch(options, handler));
      return true;
    });
    here.onClose(() => dispatcher.close());
    await here.work(sandbox.url, { dispatcher });
    const stop = new AbortController();
    const first = await here.lead({ signal: stop.signal, commitMs: 20 }, ({ type }) => {
      if (type === 'commit' && sandbox.count() === 10) stop.abort();
    });
    open();
    expect(first.outcome).toBe('interrupted');
    expect((await here.lead()).outcome).toBe(local.outcome);
    expect(rowsIn(here.outDir, files)).toEqual(golden);
    expect(sandbox.count()).toBe(local.requests);
  });

  it('brings a finished run up to date, with the rows and changes of a local update', async () => {
    const stages: FlowDefinition['stages'] = {
      places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, limit: 5, by: 'data_id', to: 'places.jsonl' },
      reviews: { call: 'placeReviews', each: 'places', pages: 2, since: { lookback: '7d', unless: '$.reviews' }, to: 'reviews.jsonl' },
    };
    await using here = new Scene('updated', either.url, folder, stages);
    const outDir = join(folder, 'updated-here');
    const summaries: FlowSummary[][] = [];
    for (const day of [0, 4]) {
      const sandbox = await here.sandbox({ day });
      const worker = await here.work(sandbox.url);
      const there = await here.lead({ update: true });
      await worker.close();
      await using client = createClient({ baseUrl: sandbox.url, apiKey: key });
      summaries.push([there, (await lastValueFrom(runLocally(here.flow, { client, outDir, update: true }))) as FlowSummary]);
    }
    const [there, local] = summaries[1]!;
    const figures = ({ changes }: FlowSummary): unknown => changes!.map((of) => [of.stage, of.new, of.changed, of.gone]);
    expect(figures(there!)).toEqual(figures(local!));
    expect(there!.changes![1]!.new).toBeGreaterThan(0);
    expect([there!.requests, there!.stages[1]!.unchanged]).toEqual([local!.requests, local!.stages[1]!.unchanged]);
    const names = ['places.jsonl', 'reviews.jsonl'];
    expect(rowsIn(here.outDir, names)).toEqual(rowsIn(outDir, names));
  });

  it('ignores what another run left in Redis', async () => {
    await using here = scene('again');
    const sandbox = await here.sandbox({ latencyMs: 30 });
    await here.work(sandbox.url);
    const stop = new AbortController();
    await here.lead({ signal: stop.signal }, () => sandbox.count() > 8 && stop.abort());
    const before = sandbox.count();
    const outDir = join(folder, 'elsewhere');
    await here.lead({ outDir });
    expect(rowsIn(outDir, files)).toEqual(golden);
    expect(sandbox.count() - before).toBeGreaterThanOrEqual(local.requests);
  });

  it('counts the rows of a job once if it ran twice because its worker was blocked', async ({ expect }) => {
    await using here = sceneInEither('blocked');
    const sandbox = await here.sandbox({ latencyMs: 20 });
    const blocked = here.spawn(sandbox.url, { block: { at: 'response', count: 1 } });
    const running = here.lead();
    await blocked.said('blocked');
    await here.work(sandbox.url, {}, 1000);
    const once = (): number => new Set(sandbox.requests.map(({ path, query }) => JSON.stringify([path, query]))).size;
    await expect.poll(() => sandbox.count() - once()).toBeGreaterThan(0);
    blocked.child.kill('SIGCONT');
    await blocked.said('again');
    const summary = await running;
    expect(rowsIn(here.outDir, files)).toEqual(golden);
    expect(summary.retries).toBeGreaterThan(0);
    blocked.child.kill('SIGTERM');
    expect((await blocked.exited).code).toBe(0);
  });

  it('sends nothing for a job of another version of trawler, and says so', async ({ expect }) => {
    await using here = scene('version');
    const sandbox = await here.sandbox();
    await here.work(sandbox.url);
    const { queue, redis: client } = await here.look();
    const query = { query: 'coffee', ll: '@40.74,-73.98,14z' };
    await queue.add('places', { format: 99, stage: 'places', operation: 'mapsSearch', query });
    const results = queue.toKey('results');
    await expect
      .poll(async () => JSON.stringify(await client.xread([{ key: results, id: '0-0' }], {})))
      .toContain('of another version of trawler than the leader');
    expect(sandbox.count()).toBe(0);
  });

  it.each(long ? [1, 2] : [1])('records a query, and no other, as failed if it kills every worker: %i at once', async (count) => {
    await using here = sceneInEither(`poison-${count}`);
    const sandbox = await here.sandbox({ latencyMs: 100 }); // other pages are under way where it ends the worker
    const poison = (JSON.parse(golden['places.jsonl']!.find((line) => line !== '')!) as { readonly data_id: string }).data_id;
    let over = false;
    let died = 0;
    const maxAttempts = long ? 5 : 3; // each ends a process
    const workers = Array.from({ length: count }, (_, place) => place).map(function start(place): Member {
      const member = here.spawn(sandbox.url, { die: { query: poison } });
      member.child.once('exit', (code) => {
        if (over) return;
        if (code === null) died += 1;
        workers[place] = start(place);
      });
      return member;
    });
    const summary = await here.lead({ retry: { baseMs: 10, maxAttempts } });
    over = true;
    for (const { child } of workers) child.kill('SIGTERM');
    await Promise.all(workers.map(({ exited }) => exited));
    expect(summary.outcome).toBe('failed');
    const failures = (await readFile(join(here.outDir, 'failures.jsonl'), 'utf8')).trim().split('\n');
    expect(failures).toHaveLength(1);
    const error = { name: 'NetworkError', attempts: maxAttempts };
    expect(JSON.parse(failures[0]!)).toMatchObject({ stage: 'reviews', query: { data_id: poison }, error });
    expect(died).toBe(maxAttempts);
    expect(summary.stages.map(({ failed }) => failed)).toEqual([0, 1]);
  });

  it('sends no request more than maxRequests, whoever dies', async () => {
    await using here = sceneInEither('budget');
    const sandbox = await here.sandbox({ latencyMs: 50 });
    const dying = here.spawn(sandbox.url, { die: { at: 'response', count: 1 } });
    const first = here.lead({ maxRequests: 12, retry: { baseMs: 10 } });
    await dying.exited;
    await here.work(sandbox.url, {}, 1000);
    expect(await first).toMatchObject({ outcome: 'interrupted', requests: 12 });
    expect(sandbox.count()).toBeLessThanOrEqual(12);
    await here.lead();
    expect(rowsIn(here.outDir, files)).toEqual(golden);
  });

  it('stops everything when a key is refused, and the worker with it ends', async () => {
    await using here = sceneInEither('refused');
    const sandbox = await here.sandbox();
    const worker = await here.work(sandbox.url, { apiKey: 'another-key' });
    await expect(here.lead()).rejects.toThrow(AuthError);
    await expect(worker.done).rejects.toThrow("refused this worker's key");
    await here.work(sandbox.url);
    expect((await here.lead()).outcome).toBe(local.outcome);
  });

  it("leaves jobs to other workers when a worker's own budget is used up", async () => {
    await using here = sceneInEither('poor');
    const sandbox = await here.sandbox();
    const poor = await here.work(sandbox.url, { maxRequests: 3 });
    await here.work(sandbox.url);
    expect((await here.lead({ retry: { baseMs: 10 } })).outcome).toBe(local.outcome);
    expect(rowsIn(here.outDir, files)).toEqual(golden);
    await expect(poor.done).rejects.toThrow('budget of 3 requests');
  });

  const badQueries = [
    { fault: 'status', status: 500 },
    more({ fault: 'envelopeCode', code: 500 }),
    { fault: 'reset', at: 'headers' },
  ] as const;
  it.each(ofTheDay(badQueries, 1))(
    'ends with finished files where one query always fails, and retries it alone later: $fault',
    async (fault) => {
      const query = Array.from({ length: 12 }, (_, index) => `q${index}`);
      await using here = scene(`bad-${nameOf(fault)}`, { all: { call: 'autocomplete', with: { query }, to: 'all.jsonl' } });
      const sick = await here.sandbox({ faults: [{ ...fault, query: { query: 'q5' } }] });
      const worker = await here.work(sick.url);
      const retry = { baseMs: 1, capMs: 5 };
      const { outcome, stages, files } = await here.lead({ rate: 'unlimited', retry });
      await worker.close();
      expect([outcome, stages[0]!.done, stages[0]!.failed]).toEqual(['failed', 11, 1]);
      expect(files.every(({ sha256 }) => sha256 !== undefined)).toBe(true);
      const of = sick.requests.filter((request) => request.query['query'] === 'q5').length;
      expect([of > 1, of <= 12, sick.requests.length - of <= 12]).toEqual([true, true, true]);
      const well = await here.sandbox();
      await here.work(well.url);
      expect(await here.lead({ failures: true })).toMatchObject({ outcome: 'complete', requests: 1, stages: [{ failed: 0 }] });
    },
  );

  it('has all rows in the end although the service is down at the start and half-way', async () => {
    await using here = scene('outage', {
      places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, limit: 3, to: 'places.jsonl' },
      reviews: { call: 'placeReviews', each: 'places', pages: 'all', keep: { place: '$.data_id' }, to: 'reviews.jsonl' },
    });
    const down = [...Array(60).keys()].filter((nth) => (nth > 0 && nth < 8) || nth > 14);
    const sandbox = await here.sandbox({ faults: [{ fault: 'status', status: 503, nth: down }] });
    await here.work(sandbox.url);
    const runs: FlowSummary[] = [];
    do {
      const failures = runs.at(-1)?.outcome === 'failed';
      runs.push(await here.lead({ rate: 'unlimited', retry: { baseMs: 1, capMs: 5, maxAttempts: 2 }, failures }));
      expect(runs.length).toBeLessThan(20);
    } while (['interrupted', 'failed'].includes(runs.at(-1)!.outcome));
    expect(runs.length).toBeGreaterThan(2);
    expect(runs.every(({ outcome, files }) => files.every(({ sha256 }) => (sha256 === undefined) === (outcome === 'interrupted')))).toBe(
      true,
    );
    expect(runs.at(-1)!.stages).toMatchObject([{ failed: 0 }, { failed: 0, short: 0, outcome: 'complete' }]);
    const rowsOf = (file: string): readonly { readonly [field: string]: unknown }[] =>
      readFileSync(join(here.outDir, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { readonly [field: string]: unknown });
    const [places, reviews] = [rowsOf('places.jsonl'), rowsOf('reviews.jsonl')];
    // The rows that there are, from what the places say: the sandbox keeps its word.
    for (const { data_id, reviews: claimed } of places)
      expect(reviews.filter(({ place }) => place === data_id)).toHaveLength(Number(claimed));
    expect(new Set(reviews.map(({ review_id }) => review_id)).size).toBe(reviews.length);
  });

  it('refuses to lead where another run leads', async () => {
    await using here = sceneInEither('led');
    const stop = new AbortController();
    let led: () => void = () => undefined;
    const isLed = new Promise<void>((resolve) => (led = resolve));
    const first = here.lead({ signal: stop.signal }, ({ type }) => type === 'notice' && led());
    await isLed;
    await expect(here.lead({ outDir: join(folder, 'second') })).rejects.toThrow(/another run leads this queue: .*led/);
    stop.abort();
    expect((await first).outcome).toBe('interrupted');
  });

  it('says within seconds that no worker is there', async () => {
    await using here = sceneInEither('alone');
    const stop = new AbortController();
    const said: string[] = [];
    await here.lead({ signal: stop.signal }, (progress) => {
      if (progress.type !== 'notice') return;
      said.push(progress.message);
      stop.abort();
    });
    expect(said).toEqual(['no worker is there; start one with trawler worker and the same flow and queue']);
  });

  it('says within seconds that Redis is away, and gives up after waitMs', async () => {
    await using here = scene('away');
    const said: string[] = [];
    const queue = 'redis://user:secret@127.0.0.1:1';
    const running = here.lead({ queue, waitMs: 1600 }, (progress) => progress.type === 'notice' && said.push(progress.message));
    await expect(running).rejects.toThrow(NetworkError);
    await expect(running).rejects.toThrow('Redis at 127.0.0.1:1 has not responded for 2 s');
    expect(said).toEqual(['Redis at 127.0.0.1:1 does not respond (ECONNREFUSED); waiting for it, 2 s at most']);
  });

  it('leads although Redis goes away for a moment just after it was connected', async () => {
    await using here = scene('broken');
    const port = await freePort();
    let away = false;
    const proxy = createTcpServer((socket) => {
      const onward = connect(redis.port, '127.0.0.1');
      const end = (): void => void [socket, onward].map((one) => one.destroy());
      for (const one of [socket, onward]) one.on('error', end).on('close', end);
      socket.on('data', (bytes) => void onward.write(bytes));
      onward.on('data', (bytes) => {
        socket.write(bytes);
        if (away || !bytes.includes('redis_version')) return;
        // ioredis has asked whether Redis is ready. It gets no answer to what is asked next.
        away = true;
        onward.pause();
        setTimeout(() => {
          proxy.close();
          end();
        }, 200);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
    here.onClose(async () => void proxy.close());
    const sandbox = await here.sandbox();
    await here.work(sandbox.url);
    const said: string[] = [];
    const queue = `redis://127.0.0.1:${port}`;
    const summary = await here.lead({ queue, waitMs: 30_000 }, (progress) => {
      if (progress.type !== 'notice') return;
      if (progress.message.includes('does not respond')) proxy.listen(port, '127.0.0.1');
      said.push(progress.message);
    });
    expect(summary.requests).toBe(local.requests);
    expect(rowsIn(here.outDir, files)).toEqual(golden);
    expect(said.slice(-1)).toEqual([`Redis at 127.0.0.1:${port} is back`]);
  });

  const keys: [string, string][] = [
    ['plain', 'canary-that-nobody-else-has'],
    ['with quotes', 'canary"that\\nobody/else\'has'],
    ['short', 'Cnry7'],
  ];
  it.each(ofTheDay(keys, 1))('lets no key into Redis, not even one that the service repeats (%s)', async (name, apiKey) => {
    await using here = scene(`secret-${name.slice(0, 4)}`);
    const service = createServer((request, response) => {
      const { searchParams, pathname } = new URL(request.url!, 'http://service');
      const search_results = [
        { title: `of ${apiKey}`, data_id: '1' },
        { title: 'x'.repeat(20_000) + apiKey, data_id: '2' },
      ];
      const reviews_results = [{ snippet: request.headers['x-api-key'] }];
      const refused = searchParams.get('data_id') === '2';
      response.writeHead(refused ? 400 : 200, { 'content-type': 'application/json' });
      const data = pathname.includes('review') ? { reviews_results } : { search_results };
      response.end(JSON.stringify({ code: refused ? 400 : 200, message: apiKey, data, requestId: apiKey, timestamp: 1 }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    here.onClose(async () => service.close());
    await here.work(`http://127.0.0.1:${(service.address() as AddressInfo).port}`, { apiKey });
    const summary = await here.lead();
    expect(summary.stages.map(({ done, failed }) => [done, failed])).toEqual([
      [2, 0],
      [1, 1],
    ]);
    // Every command that any of these tests sent to Redis.
    const written = redis.written();
    expect(written).toContain('"data_id":"2"');
    // A short one may be a word of a row, so it stays there.
    expect(written).toContain(name === 'short' ? `"snippet":"${apiKey}"` : '"snippet":"[key]"');
    expect(written).not.toMatch(/canary|"(?:message|requestId)":"Cnry7/);
  });

  it.each([
    ['queue', 'localhost:6379'],
    ['queue', undefined],
    ['waitMs', -1],
    ['waitMs', Number.NaN],
    ['client', {}],
  ])('refuses %s %j at once', (option, value) => {
    const options = { queue: redis.url, outDir: folder, [option]: value } as unknown as LeadFlowOptions;
    expect(() => leadFlow(scene('bad').flow, options)).toThrow(new RegExp(`leadFlow: (the )?${option} must (be|come)`));
  });

  it('refuses failures together with update', () => {
    const options = { queue: redis.url, outDir: folder, failures: true, update: true };
    expect(() => leadFlow(scene('bad').flow, options)).toThrow('leadFlow: update requests what is new and failures only what failed');
  });
});
