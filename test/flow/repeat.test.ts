import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { openStore } from '../../src/store/index.ts';
import { shareInterval } from '../../src/flow/state/shareLines.ts';
import { checkFlow, planFlow, runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { nextSteps } from '../../src/flow/report/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { failWith, fakeClient, MemoryFileSystem, type FakeRequest } from '../../src/testing/index.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { killedAt } from './killedAt.ts';

const answers = defineService({
  name: 'answers',
  operations: {
    ask: defineOperation({
      path: '/ask',
      params: { q: { type: 'string', about: 'words' } },
      response: { text: 'string', references: [{ link: 'string', index: 'integer' }] },
      list: 'references',
      paging: { kind: 'none' },
    }),
  },
});

const flowOf = (queries: string | readonly string[], repeat: { readonly times: number; readonly over?: string }, more: object = {}): FlowDefinition => ({
  name: 'answers',
  service: answers,
  stages: { citations: { call: 'ask', with: { q: queries }, by: 'link', repeat, to: 'citations.jsonl', ...more } },
}); // prettier-ignore

interface Share {
  readonly seen_at: string;
  readonly query: { readonly q: string };
  readonly row: { readonly link: string };
  readonly n: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

interface Ran {
  readonly summary: FlowSummary;
  readonly requests: readonly FakeRequest[];
  readonly shares: readonly Share[];
}

async function run(
  flow: FlowDefinition,
  fileSystem: MemoryFileSystem,
  linksOf: (q: string) => readonly string[],
  options: Partial<RunFlowOptions> = {},
): Promise<Ran> {
  const { client, requests } = fakeClient(answers, ({ query }) => ({
    text: 'x',
    references: linksOf(String(query['q'])).map((link, index) => ({ link, index })),
  }), { retry: { maxAttempts: 1 } }); // prettier-ignore
  const summary = (await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem, ...options }))) as FlowSummary;
  await client.close();
  const text = fileSystem.disk.read('/out/shares.jsonl')?.toString() ?? '';
  return { summary, requests, shares: text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Share) }; // prettier-ignore
}

describe('a stage with repeat', () => {
  it('has intervals that hold for 95 % of 1000 shares', async () => {
    const random = seeded(7);
    const worlds = Array.from({ length: 40 }, (_, nth) => ({
      q: `w${nth}`,
      often: Array.from({ length: 25 }, () => 0.1 + 0.85 * random()),
    }));
    const { requests, shares, summary } = await run(
      flowOf(worlds.map(({ q }) => q), { times: 10 }),
      new MemoryFileSystem(),
      (q) => worlds[Number(q.slice(1))]!.often.flatMap((share, nth) => (random() < share ? [`https://${nth}.com/`] : [])),
    ); // prettier-ignore
    expect(summary.outcome).toBe('complete');
    expect(requests).toHaveLength(400);
    expect(shares.every(({ of }) => of === 10)).toBe(true);
    const held = worlds.flatMap(({ q, often }) =>
      often.map((share, nth) => {
        const line = shares.find(({ query, row }) => query.q === q && row.link === `https://${nth}.com/`);
        const { low, high } = line ?? shareInterval(0, 10);
        return low <= share && share <= high;
      }),
    );
    expect(held.filter(Boolean).length).toBeGreaterThanOrEqual(950);
  });

  it('counts each row once in an answer, and no answer that failed', async () => {
    let asked = 0;
    const { shares, summary } = await run(flowOf('tea', { times: 4 }, { onError: 'skip' }), new MemoryFileSystem(), () => {
      asked += 1;
      if (asked === 2) throw failWith(400);
      return asked === 1 ? ['https://a.com/', 'https://a.com/'] : ['https://a.com/', 'https://b.com/'];
    });
    expect(summary.stages[0]).toMatchObject({ done: 3, failed: 1 });
    expect(shares).toMatchObject([
      { query: { q: 'tea' }, row: { link: 'https://a.com/' }, n: 3, of: 3 },
      { query: { q: 'tea' }, row: { link: 'https://b.com/' }, n: 2, of: 3 },
    ]);
  });

  it('is as many requests in a plan, and needs what identifies a row', async () => {
    const plan = await planFlow(flowOf(['tea', 'coffee'], { times: 5, over: '7d' }));
    expect(plan.stages[0]!.requests).toEqual({ atLeast: 10, atMost: 10 });
    expect(plan.stages[0]!.why).toContain('repeat: each query is sent 5 times, over 7d');
    const faultOf = (more: object): string | undefined => checkFlow(flowOf('tea', { times: 5 }, more))[0]?.message;
    expect(faultOf({})).toBeUndefined();
    expect(faultOf({ by: undefined })).toContain("name the field that identifies a row with 'by'");
    expect(faultOf({ repeat: { times: 1 } })).toContain('a whole number from 2 to 1000');
    expect(faultOf({ repeat: { times: 2, ovr: '7d' } })).toContain("did you mean 'over'?");
  });
});

describe('a run with repeat on the sandbox', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-repeat-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('bypasses the store', async () => {
    await using sandbox = await startSandbox();
    await using store = openStore(join(folder, 'responses'), { mode: 'reuse' });
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, store });
    const sent: number[] = [];
    for (const [nth, repeat] of [{ times: 2 }, { times: 2 }, undefined, undefined].entries()) {
      sandbox.reset();
      const pages = { call: 'webSearch', with: { query: 'tea' }, by: 'link', repeat, to: 'pages.jsonl' };
      await lastValueFrom(runFlow({ name: 'stored', stages: { pages } }, { client, outDir: join(folder, `stored-${nth}`) }));
      sent.push(sandbox.count());
    }
    expect(sent).toEqual([2, 2, 1, 0]);
  });
});

describe('a run with repeat that is killed', () => {
  it('comes to the same shares, and sends no answered query again', async () => {
    const flow = flowOf(['tea', 'coffee'], { times: 3 });
    const links = (q: string): readonly string[] => ['a', 'b', 'c'].map((page) => `https://${q}.com/${page}`);
    const whole = new MemoryFileSystem();
    const { shares } = await run(flow, whole, links);
    expect(shares.map(({ n, of }) => [n, of])).toEqual(Array.from({ length: 6 }, () => [3, 3]));
    for (let change = ofTheDay([0, 1, 2], 1)[0]!; change < whole.disk.log.length; change += 3) {
      let sent = 0;
      const ends: Ran[] = [];
      const counted = (q: string): readonly string[] => ((sent += 1), links(q));
      await killedAt(change, async (fileSystem) => ends.push(await run(flow, fileSystem, counted, { concurrency: 2 })));
      expect([change, ends.at(-1)!.shares]).toEqual([change, shares.map((line) => ({ ...line, seen_at: expect.any(String) as string }))]);
      expect(sent).toBeLessThanOrEqual(6 + 2); // at most those in flight are sent again
    }
  });
});

describe('a stage with repeat over days', () => {
  const start = Date.UTC(2026, 10, 1, 12);
  const dayMs = 86_400_000;
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }));
  afterEach(() => void vi.useRealTimers());

  it('sends what is due in each run, says when the next is, and is done with the last', async () => {
    const flow = flowOf(['tea', 'coffee'], { times: 5, over: '4d' });
    const fileSystem = new MemoryFileSystem();
    const sent: number[] = [];
    const runOn = async (day: number, options: Partial<RunFlowOptions> = {}): Promise<Ran> => {
      vi.setSystemTime(start + day * dayMs);
      const ran = await run(flow, fileSystem, (q) => [`https://${q}.com/`, `https://day${Math.floor(day)}.com/`], options);
      sent.push(ran.requests.length);
      return ran;
    };
    const { summary } = await runOn(0);
    expect(summary.outcome).toBe('interrupted');
    expect(summary.because).toBe('8 repeated queries are due later, the next at 2026-11-02 12:00 UTC');
    expect(nextSteps(summary, 'trawler run answers.json')[0]).toEqual({
      text: '8 repeated queries are due later, the next at 2026-11-02 12:00 UTC. Resume:',
      command: 'trawler run answers.json',
    });
    await runOn(0.5);
    await runOn(1.1, { maxRequests: 1 }); // stopped between the two
    await runOn(1.2);
    await runOn(3.5); // the third and the fourth
    const { summary: last, shares } = await runOn(4);
    expect(sent).toEqual([2, 0, 1, 1, 4, 2]);
    expect(last.outcome).toBe('complete');
    expect(shares.map(({ query, row, n, of }) => `${query.q} ${row.link} ${n} of ${of}`)).toEqual([
      'tea https://tea.com/ 5 of 5',
      'tea https://day3.com/ 2 of 5',
      'tea https://day0.com/ 1 of 5',
      'tea https://day1.com/ 1 of 5',
      'tea https://day4.com/ 1 of 5',
      'coffee https://coffee.com/ 5 of 5',
      'coffee https://day3.com/ 2 of 5',
      'coffee https://day0.com/ 1 of 5',
      'coffee https://day1.com/ 1 of 5',
      'coffee https://day4.com/ 1 of 5',
    ]);
  });

  it('repeats anew in an update, and keeps the shares of all runs in a series', async () => {
    const flow = flowOf('tea', { times: 2, over: '1d' }, { seen: 'series' });
    const fileSystem = new MemoryFileSystem();
    const sent: number[] = [];
    for (const [day, update] of [[0, false], [1, false], [7, true], [8, true]] as const) {
      vi.setSystemTime(start + day * dayMs);
      sent.push((await run(flow, fileSystem, () => ['https://a.com/', ...(day > 6 ? ['https://b.com/'] : [])], { update })).requests.length);
    } // prettier-ignore
    expect(sent).toEqual([1, 1, 1, 1]);
    const { shares } = await run(flow, fileSystem, () => []);
    const timeOf = (day: number): string => new Date(start + day * dayMs).toISOString();
    expect(shares.map(({ seen_at, row, n, of }) => [seen_at, row.link, n, of])).toEqual([
      [timeOf(0), 'https://a.com/', 2, 2],
      [timeOf(7), 'https://a.com/', 2, 2],
      [timeOf(7), 'https://b.com/', 2, 2],
    ]);
  });
});
