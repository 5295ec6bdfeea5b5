import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, defineOperation, defineService, type AnyClient, type Service } from '../../src/index.ts';
import { checkFlow, loadFlow, planFlow, runFlow, type FlowDefinition, type FlowProgress, type FlowSummary } from '../../src/flow/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { startServer, type TestServer } from '../client/startServer.ts';
import { withoutOwnWords } from '../search/withoutOwnWords.ts';

/** Numbers between 0 and 1 from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

type Trouble = 'none' | 'quota' | 'key' | 'down' | 'hiccup';

/** A service on a socket. Its wire names, its prices and its keys are its own. */
interface Server extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  /** Good answers: what it counts. */
  readonly served: { readonly q: string; readonly page: number }[];
  readonly keys: Set<string>;
  trouble: Trouble;
  /** Answers until its trouble begins, and refusals until it ends. */
  left: number;
}

const pagesOf = (q: string): number => 1 + (Number(q.slice(1)) % 3);

async function serve(name: string, price: number): Promise<Server> {
  const word = `${name}Q`;
  const server: TestServer = await startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://service');
    self.keys.add(String(request.headers['x-key']));
    const q = searchParams.get(word) ?? '';
    const page = Number(searchParams.get('p') ?? 1);
    const refuse = (status: number, error: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error }));
    };
    const isOver = self.left <= 0;
    if (self.trouble === 'key') return refuse(401, 'wrong key');
    if (self.trouble === 'down' || (self.trouble === 'hiccup' && self.left-- > 0)) return refuse(503, 'away');
    if (self.trouble === 'quota' && isOver) return refuse(402, 'no credits');
    if (self.trouble === 'quota') self.left -= 1;
    self.served.push({ q, page });
    const rows = pathname === '/detail' ? [{ [`${name}Id`]: `${q}/detail` }] : [0, 1].map((n) => ({ [`${name}Id`]: `${q}/${page}/${n}` }));
    response.end(JSON.stringify({ rows, more: page < pagesOf(q) }));
  });
  const common = {
    response: { rows: [{ [`${name}Id`]: 'string' }], 'more?': 'boolean' },
    rows: 'rows',
    columns: { id: `${name}Id` },
    id: 'id',
  } as const;
  const search = defineOperation({
    ...common,
    get: '/search',
    query: { [word]: '${q}', p: '${page:1}' },
    params: { q: { type: 'string', required: true } },
    more: 'more',
  } as never);
  const detail = defineOperation({
    ...common,
    get: '/detail',
    query: { [word]: '${q}' },
    params: { q: { type: 'string', required: true } },
  } as never);
  const self: Server = {
    service: defineService({
      name,
      baseUrl: server.url,
      headers: { 'x-key': '${key}' },
      failures: [{ status: 402, means: 'quota' }],
      envelope: { error: 'error' },
      price: { default: price, failed: 0 },
      operations: { search, detail, ...(name === 'one' ? { only: detail } : {}) },
    }),
    url: server.url,
    served: [],
    keys: new Set(),
    trouble: 'none',
    left: 0,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return self;
}

describe('several services', () => {
  let folder: string;
  let servers: readonly Server[];
  const names = ['one', 'two', 'three'];
  const clientsOf = (some: readonly Server[]): readonly AnyClient[] =>
    some.map(({ service }) =>
      createClient({ service, apiKey: `key-of-${service.name}`, rate: 'unlimited', retry: { maxAttempts: 2, baseMs: 1 }, ledger: false }),
    ) as never;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-services-'));
    servers = await Promise.all(names.map((name, at) => serve(name, at + 1)));
  });
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  const reset = (): void => {
    for (const server of servers) {
      server.served.splice(0);
      server.keys.clear();
      server.trouble = 'none';
      server.left = 0;
    }
  };

  /** Runs a flow, killed after some events if that is wanted. */
  async function run(
    flow: FlowDefinition,
    some: readonly Server[],
    outDir: string,
    killAfter = Infinity,
    failures = false,
  ): Promise<FlowSummary | undefined> {
    const [client, ...clients] = clientsOf(some);
    const told: FlowProgress[] = [];
    try {
      return await new Promise<FlowSummary | undefined>((resolve, reject) => {
        let events = 0;
        const stop = new AbortController();
        runFlow(flow, { client: client!, clients, outDir, signal: stop.signal, failures, concurrency: 4, commitMs: 0 }).subscribe({
          next: (event) => {
            told.push(event);
            if (event.type === 'commit' && ++events >= killAfter) {
              stop.abort();
            }
          },
          error: reject,
          complete: () => resolve(told.at(-1) as FlowSummary),
        });
      });
    } finally {
      for (const one of [client!, ...clients]) await one.close();
    }
  }
  const rowsIn = async (path: string): Promise<readonly { readonly id: string; readonly _service?: string }[]> => {
    const text = (await readFile(path, 'utf8')).trim();
    return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as { readonly id: string; readonly _service?: string });
  };

  it('answer a stage each, with one journal, one report, a key each, and a cost each', async () => {
    reset();
    const flow: FlowDefinition = {
      name: 'stages',
      service: 'one',
      stages: {
        places: { call: 'search', with: { q: ['q1', 'q2', 'q3'] }, pages: 'all', to: 'places.jsonl' },
        details: { service: 'two', call: 'detail', each: 'places', with: { q: '$.id' }, to: 'details.jsonl' },
      },
    };
    const outDir = join(folder, 'stages');
    const summary = (await run(flow, servers, outDir))!;
    expect(summary.outcome).toBe('complete');
    const places = await rowsIn(join(outDir, 'places.jsonl'));
    expect(places.map(({ id }) => id).toSorted()).toEqual(['q1', 'q2', 'q3'].flatMap((q) => Array.from({ length: pagesOf(q) }, (_, p) => [0, 1].map((n) => `${q}/${p + 1}/${n}`)).flat()).toSorted()); // prettier-ignore
    expect((await rowsIn(join(outDir, 'details.jsonl'))).length).toBe(places.length);
    const [one, two, three] = servers as [Server, Server, Server];
    expect([one.keys, two.keys, three.keys]).toEqual([new Set(['key-of-one']), new Set(['key-of-two']), new Set()]);
    expect(summary.services).toEqual([
      { name: 'one', pages: one.served.length, cost: one.served.length },
      { name: 'two', pages: two.served.length, cost: 2 * two.served.length },
    ]);
    expect(await readFile(join(outDir, 'report.html'), 'utf8')).toContain(`two gave ${two.served.length} pages`);
    const plan = await planFlow(flow, { client: clientsOf(servers)[0] as never }).catch((error: unknown) => error);
    expect(String(plan)).toContain('only loadFlow finds a service by its name');
  });

  it('refuses services that nobody knows, and operations and parameters that none of the named ones has', () => {
    const services = Object.fromEntries(servers.map(({ service }) => [service.name, service]));
    const faults = (stage: object, more: object = {}): readonly string[] =>
      checkFlow({ name: 'f', ...more, stages: { s: stage } }, { services }).map(({ path, message }) => `${path}: ${message}`);
    expect(faults({ call: 'search', with: { q: 'a' }, service: 'four' })).toEqual([expect.stringContaining('stages.s.service')]);
    expect(faults({ call: 'none', service: ['one', 'two'] })).toEqual([expect.stringContaining("no operation is called 'none'")]);
    expect(faults({ call: 'only', with: { q: 'a' }, service: ['two', 'one'] })).toEqual([]);
    expect(faults({ call: 'search', with: { q: 'a', x: 1 } }, { service: ['one', 'two'] })).toEqual([expect.stringContaining("'x'")]);
  });

  it('are named in a file beside the flow and in its stages, with a variable each', async () => {
    reset();
    const at = await mkdtemp(join(folder, 'files-'));
    for (const { service } of servers.slice(0, 2)) {
      const { name, baseUrl, headers, price, operations } = service;
      const plain = Object.fromEntries(Object.entries(operations).map(([each, { spec }]) => [each, withoutOwnWords(spec)]));
      await writeFile(join(at, `${name}.json`), JSON.stringify({ name, baseUrl, headers, price, operations: plain }));
    }
    const stages = {
      places: { service: './one.json', call: 'search', with: { q: 'q2' }, pages: 'all', to: 'places.jsonl' },
      details: { service: './two.json', call: 'detail', each: 'places', with: { q: '$.id' }, to: 'details.jsonl' },
    };
    const path = join(at, 'flow.json');
    await writeFile(path, JSON.stringify({ name: 'files', stages }));
    expect((await loadFlow(path)).services.map(({ name }) => name)).toEqual(['one', 'two']);
    const out = join(at, 'out');
    const lacking = await runInProcess(['run', path, '--out', out, '--quiet'], { env: { ONE_API_KEY: 'key-of-one' } });
    expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('TWO_API_KEY is not set')]);
    const ran = await runInProcess(['run', path, '--out', out], { env: { ONE_API_KEY: 'key-of-one', TWO_API_KEY: 'key-of-two' } });
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/one gave 3\s+pages\s+for\s+3\S*\s+two\s+gave\s+6\s+pages\s+for\s+12/),
    ]);
    expect([...servers[0]!.keys, ...servers[1]!.keys]).toEqual(['key-of-one', 'key-of-two']);
    const planned = await runInProcess(['plan', path]);
    expect(planned.stdout).toMatch(/one: .*\n.*two: /);
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed))('go on where one is out, in world %i', async (seed) => {
    reset();
    const random = randomFrom(seed + 1);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
    const some = servers.slice(0, 2 + Math.floor(random() * 2));
    for (const server of some) {
      server.trouble = pick<Trouble>(['none', 'quota', 'key', 'down', 'hiccup', 'none']);
      server.left = Math.floor(random() * 12);
    }
    const queries = Array.from({ length: 14 }, (_, n) => `q${n}`);
    const flow: FlowDefinition = {
      name: `world-${seed}`,
      service: some.map(({ service }) => service.name),
      stages: { rows: { call: 'search', with: { q: queries }, pages: 'all', to: 'rows.jsonl' } },
    };
    const outDir = join(folder, `world-${seed}`);
    const could = some.some(({ trouble }) => trouble === 'none' || trouble === 'hiccup');
    let killed = 0;
    let summary: FlowSummary | undefined;
    for (let nth = 0; nth < 10 && summary?.outcome !== 'complete'; nth += 1) {
      const kill = nth < 2 && random() < 0.5 ? 1 + Math.floor(random() * 5) : Infinity;
      const failures = summary !== undefined && summary.outcome === 'failed';
      summary = await run(flow, some, outDir, kill, failures).catch(() => undefined);
      if (summary === undefined || kill < Infinity) killed += 1;
    }
    const rows = await rowsIn(join(outDir, 'rows.jsonl')).catch(() => rowsIn(join(outDir, 'rows.jsonl.part')).catch(() => []));
    let isLost = false;
    // no row twice, and no walk of two services
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const q of queries) {
      const own = rows.filter(({ id }) => id.startsWith(`${q}/`));
      expect(new Set(own.map(({ _service }) => _service)).size).toBeLessThanOrEqual(1);
      // what a service has begun, no other one ends
      const begun = some.find(({ service }) => service.name === own[0]?._service);
      const lost = begun?.trouble === 'quota' && own.length < 2 * pagesOf(q);
      expect(!could || lost || own.length === 2 * pagesOf(q), `${q}: ${own.length} rows`).toBe(true);
      isLost ||= lost;
    }
    const isRight = isLost ? summary?.outcome !== 'complete' : summary?.outcome === 'complete';
    expect(!could || isRight, `${summary?.outcome}: ${summary?.because}`).toBe(true);
    for (const { service, served, keys } of some) {
      const paid = summary?.services?.find(({ name }) => name === service.name) ?? { pages: 0, cost: 0 };
      const isExact = killed === 0 && summary !== undefined;
      expect(served.length - paid.pages).toBeLessThanOrEqual(isExact ? 0 : 4 * (killed + 1));
      expect([...keys].every((key) => key === `key-of-${service.name}`)).toBe(true);
    }
  });
});
