import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray, type Observable, type OperatorFunction } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { items, type PageFactory, type PageLike } from '../../operators/index.ts';
import { valueAt } from '../../operators/kit/path.ts';
import { walkPages } from '../../operators/walk/walkPages.ts';
import { loadService, type Service } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { readyFanOut } from '../../src/fanouts/readyFanOut.ts';
import { openStore } from '../../src/store/index.ts';
import { leadFlow, startWorker } from '../../src/bullmq/index.ts';
import type { FlowDefinition, FlowSummary } from '../../src/flow/index.ts';
import { hasRedis, startRedis, type TestRedis } from '../bullmq/startRedis.ts';
import { until } from '../client/testClient.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import type { CopiedQuery } from './Copy.ts';
import { copies } from './copies.ts';
import { gallery, placeForTest, placeService, textOfService } from './gallery.ts';
import { startCopy, type RunningCopy } from './startCopy.ts';

it('has a copy of each service', () => {
  expect(copies.map(({ service }) => service).toSorted()).toEqual(gallery.toSorted());
});

let redis: TestRedis | undefined;
beforeAll(async () => {
  if (hasRedis()) redis = await startRedis({ persistent: false });
});
afterAll(() => redis?.close());

/** All of them are walked in a pipe every day, half of them from a store and the others in a flow, and a third of them elsewhere. */
const half = Math.ceil(copies.length / 2);
const [stored, resumed] = [ofTheDay(copies, half), ofTheDay(copies, half, 1)];
const [called, queued] = [ofTheDay(copies, Math.ceil(copies.length / 3)), ofTheDay(copies, Math.ceil(copies.length / 3), 1)];

// The services at the same time, because most of a run waits.
describe.concurrent.each(copies)('$service', (copy) => {
  let server: RunningCopy;
  let work: string;
  let modules: string;
  let service: Service;
  let env: { readonly [name: string]: string };
  /** All that was printed. */
  let printed = '';

  beforeAll(async () => {
    server = await startCopy(copy);
    work = await mkdtemp(join(tmpdir(), 'trawler-gallery-'));
    modules = await placeService(copy.service, server.url);
    service = await loadService(join(modules, 'service.mjs'));
    env = { TRAWLER_BASE_URL: server.url, ...(copy.apiKey !== undefined && { TRAWLER_API_KEY: copy.apiKey }) };
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(work, { recursive: true, force: true });
    await rm(modules, { recursive: true, force: true });
  });

  const call = async (argv: readonly string[], signal?: AbortSignal) => {
    const run = await runInProcess(argv, { env, ...(signal !== undefined && { signal }) });
    printed += run.stdout + run.stderr;
    return run;
  };
  const idOf = (row: unknown, { id }: CopiedQuery): string => String(valueAt(row, id));
  const linesOf = (text: string): unknown[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const open = (options: object = {}) =>
    createClient({
      service,
      baseUrl: server.url,
      ...(copy.apiKey !== undefined && { apiKey: copy.apiKey }),
      rate: 'unlimited',
      ...options,
    });
  const factoryOf = (client: object, name: string) => (client as { readonly [name: string]: PageFactory<object, PageLike> })[name]!;

  it.sequential('is described in 40 lines at most', async () => {
    const lines = (await textOfService(copy.service)).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  it.sequential.each(copy.queries)('gives all rows of $operation in a pipe', async (query) => {
    const before = server.requests();
    await using client = open();
    const rows = await lastValueFrom(walkPages(factoryOf(client, query.operation), {})(query.query).pipe(items(), toArray()));
    expect(rows.map((row) => idOf(row, query))).toEqual(query.rows);
    expect(server.requests() - before).toBe(query.needed + (before === 0 ? (copy.failsFirst ?? 0) : 0));
  });

  /** The queries of the service if it is one of these. */
  const queriesIf = (today: readonly (typeof copy)[]): readonly CopiedQuery[] => (today.includes(copy) ? copy.queries : []);

  it.sequential.each(queriesIf(stored))('gives all rows of $operation from a store, without a request', async (query) => {
    const store = () => openStore(join(work, `store-${query.operation}`));
    const walk = async (): Promise<unknown[]> => {
      await using client = open({ store: store() });
      return await lastValueFrom(walkPages(factoryOf(client, query.operation), {})(query.query).pipe(items(), toArray()));
    };
    const first = await walk();
    const before = server.requests();
    expect(await walk()).toEqual(first);
    const { paging } = service.operations[query.operation]!.spec;
    // A token of its own may be needed to begin. The pages of a token that stays the same are requested again.
    const again = 'repeats' in paging && paging.repeats ? query.needed + 1 : 0;
    expect(server.requests() - before).toBeLessThanOrEqual(1 + again);
  });

  it.sequential.each(queriesIf(called))('gives all rows of $operation to the command', async (query) => {
    const options = Object.entries(query.query).flatMap(([name, value]) => [
      `--query.${name}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const run = await call(['call', query.operation, '--service', join(modules, 'service.mjs'), ...options, '--pages', 'all']);
    expect([run.code, run.stderr.includes('Error')]).toEqual([0, false]);
    expect(linesOf(run.stdout).map((row) => idOf(row, query))).toEqual(query.rows);
  });

  it.sequential.each(queriesIf(resumed))('gives all rows of $operation once in a flow that is ended and resumed', async (query) => {
    const flow = {
      name: 'gallery',
      service: './service.mjs',
      stages: { rows: { call: query.operation, with: query.query, pages: 'all', to: 'rows.jsonl' } },
    };
    const file = join(modules, `${query.operation}.json`);
    const out = await mkdtemp(join(work, 'out-'));
    await writeFile(file, JSON.stringify(flow));
    const before = server.requests();
    const stop = new AbortController();
    const first = call(['run', file, '--out', out, '--quiet'], stop.signal);
    await until(() => server.requests() - before >= Math.min(2, query.needed), 'the run');
    stop.abort();
    await first;
    const { code, stderr } = await call(['run', file, '--out', out]);
    expect([code, stderr.includes('short')]).toEqual([0, false]);
    const rows = linesOf(await readFile(join(out, 'rows.jsonl'), 'utf8'));
    expect(rows.map((row) => idOf(row, query)).toSorted()).toEqual(query.rows.toSorted());
    // One request was under way when the run ended; a token of its own may be needed to begin anew. Where the service keeps the place,
    // the walk begins anew.
    expect(server.requests() - before).toBeLessThanOrEqual(query.needed * (copy.keepsPlace === true ? 2 : 1) + 4);
  });

  it.runIf(hasRedis()).sequential.each(queued.includes(copy) ? [copy] : [])(
    'gives all rows of all queries of $service once over a queue',
    async () => {
      const queue = redis!.url;
      const stages = Object.fromEntries(
        copy.queries.map(({ operation, query }, nth) => [`s${nth}`, { call: operation, with: query, pages: 'all', to: `s${nth}.jsonl` }]),
      );
      const flow = { name: copy.service, service, stages } as FlowDefinition;
      const out = await mkdtemp(join(work, 'queue-'));
      const before = server.requests();
      await using client = open();
      const worker = await startWorker(flow, { client: client as never, queue });
      const summary = (await lastValueFrom(leadFlow(flow, { queue, outDir: out, rate: 'unlimited' }))) as FlowSummary;
      await worker.close();
      // Those without rows are a rule's.
      expect(new Set(summary.stages.map(({ outcome }) => outcome))).toEqual(new Set(['complete']));
      for (const [nth, query] of copy.queries.entries()) {
        const rows = linesOf(await readFile(join(out, `s${nth}.jsonl`), 'utf8'));
        expect(rows.map((row) => idOf(row, query))).toEqual(query.rows);
      }
      const needed = copy.queries.reduce((sum, query) => sum + query.needed, 0);
      expect(server.requests() - before).toBe(needed);
    },
  );

  it.sequential('shows its key nowhere', async () => {
    const secrets = [...(copy.apiKey === undefined ? [] : [copy.apiKey]), ...(copy.secrets ?? [])];
    const written = await Promise.all(
      (await readdir(work, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
    );
    expect(written.length).toBeGreaterThan(0);
    for (const secret of secrets) expect([printed, ...written].filter((text) => text.includes(secret))).toEqual([]);
  });
});

it('YouTube looks up fifty videos with each request', async () => {
  const copy = copies.find(({ service }) => service === 'youtube')!;
  await using server = await startCopy(copy);
  const youtube = await loadService(await placeForTest('youtube', server.url));
  await using client = createClient({ service: youtube, baseUrl: server.url, apiKey: copy.apiKey!, rate: 'unlimited' });
  const factory = client as unknown as { readonly [name: string]: PageFactory<object, PageLike> };
  const videos$ = walkPages(
    factory['search']!,
    {},
  )({ q: 'rain' }).pipe(
    items() as OperatorFunction<PageLike, object>,
    readyFanOut(youtube.fanOuts['figures']!, factory['videos']!),
    items(),
  ) as Observable<object>;
  const rows = await lastValueFrom(videos$.pipe(toArray()));
  expect(rows).toHaveLength(119);
  expect(server.requests()).toBe(3 + 3);
});
