import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { checkFlow, runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import type { StageDefinition } from '../../src/flow/definition/flowFormat.ts';
import { nextSteps } from '../../src/flow/report/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { fakeClient, MemoryFileSystem, type FakeRequest } from '../../src/testing/index.ts';
import { seeded } from '../files/seeded.ts';
import { runWhole } from './runWhole.ts';

const page = { type: 'integer', about: 'a page' } as const;
const token = { type: 'string', about: 'the next page' } as const;
const q = { type: 'string', about: 'words' } as const;
const rows = [{ link: 'string', position: 'integer', kind: 'string' }] as const;
const search = defineService({
  name: 'search',
  operations: {
    numbered: defineOperation({ path: '/n', params: { q, page }, response: { rows }, list: 'rows', paging: { kind: 'offset', param: 'page', step: 1 } }), // prettier-ignore
    received: defineOperation({ path: '/r', params: { q, page }, response: { rows }, list: 'rows', paging: { kind: 'offset', param: 'page', step: 'received' } }), // prettier-ignore
    tokens: defineOperation({ path: '/t', params: { q, token }, response: { rows, next: 'string|null' }, list: 'rows', paging: { kind: 'cursor', param: 'token', at: ['next'] } }), // prettier-ignore
  },
});
type Operation = keyof typeof search.operations;

/** What is served: so many rows a page, and our row at this rank. 0: nowhere. */
interface World {
  readonly call: Operation;
  readonly rows: number;
  readonly size: number;
  readonly rank: number;
  readonly pages?: number;
  readonly limit?: number;
  readonly where?: boolean;
}

function respond({ call, rows: all, size, rank }: World, query: FakeRequest['query']): object {
  const at = Number(query['page'] ?? query['token'] ?? 0);
  const first = call === 'received' ? at : at * size;
  const shown = Array.from({ length: Math.max(0, Math.min(size, all - first)) }, (_, row) => {
    const position = first + row + 1;
    const kind = position % 2 === 0 ? 'even' : 'odd';
    return { link: position === rank ? 'https://shop.ours.com/page' : `https://ours.com.site${position}.net/`, position, kind };
  });
  return { rows: shown, ...(call === 'tokens' ? { next: first + size < all ? String(at + 1) : null } : {}) };
}

const stageOf = ({ call, pages, limit, where }: World, q: string): StageDefinition => ({
  call,
  with: { q },
  pages: pages ?? 'all',
  ...(limit === undefined ? {} : { limit }),
  ...(where ? { where: { kind: 'even' } } : {}),
  until: { link: { domain: 'ours.com' } },
  to: `${q}.jsonl`,
});

interface Sought {
  readonly stage: string;
  readonly [field: string]: unknown;
}

interface Ran {
  readonly summary: FlowSummary;
  readonly requests: readonly FakeRequest[];
  readonly found: readonly Sought[];
  readonly rowsOf: (stage: string) => readonly number[];
}

/** All worlds as stages of one flow. */
async function run(worlds: readonly World[], fileSystem: MemoryFileSystem, update = false): Promise<Ran> {
  const { client, requests } = fakeClient(search, ({ query }) => respond(worlds[Number(String(query['q']).slice(1))]!, query));
  const stages = Object.fromEntries(worlds.map((world, nth) => [`w${nth}`, stageOf(world, `w${nth}`)]));
  const progress$ = runFlow({ name: 'ranks', service: search, stages }, { client, outDir: '/out', fileSystem, update });
  const summary = (await lastValueFrom(progress$)) as FlowSummary;
  await client.close();
  const linesOf = <Line>(name: string): Line[] =>
    (fileSystem.disk.read(`/out/${name}`)?.toString() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  const rowsOf = (stage: string): number[] => linesOf<{ position: number }>(`${stage}.jsonl`).map(({ position }) => position);
  return { summary, requests, found: linesOf('found.jsonl'), rowsOf };
}

function drawWorld(random: () => number): World {
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const all = upTo(40);
  return {
    call: (['numbered', 'received', 'tokens'] as const)[upTo(2)]!,
    rows: all,
    size: 1 + upTo(9),
    rank: random() < 0.3 ? 0 : upTo(all + 5),
    ...(random() < 0.4 ? { pages: 1 + upTo(5) } : {}),
    ...(random() < 0.3 ? { limit: 1 + upTo(20) } : {}),
    ...(random() < 0.3 ? { where: true } : {}),
  };
}

/** What a run must come to: where the row is, requests, rows and words. Returns in how many worlds it is found. */
function expectRan(worlds: readonly World[], { summary, requests, found, rowsOf }: Ran, isUpdate: boolean): number {
  for (const [nth, world] of worlds.entries()) {
    const { rows: all, size, rank, pages = Infinity, limit = Infinity, where } = world;
    const name = `w${nth}`;
    const inReach = Math.min(all, pages * size, limit);
    const isFound = rank > 0 && rank <= inReach;
    const pageOf = Math.ceil(rank / size);
    const walked = isFound ? Math.min(all, pageOf * size, limit) : inReach;
    const label = JSON.stringify({ name, ...world });
    expect(found.filter(({ stage }) => stage === name), label).toMatchObject([
      { query: { q: name }, found: isFound, rank: isFound ? rank : null, page: isFound ? pageOf : null, rows: walked },
    ]); // prettier-ignore
    const sent = requests.filter(({ query }) => query['q'] === name).length;
    expect(isFound ? sent === pageOf : sent > 0, label).toBe(true);
    const wanted = Array.from({ length: walked }, (_, row) => row + 1).filter((position) => !where || position % 2 === 0);
    // An update keeps the rows of the day before behind them.
    expect(isUpdate ? rowsOf(name).slice(0, wanted.length) : rowsOf(name), label).toEqual(wanted);
    const stage = summary.stages.find((one) => one.name === name)!;
    expect(stage.found ?? 0, label).toBe(isFound ? 1 : 0);
    const [words] = nextSteps({ ...summary, stages: [stage] }, undefined).filter(({ text }) => text.includes('found the row'));
    const said = isFound ? `at rank ${rank} on page ${pageOf}` : walked === 0 ? 'not: no rows came' : `not in the first ${walked}`;
    expect(words?.text, label).toBe(`${name}: ${isFound ? 1 : 0} of 1 query found the row: ${name} ${said}. All are in found.jsonl.`);
  }
  return summary.stages.reduce((sum, { found: some = 0 }) => sum + some, 0);
}

describe('a stage with until', () => {
  it('comes to the rank of its row in each of these worlds, sends no request after it, and walks anew the next day', async () => {
    const random = seeded(54);
    const worlds = Array.from({ length: process.env['TRAWLER_LONG'] === '1' ? 300 : 60 }, () => drawWorld(random));
    const fileSystem = new MemoryFileSystem();
    expect(expectRan(worlds, await run(worlds, fileSystem), false)).toBeGreaterThan(worlds.length / 3);
    const nextDay = worlds.map((world) => ({ ...world, rank: drawWorld(random).rank }));
    expect(expectRan(nextDay, await run(nextDay, fileSystem, true), true)).toBeGreaterThan(worlds.length / 3);
  });

  it('has what it refuses', () => {
    const faultOf = (more: object): string | undefined => {
      const stage = stageOf({ call: 'tokens', rows: 1, size: 1, rank: 1 }, 'tea');
      return checkFlow({ name: 'ranks', service: search, stages: { ranks: { ...stage, ...more } } }).at(-1)?.message;
    };
    expect(faultOf({})).toBeUndefined();
    expect(faultOf({ until: {} })).toContain('until names no field');
    expect(faultOf({ until: { lnk: 1 } })).toContain("did you mean 'link'?");
    expect(faultOf({ until: { link: { domian: 'x' } } })).toContain("'domian' is not a key of a comparison; did you mean 'domain'?");
    expect(faultOf({ until: { link: { domain: 'https://a.com/x' } } })).toContain('a site such as example.com');
    expect(faultOf({ split: { by: 'q', values: ['a'] } })).toContain('a stage has until or split, not both');
  });
});

describe('a run with until that is killed', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-until-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('comes to the same rank, and never requests what lies behind it', async () => {
    await using sandbox = await startSandbox();
    const { url, apiKey } = sandbox;
    const run = async (flow: FlowDefinition, out: string): Promise<void> => {
      await using client = createClient({ baseUrl: url, apiKey });
      await lastValueFrom(runFlow(flow, { client, outDir: join(folder, out) }));
    };
    const all: FlowDefinition = {
      name: 'all',
      stages: { ranks: { call: 'webSearch', with: { query: 'tea' }, pages: 5, to: 'all.jsonl' } },
    };
    await run(all, 'all');
    const links = (await readFile(join(folder, 'all', 'all.jsonl'), 'utf8')).trimEnd().split('\n').map((line) => (JSON.parse(line) as { link: string }).link); // prettier-ignore
    const at = Math.floor(links.length / 2);
    const flow: FlowDefinition = {
      name: 'ranks',
      stages: { ranks: { ...all.stages['ranks']!, until: { link: links[at]! }, to: 'ranks.jsonl' } },
    };
    const lineOf = async (out: string): Promise<object> => {
      const { seen_at: _, ...line } = JSON.parse(await readFile(join(folder, out, 'found.jsonl'), 'utf8')) as { seen_at: string };
      return line;
    };
    const { done } = await runWhole(flow, sandbox, join(folder, 'whole'));
    const expected = await lineOf('whole');
    expect(expected).toMatchObject({ found: true, rank: links.indexOf(links[at]!) + 1 });
    const pages = (expected as { page: number }).page;
    sandbox.reset();
    const child = fileURLToPath(new URL('crashChild.mjs', import.meta.url));
    // From the last page's commit on, where the row is found and not yet noted, to the end.
    for (const [nth, failAt] of [0.4, 0.6, 0.8].map((part) => Math.ceil(part * done.length)).entries()) {
      const out = `killed-${nth}`;
      const options = { dist: inject('dist'), url, apiKey, flow, outDir: join(folder, out), failAt, torn: nth % 2 === 0 };
      await once(spawn(process.execPath, [child, JSON.stringify(options)], { stdio: 'ignore' }), 'close');
      await run(flow, out);
      expect(await lineOf(out)).toEqual(expected);
    }
    const asked = sandbox.requests.map(({ query }) => Number(query['page'] ?? 0));
    expect(Math.max(...asked)).toBeLessThan(Math.min(...asked) + pages);
  });
});
