import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { ofTheDay } from './ofTheDay.ts';
import { expandCursor, items, offsetPages, type PageFactory, type PageLike } from '../operators/index.ts';
import { leadFlow, startWorker } from '../src/bullmq/index.ts';
import { loadService, pagingKindOf, type Service } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import { runFlow, type FlowDefinition } from '../src/flow/index.ts';
import { openStore } from '../src/store/index.ts';
import { hasRedis, startRedis } from './bullmq/startRedis.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { until } from './client/testClient.ts';
import { pagedModule, pagedOperations, rowsOf, scrolledOperations, total, type Sent } from './pagedServices.ts';

const described = { ...pagedOperations, ...scrolledOperations };
const operations = Object.keys(described);
const wanted = rowsOf('a').map(({ id }) => id);
const queries = ['a', 'b', 'c'];
/** Each walk has three pages. One more may confirm the end, and that one may be looked at again. */
const [fewest, most] = [3, 5];

describe('every way of paging', () => {
  let server: Server;
  let url: string;
  let requests: { readonly operation: string; readonly sent: Sent }[] = [];
  let refused: string[] = [];
  let folder: string;
  let delayMs = 0;
  let connections = 0;
  let service: Service;

  beforeAll(async () => {
    server = createServer(
      (request, response) =>
        void respond(request).then((body) => {
          response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
        }),
    );
    server.on('connection', (socket) => {
      connections += 1;
      socket.once('close', () => (connections -= 1));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // Below the bundle, which the description imports.
    folder = await mkdtemp(join(inject('dist'), 'paged-'));
    await writeFile(join(folder, 'paged.mjs'), pagedModule(inject('dist')));
    service = await loadService(join(folder, 'paged.mjs'));
  });
  beforeEach(() => void ([requests, refused, delayMs] = [[], [], 0]));
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const respond = async (request: IncomingMessage): Promise<object | undefined> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url!, url);
    const body = Buffer.concat(chunks).toString();
    const sent: Sent = { ...Object.fromEntries(searchParams), ...(body === '' ? {} : (JSON.parse(body) as Sent)) };
    const operation = pathname.slice(1);
    requests.push({ operation, sent });
    if (delayMs > 0) await new Promise((over) => setTimeout(over, delayMs));
    const reply = described[operation]!.reply(sent, rowsOf(String(sent['q'])));
    if (reply === undefined) refused.push(`${operation} ${JSON.stringify(sent)}`);
    return reply;
  };
  const fewRequests = (operation: string, walks: number): void => {
    expect(refused).toEqual([]);
    const count = requests.filter((request) => request.operation === operation).length;
    expect(count).toBeGreaterThanOrEqual(fewest * walks);
    expect(count).toBeLessThanOrEqual((described[operation]!.more?.['claims'] === undefined ? most : fewest) * walks);
  };
  const queryOf = (operation: string, q: unknown): { readonly [param: string]: unknown } => ({ q, ...described[operation]!.given });

  const walk = async (operation: string, store?: string): Promise<string[]> => {
    await using client = createClient({
      service,
      baseUrl: url,
      rate: 'unlimited',
      ...(store === undefined ? {} : { store: openStore(store, { mode: 'reuse' }) }),
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
    expect(await walk(operation, store)).toEqual(wanted);
    expect(requests).toEqual([]);
  });

  it.each(operations)('%s brings every row once on the command line', async (operation) => {
    const options = Object.entries(queryOf(operation, 'a')).flatMap(([param, value]) => [`--${param}`, String(value)]);
    const args = ['call', operation, '--service', join(folder, 'paged.mjs'), ...options, '--pages', 'all', '--format', 'jsonl'];
    const { code, stdout } = await runInProcess(args, { env: { TRAWLER_BASE_URL: url } });
    expect([code, stdout.trim().split('\n').length]).toEqual([0, total]);
    fewRequests(operation, 1);
  });

  const stagesOf = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((operation) => [operation, { call: operation, with: queryOf(operation, queries), pages: 'all', to: `${operation}.jsonl` }]),
    );
  const everyRowOnce = async (out: string, names: readonly string[]): Promise<void> => {
    for (const operation of names) {
      const rows = (await readFile(join(out, `${operation}.jsonl`), 'utf8')).trim().split('\n');
      expect([operation, rows.length, new Set(rows).size]).toEqual([operation, total * queries.length, total * queries.length]);
    }
  };

  /** Runs a flow over these operations as a whole, and then kills one half-way and resumes it. */
  const killed = async (names: readonly string[]) => {
    const own = await mkdtemp(join(folder, 'killed-'));
    const flow = { name: 'paged', service: './paged.mjs', stages: stagesOf(names) };
    await writeFile(join(own, 'paged.mjs'), pagedModule(inject('dist')));
    await writeFile(join(own, 'flow.json'), JSON.stringify(flow));
    // It commits each page at once.
    await writeFile(
      join(own, 'run.mjs'),
      `
import { lastValueFrom } from 'rxjs';
import { createClient } from '${inject('dist')}/bundle/index.js';
import { loadFlow, runFlow } from '${inject('dist')}/bundle/flow.js';
const flow = await loadFlow('${join(own, 'flow.json')}');
const client = createClient({ service: flow.service, baseUrl: '${url}', rate: 'unlimited', concurrency: 2 });
await lastValueFrom(runFlow(flow, { client, outDir: process.argv[2], commitMs: 0 }));
await client.close();
`,
    );
    const toEnd = async (outDir: string): Promise<void> => {
      await using client = createClient({ service, baseUrl: url, rate: 'unlimited', concurrency: 2 });
      await lastValueFrom(runFlow({ ...flow, service } as FlowDefinition, { client: client as never, outDir }));
    };
    await toEnd(join(own, 'whole'));
    const needed = requests.length;
    delayMs = 30;

    const out = join(own, 'out');
    requests = [];
    const first = spawn(process.execPath, [join(own, 'run.mjs'), out], { stdio: ['ignore', 'ignore', 'inherit'] });
    const journal = join(out, '.trawler', 'journal.jsonl');
    const pages = (): number => (existsSync(journal) ? (readFileSync(journal, 'utf8').match(/"type":"PageTaken"/g)?.length ?? 0) : 0);
    await until(() => pages() > needed / 4, 'commits');
    first.kill('SIGKILL');
    await once(first, 'exit');
    // Its last requests may arrive after its end, and are none of the next run's.
    await until(() => connections === 0, 'the end of its connections');
    const committed = pages();
    expect(committed).toBeLessThan(needed);

    delayMs = 0;
    requests = [];
    await toEnd(out);
    expect(refused).toEqual([]);
    await everyRowOnce(out, names);
    return { needed, committed };
  };

  it('brings every row once in a flow that is killed and resumed, and no page that was committed is requested again', async () => {
    const { needed, committed } = await killed(Object.keys(pagedOperations));
    expect(requests.length).toBeLessThanOrEqual(needed - committed);
  }, 60_000);

  it.each(ofTheDay(Object.keys(scrolledOperations), 1))(
    'starts a walk of %s over that was interrupted, and takes no row twice',
    async (operation) => {
      const { needed, committed } = await killed([operation]);
      const started = requests.filter(({ sent }) => sent['scroll'] === undefined).length;
      expect(started).toBeGreaterThan(0);
      // Each walk that was interrupted requests its pages again.
      expect(requests.length).toBeLessThanOrEqual(needed - committed + (most - 1) * started);
    },
    60_000,
  );

  it.skipIf(!hasRedis())(
    'brings every row once over a queue',
    async () => {
      const redis = await startRedis({ persistent: false });
      try {
        await using client = createClient({ service, baseUrl: url, rate: 'unlimited' });
        const flow = { name: 'paged', service, stages: stagesOf(operations) } as FlowDefinition;
        const worker = await startWorker(flow, { client: client as never, queue: redis.url });
        const out = join(folder, 'queue');
        await lastValueFrom(leadFlow(flow, { queue: redis.url, outDir: out, rate: 'unlimited' }));
        await worker.close();
        expect(refused).toEqual([]);
        await everyRowOnce(out, operations);
        for (const operation of operations) fewRequests(operation, queries.length);
      } finally {
        await redis.close();
      }
    },
    60_000,
  );
});
