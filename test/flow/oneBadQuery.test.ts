import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, tap, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { createClient, type ClientOptions } from '../../src/index.ts';
import { searchService } from '../../src/search/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { failWith, fakeClient, VirtualClock, type FakeRequest } from '../../src/testing/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { startSandbox, type Fault, type Sandbox } from '../../src/sandbox/index.ts';
import { more, nameOf } from '../sandbox/moreFaults/more.ts';

const count = 60;
const names = (from: number, to: number): readonly string[] => Array.from({ length: to - from }, (_, index) => `q${from + index}`);
const bad = 'q30';

/** Sixty queries, of which a fault can be made for one alone. */
const flow: FlowDefinition = {
  name: 'sixty',
  stages: { suggestions: { call: 'autocomplete', with: { query: names(0, count) }, keep: {}, to: ['all.jsonl', 'all.csv'] } },
};

const retry = { baseMs: 1, capMs: 5 };

async function run(
  sandbox: Sandbox,
  outDir: string,
  options: Partial<RunFlowOptions> & ClientOptions = {},
  of = flow,
): Promise<FlowSummary> {
  const { rate = 'unlimited', timeoutMs = 20_000, concurrency = 8, store, ...rest } = options;
  await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate, timeoutMs, retry, store });
  return (await lastValueFrom(runFlow(of, { client, outDir, concurrency, ...rest }))) as FlowSummary;
}

/** What a service says, and after how long. */
interface Said {
  readonly ms: number;
  readonly status?: number;
}

/** Runs a flow whose client and service have a clock that moves on as soon as nothing is due. */
async function runInVirtualTime(
  of: FlowDefinition,
  respond: (query: string, now: number) => Said,
  { disk = new MemoryDisk(), maxRequests, ...options }: ClientOptions & { readonly disk?: MemoryDisk },
): Promise<FlowSummary> {
  const clock = new VirtualClock();
  const reply = ({ query }: FakeRequest): Promise<object> =>
    new Promise((resolve, reject) => {
      const { ms, status = 200 } = respond(String(query['query']), clock.now());
      const end = (): void => (status === 200 ? resolve({ suggestions: [{ value: query['query'] }] }) : reject(failWith(status)));
      clock.after(ms, end);
    });
  const { client } = fakeClient(searchService, reply, { clock, validate: 'off', ...options });
  const state = { over: false };
  const ran = lastValueFrom(runFlow(of, { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk), concurrency: 8, maxRequests }));
  const done = ran.finally(() => (state.over = true));
  while (!state.over) {
    await new Promise((turn) => setImmediate(turn));
    clock.advance(clock.nextMs ?? 0);
  }
  await client.close();
  return (await done) as FlowSummary;
}

const linesOf = async (outDir: string, file: string): Promise<readonly { readonly [field: string]: unknown }[]> => {
  const text = await readFile(join(outDir, file), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as { readonly [field: string]: unknown }); // prettier-ignore
};
const requestsOf = (sandbox: Sandbox, query: string): number => sandbox.requests.filter((one) => one.query['query'] === query).length;

/** Faults of one query that may pass, but never do. */
const passing: readonly Fault[] = [
  { fault: 'status', status: 500 },
  { fault: 'status', status: 503 },
  { fault: 'status', status: 520 },
  more({ fault: 'envelopeCode', code: 500 }),
  { fault: 'reset', at: 'headers' },
  { fault: 'stall', at: 'headers' },
];

describe.concurrent('a query that always fails while others succeed', () => {
  let folder: string;
  let whole: number;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-bad-query-'));
    await using sandbox = await startSandbox();
    whole = (await run(sandbox, join(folder, 'golden'))).stages[0]!.rows;
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each<Fault>([{ fault: 'status', status: 403 }, more({ fault: 'envelopeCode', code: 403 })])(
    'is a failure on record after one request where it is forbidden: $fault',
    async (fault) => {
      const outDir = join(folder, `forbidden ${nameOf(fault)}`);
      await using sandbox = await startSandbox({ faults: [{ ...fault, query: { query: bad } }] });
      const { outcome, stages } = await run(sandbox, outDir);
      expect([outcome, sandbox.requests.length]).toEqual(['failed', count]);
      expect(stages).toMatchObject([{ done: count - 1, failed: 1, waiting: 0 }]);
      expect(await linesOf(outDir, 'failures.jsonl')).toMatchObject([{ query: { query: bad }, error: { kind: 'final' } }]);
    },
  );

  it.each(ofTheDay(passing, 1))(
    'is a failure on record after at most 12 requests, and is fetched once the service is mended: $fault $status',
    async (fault) => {
      const outDir = join(folder, JSON.stringify(fault).replaceAll(/\W/g, ''));
      {
        await using sandbox = await startSandbox({ faults: [{ ...fault, query: { query: bad } } as Fault] });
        const { outcome, files, stages } = await run(sandbox, outDir, fault.fault === 'stall' ? { timeoutMs: 1000 } : {});
        expect(outcome).toBe('failed');
        expect(stages).toMatchObject([{ done: count - 1, failed: 1, waiting: 0 }]);
        expect(files.every(({ sha256 }) => sha256 !== undefined)).toBe(true);
        expect(await linesOf(outDir, 'failures.jsonl')).toMatchObject([
          { stage: 'suggestions', query: { query: bad }, error: { kind: expect.any(String) as string } },
        ]);
        expect(requestsOf(sandbox, bad)).toBeGreaterThan(1);
        expect(requestsOf(sandbox, bad)).toBeLessThanOrEqual(12);
        expect(sandbox.requests.length - requestsOf(sandbox, bad)).toBeLessThanOrEqual(count);
      }
      await using mended = await startSandbox();
      const { outcome, stages } = await run(mended, outDir, { failures: true });
      expect([outcome, stages[0]!.rows, mended.requests.length]).toEqual(['complete', whole, 1]);
      expect(await linesOf(outDir, 'failures.jsonl')).toEqual([]);
    },
  );

  it('is a failure on record in a resumed run too, where nothing else is left', async () => {
    const outDir = join(folder, 'resumed');
    const faults = [{ fault: 'status', status: 500, query: { query: bad } }] as const;
    await using sandbox = await startSandbox({ faults });
    const stop = new AbortController();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited', retry: { baseMs: 200 } });
    const look = (progress: FlowProgress): void => {
      if (progress.type === 'progress' && progress.stages[0]!.done === count - 1) stop.abort();
    };
    const stopped = (await lastValueFrom(runFlow(flow, { client, outDir, signal: stop.signal }).pipe(tap(look)))) as FlowSummary;
    expect([stopped.outcome, stopped.stages[0]!.waiting]).toEqual(['interrupted', 1]);
    const before = sandbox.requests.length;
    const { outcome, stages } = await run(sandbox, outDir);
    expect([outcome, stages[0]!.done, stages[0]!.failed]).toEqual(['failed', count - 1, 1]);
    expect(sandbox.requests.length - before).toBeLessThanOrEqual(13);
  });

  it.each([
    [6, 2],
    [25, 8],
  ])('is a failure on record when there are %i of them in a row, after at most %i runs', async (many, runs) => {
    const failing = new Set(names(20, 20 + many));
    const requests = new Map<string, number>();
    const respond = (query: string): Said => {
      requests.set(query, (requests.get(query) ?? 0) + 1);
      return { ms: 1, status: failing.has(query) ? 500 : 200 };
    };
    const disk = new MemoryDisk();
    const options = { disk, concurrency: 8, retry };
    expect((await runInVirtualTime(flow, respond, { ...options, maxRequests: 40 })).outcome).toBe('interrupted');
    let last = await runInVirtualTime(flow, respond, options);
    for (let run = 2; run < runs && last.outcome === 'interrupted'; run++) last = await runInVirtualTime(flow, respond, options);
    expect([last.outcome, last.stages[0]!.done, last.stages[0]!.failed]).toEqual(['failed', count - many, many]);
    for (const query of failing) expect(requests.get(query)).toBeLessThanOrEqual(24);
  });

  it('takes no other with it that only waited, where many fail slowly for longer than outageMs', async () => {
    const slow = new Set(names(30, 42));
    const { outcome, stages } = await runInVirtualTime(flow, (query) => (slow.has(query) ? { ms: 1000, status: 504 } : { ms: 1 }), {
      concurrency: 4,
      retry: { maxAttempts: 2, baseMs: 1, outageMs: 600 },
    });
    expect([outcome, stages[0]!.done, stages[0]!.failed]).toEqual(['failed', count - 12, 12]);
  });

  it('finishes the files where the failure of the last query exceeds failAbove', async () => {
    const faults = names(9, 20).map((query) => ({ fault: 'status', status: 404, query: { query } }) as const);
    const twenty: FlowDefinition = {
      name: 'twenty',
      stages: { suggestions: { call: 'autocomplete', with: { query: names(0, 20) }, to: 'all.jsonl' } },
    };
    await using sandbox = await startSandbox({ faults });
    const { outcome, stages, files } = await run(sandbox, join(folder, 'twenty'), { concurrency: 1 }, twenty);
    expect([outcome, stages[0]!.done, stages[0]!.failed]).toEqual(['failed', 9, 11]);
    expect(files.map(({ sha256 }) => typeof sha256)).toEqual(['string']);
  });

  it('comes last in the next run where the service asked it for a long pause, and is then a failure on record', async () => {
    const faults = [{ fault: 'status', status: 429, retryAfter: 7200, query: { query: bad } }] as const;
    const outDir = join(folder, 'pause');
    await using sandbox = await startSandbox({ faults });
    const first = await run(sandbox, outDir);
    expect([first.outcome, first.because]).toEqual(['interrupted', expect.stringMatching(/asks for a pause until/)]);
    const { outcome, stages, files } = await run(sandbox, outDir);
    expect([outcome, stages[0]!.done, stages[0]!.failed]).toEqual(['failed', count - 1, 1]);
    expect(files.every(({ sha256 }) => sha256 !== undefined)).toBe(true);
    expect([requestsOf(sandbox, bad), sandbox.requests.at(-1)!.query['query']]).toEqual([2, bad]);
    await using mended = await startSandbox();
    expect((await run(mended, outDir, { failures: true })).stages[0]!.rows).toBe(whole);
  });

  it('is requested again in the next run where nothing else was there to request', async () => {
    const faults = [{ fault: 'status', status: 429, retryAfter: 7200 }] as const;
    const one: FlowDefinition = {
      name: 'one',
      stages: { suggestions: { call: 'autocomplete', with: { query: bad }, to: 'all.jsonl' } },
    };
    const outDir = join(folder, 'pause-of-one');
    await using sandbox = await startSandbox({ faults });
    for (let requests = 1; requests <= 3; requests++) {
      expect((await run(sandbox, outDir, {}, one)).outcome).toBe('interrupted');
      expect(sandbox.requests.length).toBe(requests);
    }
    await using mended = await startSandbox();
    expect((await run(mended, outDir, {}, one)).outcome).toBe('complete');
  });

  it('keeps no other area from being covered where it is the first search of one', async () => {
    const areas: FlowDefinition = {
      name: 'areas',
      stages: {
        places: {
          call: 'mapsSearch',
          with: { query: ['coffee', 'tea', 'cake'] },
          cover: { within: [13, 52, 13.4, 52.3], full: 40 },
          to: 'a.jsonl',
        },
      },
    };
    const map = { within: [12.9, 51.9, 13.5, 52.4], places: 24 } as const;
    const outDir = join(folder, 'areas');
    await using sandbox = await startSandbox({ map, faults: [{ fault: 'status', status: 500, query: { query: 'coffee' } }] });
    const first = await run(sandbox, outDir, { maxRequests: 12 }, areas);
    expect(first.outcome).toBe('interrupted'); // so that the journal is read again
    const { outcome, stages, files } = await run(sandbox, outDir, {}, areas);
    expect([outcome, stages[0]!.failed, stages[0]!.waiting]).toEqual(['failed', 1, 0]);
    expect(files.every(({ sha256 }) => sha256 !== undefined)).toBe(true);
    expect(requestsOf(sandbox, 'coffee')).toBeLessThanOrEqual(24); // in two runs
    expect(requestsOf(sandbox, 'tea')).toBeGreaterThan(0);
    expect(requestsOf(sandbox, 'cake')).toBeGreaterThan(0);
  });

  it('says at once which query it tries again later, and why', async () => {
    await using sandbox = await startSandbox({ faults: [{ fault: 'status', status: 500, query: { query: bad } }] });
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited', retry });
    const said = await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'said') }).pipe(toArray()));
    const notices = said.flatMap((progress) => (progress.type === 'notice' ? [progress.message] : []));
    expect(notices).toEqual([expect.stringMatching(/^suggestions: a query failed .* tried again after all others: .*q30.*HTTP 500/)]);
    expect(said.filter(({ type }) => type === 'failure')).toHaveLength(1);
  });
});

// Each has a service of its own, and waits most of the time.
describe.concurrent('an outage', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-outage-'))));
  afterAll(() => rm(folder, { recursive: true }));
  const from = (nth: number): Fault => ({ fault: 'status', status: 503, nth: Array.from({ length: 2000 }, (_, index) => nth + index) });

  it.each([1, 30])('that begins with request %i and lasts leaves the run open, and costs only time', async (nth) => {
    const outDir = join(folder, `from-${nth}`);
    {
      await using sandbox = await startSandbox({ faults: [from(nth)] });
      const { outcome, because, stages, files } = await run(sandbox, outDir);
      expect([outcome, stages[0]!.failed, stages[0]!.done]).toEqual(['interrupted', 0, nth - 1]);
      expect(because).toMatch(/for a reason that may pass|nothing has come/);
      expect(files.every(({ sha256 }) => sha256 === undefined)).toBe(true);
    }
    await using sandbox = await startSandbox();
    const { outcome, stages } = await run(sandbox, outDir);
    expect([outcome, stages[0]!.done, sandbox.requests.length]).toEqual(['complete', count, count - (nth - 1)]);
  });

  it('of the last queries is a failure of each, which --failures requests once more', async () => {
    const outDir = join(folder, 'last');
    {
      await using sandbox = await startSandbox({ faults: [from(count - 2)] });
      const { outcome, stages } = await run(sandbox, outDir);
      expect([outcome, stages[0]!.failed, stages[0]!.done]).toEqual(['failed', 3, count - 3]);
    }
    await using sandbox = await startSandbox();
    const { outcome, stages } = await run(sandbox, outDir, { failures: true });
    expect([outcome, stages[0]!.done, sandbox.requests.length]).toEqual(['complete', count, 3]);
  });

  it('as long as forty first waits of a retry, in the middle, is ridden out in one run', async () => {
    const many: FlowDefinition = {
      name: 'many',
      stages: { all: { call: 'autocomplete', with: { query: names(0, 300) }, to: 'all.jsonl' } },
    };
    let requests = 0;
    let since = Infinity;
    const respond = (_: string, now: number): Said => {
      if (++requests === 100) since = now;
      return { ms: 0.4, status: now > since && now < since + 400 ? 503 : 200 };
    };
    const { outcome, stages } = await runInVirtualTime(many, respond, { rate: 'auto', retry: { baseMs: 10, capMs: 600 } });
    expect([outcome, stages[0]!.done, stages[0]!.failed]).toEqual(['complete', 300, 0]);
  });
});
