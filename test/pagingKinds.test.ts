import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { ofTheDay } from './ofTheDay.ts';
import { expandCursor, items, offsetPages, type PageFactory, type PageLike } from '../operators/index.ts';
import { loadService, pagingKindOf, type Service } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import type { FlowDefinition } from '../src/flow/index.ts';
import { openStore } from '../src/store/index.ts';
import type { MemoryDisk } from './disk/MemoryDisk.ts';
import { remoteClient } from './bullmq/remoteClient.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { bodyOf, startServer, type TestServer } from './client/startServer.ts';
import { until } from './client/testClient.ts';
import { killedDisk, rowsOn, runInMemory } from './flowInMemory.ts';
import { pagedModule, pagedOperations, rowsOf, scrolledOperations, total, type Sent } from './pagedServices.ts';

const described = { ...pagedOperations, ...scrolledOperations };
const operations = Object.keys(described);
const wanted = rowsOf('a').map(({ id }) => id);
const queries = ['a', 'b', 'c'];
/** Each walk has three pages. One more may confirm the end, and that one may be looked at again. */
const [fewest, most] = [3, 5];

describe('every way of paging', () => {
  let server: TestServer;
  let requests: { readonly operation: string; readonly sent: Sent }[] = [];
  let refused: string[] = [];
  let folder: string;
  let service: Service;

  beforeAll(async () => {
    server = await startServer(
      (request, response) =>
        void respond(request).then((body) => {
          response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
        }),
    );
    // Below the bundle, which the description imports.
    folder = await mkdtemp(join(inject('dist'), 'paged-'));
    await writeFile(join(folder, 'paged.mjs'), pagedModule(inject('dist')));
    service = await loadService(join(folder, 'paged.mjs'));
  });
  beforeEach(() => void ([requests, refused] = [[], []]));
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const respond = async (request: IncomingMessage): Promise<object | undefined> => {
    const { pathname, searchParams } = new URL(request.url!, server.url);
    const body = await bodyOf(request);
    const sent: Sent = { ...Object.fromEntries(searchParams), ...(body === '' ? {} : (JSON.parse(body) as Sent)) };
    const operation = pathname.slice(1);
    requests.push({ operation, sent });
    const reply = described[operation]!.reply(sent, rowsOf(String(sent['q'])));
    if (reply === undefined) refused.push(`${operation} ${JSON.stringify(sent)}`);
    return reply;
  };
  const fewRequests = (operation: string, walks: number): void => {
    expect(refused).toEqual([]);
    const count = requests.filter((request) => request.operation === operation).length;
    expect(count).toBeGreaterThanOrEqual(fewest * walks);
    expect(count).toBeLessThanOrEqual((described[operation]!.words['total'] === undefined ? most : fewest) * walks);
  };
  const queryOf = (operation: string, q: unknown): { readonly [param: string]: unknown } => ({ q, ...described[operation]!.given });

  const walk = async (operation: string, store?: string, mode: 'reuse' | 'replay' = 'reuse'): Promise<string[]> => {
    await using client = createClient({
      service,
      baseUrl: server.url,
      rate: 'unlimited',
      ...(store === undefined ? {} : { store: openStore(store, { mode }) }),
    });
    const factory = (client as unknown as { readonly [name: string]: PageFactory<object, PageLike, never> })[operation]!;
    const { paging } = service.operations[operation]!.spec;
    const pages = pagingKindOf(paging).operator === 'expandCursor' ? expandCursor(factory) : offsetPages(factory);
    const rows = await lastValueFrom(of(queryOf(operation, 'a')).pipe(pages, items(), toArray()));
    return rows.map((row) => (row as { readonly id: string }).id);
  };

  it.each(operations)('%s brings every row once in a pipe', async (operation) => {
    expect(await walk(operation)).toEqual(wanted);
    fewRequests(operation, 1);
  });

  it.each(operations)('%s brings every row once from a store, without a request', async (operation) => {
    const store = join(folder, `store-${operation}`);
    expect(await walk(operation, store)).toEqual(wanted);
    fewRequests(operation, 1);
    requests = [];
    // Stored pages don't bring the service to the next one of a scroll.
    expect(await walk(operation, store, Object.hasOwn(scrolledOperations, operation) ? 'replay' : 'reuse')).toEqual(wanted);
    expect(requests).toEqual([]);
  });

  it.each(operations)('%s brings every row once on the command line', async (operation) => {
    const options = Object.entries(queryOf(operation, 'a')).flatMap(([param, value]) => [`--${param}`, String(value)]);
    const args = ['call', operation, '--service', join(folder, 'paged.mjs'), ...options, '--pages', 'all', '--format', 'jsonl'];
    const { code, stdout } = await runInProcess(args, { env: { TRAWLER_BASE_URL: server.url } });
    expect([code, stdout.trim().split('\n').length]).toEqual([0, total]);
    fewRequests(operation, 1);
  });

  const stagesOf = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((operation) => [operation, { call: operation, with: queryOf(operation, queries), pages: 'all', to: `${operation}.jsonl` }]),
    );
  const everyRowOnce = (disk: MemoryDisk, names: readonly string[]): void => {
    for (const operation of names) {
      const ids = rowsOn(disk, `${operation}.jsonl`).map(({ id }) => id);
      expect([operation, ids.length, new Set(ids).size]).toEqual([operation, total * queries.length, total * queries.length]);
    }
  };
  const flowOf = (names: readonly string[]): FlowDefinition => ({ name: 'paged', service, stages: stagesOf(names) }) as FlowDefinition;
  const open = () => createClient({ service, baseUrl: server.url, rate: 'unlimited', concurrency: 2 });

  /** Runs a flow over these operations as a whole, and then kills one at several moments and resumes it. */
  const killed = async (names: readonly string[], check: (needed: number, committed: number) => void): Promise<void> => {
    const toEnd = async (disk?: MemoryDisk): Promise<MemoryDisk> => {
      await using client = open();
      return await runInMemory(flowOf(names), client, disk);
    };
    await toEnd();
    const needed = requests.length;
    const taken = (disk: MemoryDisk): number => String(disk.read('/out/.trawler/journal.jsonl')).split('"type":"PageTaken"').length - 1;
    for (const part of ofTheDay([0.2, 0.4, 0.6, 0.8], 1)) {
      requests = [];
      const left = await killedDisk(flowOf(names), open(), () => requests.length > needed * part);
      const committed = taken(left);
      expect(committed).toBeLessThan(needed);
      // Its last requests may arrive after its end, and are none of the next run's.
      await until(() => server.sockets.size === 0, 'the end of its connections');
      requests = [];
      everyRowOnce(await toEnd(left), names);
      expect(refused).toEqual([]);
      check(needed, committed);
    }
  };

  it('brings every row once in a flow that is killed and resumed, and no page that was committed is requested again', async () => {
    await killed(Object.keys(pagedOperations), (needed, committed) => expect(requests.length).toBeLessThanOrEqual(needed - committed));
  });

  it.each(Object.keys(scrolledOperations))('starts a walk of %s over that was interrupted, and takes no row twice', async (operation) => {
    await killed([operation], (needed, committed) => {
      const started = requests.filter(({ sent }) => sent['scroll'] === undefined).length;
      expect(started).toBeGreaterThan(0);
      // Each walk that was interrupted requests its pages again.
      expect(requests.length).toBeLessThanOrEqual(needed - committed + (most - 1) * started);
    });
  });

  it('brings every row once where workers send the requests', async () => {
    await using worker = open();
    await using client = remoteClient(worker);
    everyRowOnce(await runInMemory(flowOf(operations), client), operations);
    expect(refused).toEqual([]);
    for (const operation of operations) fewRequests(operation, queries.length);
  });
});
