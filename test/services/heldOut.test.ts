import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { items, type PageFactory, type PageLike } from '../../operators/index.ts';
import { valueAt } from '../../operators/kit/path.ts';
import { walkPages } from '../../operators/walk/walkPages.ts';
import { loadService, type Service } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { leadFlow, startWorker } from '../../src/bullmq/index.ts';
import type { FlowDefinition } from '../../src/flow/index.ts';
import { openStore } from '../../src/store/index.ts';
import { hasRedis, startRedis, type TestRedis } from '../bullmq/startRedis.ts';
import { startServer, type TestServer } from '../client/startServer.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { until } from '../client/testClient.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { variablesOf } from '../../src/contract/index.ts';
import { heldOut, type HeldOut, type Sent } from './heldOut.ts';
import { moreHeldOut } from './moreHeldOut.ts';
import { strangeHeldOut } from './strangeHeldOut.ts';

const slug = (name: string): string => name.toLowerCase().replaceAll(/\W+/g, '-');
const moduleOf = (name: string, { service, operation }: HeldOut): string => `
import { defineOperation, defineService } from '${inject('dist')}/bundle/index.js';
const service = ${JSON.stringify({ name: slug(name), ...service })};
export default defineService({ ...service, operations: { rows: defineOperation(${JSON.stringify(operation)}) } });
`;

/** The other secrets, as the environment has them. */
const secretsOf = ({ one: { secrets = {} }, service }: Running): object =>
  Object.fromEntries(Object.entries(secrets).map(([name, value]) => [variablesOf(service).secrets[name], value]));

interface Running {
  readonly name: string;
  readonly one: HeldOut;
  readonly server: TestServer;
  readonly folder: string;
  readonly service: Service;
  readonly wanted: readonly string[];
  /** Requests for rows so far. */
  count: number;
  /** The request that gets no response, by its count. 0: none, or it has come. */
  holdAt: number;
}

/** Serves one of them. What it doesn't know it refuses. */
async function serve(name: string, one: HeldOut, folder: string): Promise<Running> {
  const server = await startServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url!, server.url);
      const body = Buffer.concat(chunks).toString();
      const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
      const b = isForm ? Object.fromEntries(new URLSearchParams(body)) : body === '' ? {} : (JSON.parse(body) as object);
      const headers = request.headers as Sent['headers'];
      if (!pathname.endsWith('token')) running.count += 1;
      const sent: Sent = { method: request.method!, path: pathname, p: Object.fromEntries(searchParams), headers, b, self: server.url };
      const reply = one.answer(sent) ?? { status: 400, body: { message: `refused: ${request.url} ${body}` } };
      if (running.holdAt > 0 && running.count >= running.holdAt) {
        running.holdAt = 0;
        return;
      }
      const { status = 200, headers: more = {}, body: said } = reply;
      const raw = typeof said === 'string' || Buffer.isBuffer(said) ? said : JSON.stringify(said);
      setTimeout(() => response.writeHead(status, { 'content-type': 'application/json', ...more }).end(raw), 3);
    });
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'service.mjs'), moduleOf(name, one));
  const flow = {
    name: slug(name),
    service: './service.mjs',
    stages: { rows: { call: 'rows', with: asWritten(one.query), pages: 'all', to: 'rows.jsonl' } },
  };
  await writeFile(join(folder, 'flow.json'), JSON.stringify(flow));
  const service = await loadService(join(folder, 'service.mjs'));
  const wanted = Array.from({ length: one.total }, (_, nth) => `r${nth}`);
  const running: Running = { name, one, server, folder, service, wanted, count: 0, holdAt: 0 };
  return running;
}

/** In a flow, a list in a list is one value. */
const asWritten = (query: object): object =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? [value] : (value as unknown)]));

describe('services that nothing was written for', () => {
  let folder: string;
  let redis: TestRedis | undefined;
  let modules: string;
  const all = new Map<string, Running>();
  const names = Object.keys(heldOut);
  /** All that was printed. */
  const printed: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-held-'));
    modules = join(inject('dist'), 'held-out');
    if (hasRedis()) redis = await startRedis({ persistent: false });
    for (const [name, one] of Object.entries(heldOut)) all.set(name, await serve(name, one, join(modules, slug(name))));
  });
  afterAll(async () => {
    for (const { server } of all.values()) await server[Symbol.asyncDispose]();
    await redis?.close();
    await rm(folder, { recursive: true, force: true });
    await rm(modules, { recursive: true, force: true });
  });

  const open = ({ service, server, one }: Running, options: object = {}) =>
    createClient({
      service,
      baseUrl: server.url,
      ...(one.key !== undefined && { apiKey: one.key }),
      secrets: one.secrets,
      rate: 'unlimited',
      ...options,
    });
  const idsOf = ({ one }: Running, rows: readonly unknown[]): string[] => rows.map((row) => String(valueAt(row, one.id)));
  const walk = async (running: Running, options: object = {}): Promise<string[]> => {
    await using client = open(running, options);
    const { rows } = client as unknown as { readonly rows: PageFactory<object, PageLike> };
    return idsOf(running, await lastValueFrom(walkPages(rows, {})(running.one.query).pipe(items(), toArray())));
  };
  const linesOf = async (path: string): Promise<unknown[]> => {
    const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as unknown);
  };
  /** Runs something with one of them. It may send so many requests more than needed. */
  const within = async (name: string, more: number, run: (running: Running) => Promise<void>): Promise<void> => {
    const running = all.get(name)!;
    const before = running.count;
    await run(running);
    const sent = running.count - before;
    expect([name, sent <= running.one.needed + more ? 'few requests' : `${sent} requests`]).toEqual([name, 'few requests']);
  };

  // Each service brings them in a pipe every day; from a store and in a flow every sixth, to the command and over a queue every twelfth.
  const stored = new Set(ofTheDay(names, Math.ceil(names.length / 6)));
  it.each(names)('%s brings all rows once in a pipe, and again from a store', async (name) => {
    await within(name, 2, async (running) => expect(await walk(running)).toEqual(running.wanted));
    if (!stored.has(name)) return;
    const { service, one } = all.get(name)!;
    const { paging } = service.operations['rows']!.spec;
    // The pages of a token that stays the same are requested again.
    await within(name, 2 + ('repeats' in paging && paging.repeats ? one.needed : 0), async (running) => {
      const store = () => openStore(join(folder, `store-${slug(name)}`));
      for (let run = 0; run < 2; run++) expect(await walk(running, { store: store() })).toEqual(running.wanted);
    });
  });

  it.each(ofTheDay(names, Math.ceil(names.length / 12)))('%s brings all rows once to the command', (name) =>
    within(name, 2, async (running) => {
      const { query, key } = running.one;
      const { params } = running.service.operations['rows']!;
      const options = Object.entries(query).flatMap(([param, value]) => {
        // A list of texts is an option that is given several times.
        const values =
          params[param]!.type === 'strings' ? (value as string[]) : [typeof value === 'string' ? value : JSON.stringify(value)];
        return values.flatMap((each) => [`--query.${param}`, each]);
      });
      const env = { TRAWLER_BASE_URL: running.server.url, ...(key !== undefined && { TRAWLER_API_KEY: key }), ...secretsOf(running) };
      const pages = running.service.operations['rows']!.spec.paging.kind === 'none' ? ['--format', 'jsonl'] : ['--pages', 'all'];
      const run = await runInProcess(['call', 'rows', '--service', join(running.folder, 'service.mjs'), ...options, ...pages], { env });
      printed.push(run.stdout, run.stderr);
      const rows = run.stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown);
      expect([run.code, run.stderr.includes('Error'), idsOf(running, rows)]).toEqual([0, false, running.wanted]);
    }),
  );

  it.each(ofTheDay([1, 2, 3, 4, 5], 1))(
    'bring all rows once in flows that are killed at request %i and resumed',
    async (nth) => {
      // The flows in one process. It is killed when each service has taken that request, and before it responds.
      const some = ofTheDay(Array.from(all.values()), Math.ceil(all.size / 6), 1);
      const flows = some.map(({ name, folder: of, server, one }) => ({
        name,
        file: join(of, 'flow.json'),
        url: server.url,
        key: one.key,
        secrets: one.secrets,
      }));
      await writeFile(
        join(modules, 'run.mjs'),
        `
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { createClient } from '${inject('dist')}/bundle/index.js';
import { loadFlow, runFlow } from '${inject('dist')}/bundle/flow.js';
await Promise.all(${JSON.stringify(flows)}.map(async ({ name, file, url, key, secrets }) => {
  const flow = await loadFlow(file);
  const client = createClient({ service: flow.service, baseUrl: url, apiKey: key, secrets, rate: 'unlimited' });
  const summary = await lastValueFrom(runFlow(flow, { client, outDir: join(process.argv[2], name) }));
  console.log(name, summary.outcome);
  await client.close();
}));
`,
      );
      const out = join(folder, `killed-${nth}`);
      const ended = new Set<string>();
      const start = () => {
        const child = spawn(process.execPath, [join(modules, 'run.mjs'), out], { stdio: ['ignore', 'pipe', 'pipe'] });
        for (const output of [child.stdout, child.stderr]) output.on('data', (text: Buffer) => printed.push(String(text)));
        createInterface(child.stdout).on('line', (line) => ended.add(line));
        return child;
      };
      const before = new Map(some.map(({ name, count }) => [name, count]));
      for (const running of some) running.holdAt = running.count + nth;
      const first = start();
      await until(() => some.every(({ name, holdAt }) => holdAt === 0 || ended.has(`${name} complete`)), 'the flows');
      const killed = new Set(some.flatMap(({ name, holdAt }) => (holdAt === 0 ? [name] : [])));
      first.kill('SIGKILL');
      await once(first, 'exit');
      for (const running of some) running.holdAt = 0;
      const second = start();
      expect(await once(second, 'close')).toEqual([0, null]);
      expect(killed.size).toBeGreaterThan(0);
      for (const { name, one, count } of some) {
        // Where the service itself counts, two requests find it out, and what came before the kill comes only once more.
        const more = killed.has(name) && 'counts' in one ? 4 : 2;
        expect([name, Math.max(more, count - before.get(name)! - one.needed)]).toEqual([name, more]);
      }
    },
    60_000,
  );

  const queued = ['Solr', 'Twitch', 'GitLab', 'OAI-PMH', 'DynamoDB', ...Object.keys({ ...moreHeldOut, ...strangeHeldOut })];
  it.skipIf(!hasRedis()).concurrent.each(ofTheDay(queued, Math.ceil(queued.length / 12)))('%s brings all rows once over a queue', (name) =>
    within(name, 2, async (running) => {
      await using client = open(running);
      const flow = {
        name: slug(name),
        service: running.service,
        stages: { rows: { call: 'rows', with: asWritten(running.one.query), pages: 'all', to: 'rows.jsonl' } },
      } as FlowDefinition;
      const queue = redis!.url;
      const worker = await startWorker(flow, { client: client as never, queue });
      const out = join(folder, `queue-${slug(name)}`);
      await lastValueFrom(leadFlow(flow, { queue, outDir: out, rate: 'unlimited' }));
      await worker.close();
      expect(idsOf(running, await linesOf(join(out, 'rows.jsonl')))).toEqual(running.wanted);
    }),
  );

  it('show their keys nowhere', async () => {
    const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const written = await Promise.all(entries.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')));
    expect(written.length).toBeGreaterThan(names.length);
    const keys = Object.values(heldOut).flatMap(({ key = [] }) => key);
    const secrets = [...keys.flatMap((key) => key.split(':')), ...keys.map((key) => Buffer.from(key).toString('base64'))];
    const long = [...new Set(secrets)].filter((secret) => secret.length > 8 && !secret.includes('@'));
    for (const secret of long) expect([...printed, ...written].filter((text) => text.includes(secret))).toEqual([]);
  });
});
