import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { checkFlow, runFlow, type FlowSummary } from '../../src/flow/index.ts';
import type { StageDefinition } from '../../src/flow/definition/flowFormat.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient, type FakeRequest } from '../../src/testing/index.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { killedAt } from './killedAt.ts';

const long = process.env['TRAWLER_LONG'] === '1';

const q = { type: 'string', about: 'words' } as const;
const rows = [{ link: 'string', position: 'integer', kind: 'string' }] as const;
const search = defineService({
  name: 'search',
  operations: {
    numbered: defineOperation({ get: '/n', params: { q, }, response: { rows }, rows: 'rows', query: { page: '${page}' } }), // prettier-ignore
    received: defineOperation({ get: '/r', params: { q, }, response: { rows }, rows: 'rows', query: { page: '${offset}' } }), // prettier-ignore
    tokens: defineOperation({ get: '/t', params: { q, }, response: { rows, next: 'string|null' }, rows: 'rows', query: { token: '${cursor}' }, next: 'next' }), // prettier-ignore
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

function rowAt({ rank }: Pick<World, 'rank'>, position: number): object {
  const kind = position % 2 === 0 ? 'even' : 'odd';
  return { link: position === rank ? 'https://shop.ours.com/page' : `https://ours.com.site${position}.net/`, position, kind };
}

function respond({ call, rows: all, size, rank }: World, query: FakeRequest['query']): object {
  const at = Number(query['page'] ?? query['offset'] ?? query['cursor'] ?? 0);
  const first = call === 'received' ? at : at * size;
  const shown = Array.from({ length: Math.max(0, Math.min(size, all - first)) }, (_, row) => rowAt({ rank }, first + row + 1));
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

interface Line {
  readonly position: number;
  readonly [field: string]: unknown;
}

interface Ran {
  readonly summary: FlowSummary;
  readonly requests: readonly FakeRequest[];
  /** By stage: the query, if it didn't find its row. */
  readonly empty: ReadonlyMap<unknown, Line>;
  readonly rowsOf: (stage: string) => readonly Line[];
}

/** All worlds as stages of one flow. */
async function run(worlds: readonly World[], fileSystem: MemoryFileSystem, update = false): Promise<Ran> {
  const { client, requests } = fakeClient(search, ({ query }) => respond(worlds[Number(String(query['q']).slice(1))]!, query));
  const stages = Object.fromEntries(worlds.map((world, nth) => [`w${nth}`, stageOf(world, `w${nth}`)]));
  const progress$ = runFlow({ name: 'ranks', service: search, stages }, { client, outDir: '/out', fileSystem, update });
  const summary = (await lastValueFrom(progress$)) as FlowSummary;
  await client.close();
  const linesOf = (name: string): Line[] =>
    (fileSystem.disk.read(`/out/${name}`)?.toString() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  const empty = new Map(linesOf('empty.jsonl').map((line) => [line['stage'], line]));
  return { summary, requests, empty, rowsOf: (stage) => linesOf(`${stage}.jsonl`) };
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

/** What a run must come to: where the row is, requests and rows. Returns in how many worlds it is found. */
function expectRan(worlds: readonly World[], { summary, requests, empty, rowsOf }: Ran, isUpdate: boolean): number {
  for (const [nth, world] of worlds.entries()) {
    const { rows: all, size, rank, pages = Infinity, limit = Infinity, where } = world;
    const name = `w${nth}`;
    const inReach = Math.min(all, pages * size, limit);
    const isFound = rank > 0 && rank <= inReach;
    const pageOf = Math.ceil(rank / size);
    const walked = isFound ? Math.min(all, pageOf * size, limit) : inReach;
    const label = JSON.stringify({ name, ...world });
    const missed = empty.get(name);
    expect(missed && [missed['query'], missed['rows']], label).toEqual(isFound ? undefined : [{ q: name }, walked]);
    const sent = requests.filter(({ query }) => query['q'] === name).length;
    expect(isFound ? sent === pageOf : sent > 0, label).toBe(true);
    const wanted = Array.from({ length: walked }, (_, row) => row + 1).filter((position) => !where || position % 2 === 0);
    // An update keeps the rows of the day before behind them.
    const lines = isUpdate ? rowsOf(name).slice(0, wanted.length) : rowsOf(name);
    const place = { rank, page: pageOf };
    const expected = wanted.map((position) => ({ ...rowAt(world, position), ...(isFound && position === rank ? place : {}) }));
    expect(lines, label).toEqual(expected);
    const stage = summary.stages.find((one) => one.name === name)!;
    expect([stage.found ?? 0, stage.empty ?? 0, stage.outcome === 'doubtful'], label).toEqual([
      isFound ? 1 : 0,
      isFound ? 0 : 1,
      walked === 0 && !where && !isUpdate,
    ]);
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
    expect(faultOf({ keep: { rank: '$query.q' } })).toContain("until writes a column 'rank': give the kept one another name");
    expect(faultOf({ split: { by: 'q', values: ['a'] } })).toContain('a stage has until or split, not both');
  });
});

describe('a run with until that is killed', () => {
  it('comes to the same rank, and requests nothing behind it', async () => {
    const world: World = { call: 'tokens', rows: 30, size: 5, rank: 14 };
    const whole = new MemoryFileSystem();
    const { rowsOf } = await run([world], whole);
    const rows = rowsOf('w0');
    expect(rows.filter((row) => 'rank' in row)).toEqual([{ ...rowAt(world, 14), rank: 14, page: 3 }]);
    for (let change = ofTheDay([0, 1, 2], 1)[0]!; change < whole.disk.log.length; change += long ? 1 : 3) {
      const ends: Ran[] = [];
      await killedAt(change, async (fileSystem) => ends.push(await run([world], fileSystem)));
      const last = ends.at(-1)!;
      expect([change, last.rowsOf('w0')]).toEqual([change, rows]);
      expect(last.requests.every(({ query }) => Number(query['token'] ?? 0) < 3)).toBe(true);
    }
  });
});
