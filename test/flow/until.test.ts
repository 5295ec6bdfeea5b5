import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { checkFlow, runFlow, type FlowSummary } from '../../src/flow/index.ts';
import type { StageDefinition } from '../../src/flow/definition/flowFormat.ts';
import { nextSteps } from '../../src/flow/report/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient, type FakeRequest } from '../../src/testing/index.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { killedAt } from './killedAt.ts';

const long = process.env['TRAWLER_LONG'] === '1';

const page = { type: 'integer', about: 'a page' } as const;
const token = { type: 'string', about: 'the next page' } as const;
const q = { type: 'string', about: 'words' } as const;
const rows = [{ link: 'string', position: 'integer', kind: 'string' }] as const;
const search = defineService({
  name: 'search',
  operations: {
    numbered: defineOperation({ get: '/n', params: { q, page }, response: { rows }, list: 'rows', paging: { kind: 'offset', param: 'page', step: 1 } }), // prettier-ignore
    received: defineOperation({ get: '/r', params: { q, page }, response: { rows }, list: 'rows', paging: { kind: 'offset', param: 'page', step: 'received' } }), // prettier-ignore
    tokens: defineOperation({ get: '/t', params: { q, token }, response: { rows, next: 'string|null' }, list: 'rows', paging: { kind: 'cursor', param: 'token', at: ['next'] } }), // prettier-ignore
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
    const worlds = Array.from({ length: long ? 300 : 40 }, () => drawWorld(random));
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
  it('comes to the same rank, and requests nothing behind it', async () => {
    const world: World = { call: 'tokens', rows: 30, size: 5, rank: 14 };
    const whole = new MemoryFileSystem();
    const { found } = await run([world], whole);
    expect(found).toMatchObject([{ found: true, rank: 14, page: 3 }]);
    for (let change = ofTheDay([0, 1, 2], 1)[0]!; change < whole.disk.log.length; change += long ? 1 : 3) {
      const ends: Ran[] = [];
      await killedAt(change, async (fileSystem) => ends.push(await run([world], fileSystem)));
      const last = ends.at(-1)!;
      expect([change, last.found]).toEqual([change, found.map((line) => ({ ...line, seen_at: expect.any(String) as string }))]);
      expect(last.requests.every(({ query }) => Number(query['token'] ?? 0) < 3)).toBe(true);
    }
  });
});
