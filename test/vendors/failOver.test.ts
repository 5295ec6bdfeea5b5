import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { findService } from '../../src/services/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import type { StandIn } from './standIn.ts';
import { starters } from './starters.ts';
import { webPages, type World } from './world.ts';

const vendors = ['serper', 'serpapi', 'searchapi', 'hasdata', 'scrapingdog'];
const words = ['tea', 'coffee', 'cocoa', 'water', 'juice', 'milk'];
/** Which query a row is of. */
const queryOf = new Map([0, 1].flatMap((day) => words.flatMap((word) => webPages({ day }, word).map(({ link }) => [link, word] as const))));
const expectedOf = (world: World, word: string): string[] => webPages(world, word).map(({ link }) => link).toSorted(); // prettier-ignore

const troubles = ['none', 'none', 'quota', 'key', 'down', 'hiccup'] as const;
type Trouble = (typeof troubles)[number];

/** A vendor of a world, and what is wrong with it. */
interface Asked {
  readonly service: Service;
  readonly standIn: StandIn;
  trouble: Trouble;
}

/** How fast each may be asked is for other tests. */
const unlimited = { limit: { requests: 1e6, perMs: 1000 }, atOnce: 1e6 };

interface Row {
  readonly link: string;
  readonly _service: string;
}

function makeTrouble(one: Asked, trouble: Trouble, random: () => number): void {
  const { standIn } = one;
  one.trouble = trouble;
  standIn.credits = trouble === 'quota' ? Math.floor(random() * 120) : Infinity;
  standIn.refuseKey = trouble === 'key';
  standIn.outage = trouble === 'down' ? true : trouble === 'hiccup' ? 1 + Math.floor(random() * 3) : false;
}

/** Some vendors that have one world between them, each with a trouble of its own. */
async function drawn(random: () => number): Promise<readonly Asked[]> {
  const world: World = { day: 0 };
  const names = vendors.toSorted(() => random() - 0.5).slice(0, 2 + Math.floor(random() * 2));
  return Promise.all(
    names.map(async (name) => {
      const one: Asked = { service: await findService(name), standIn: await starters[name]!({ world, ...unlimited }), trouble: 'none' };
      makeTrouble(one, troubles[Math.floor(random() * troubles.length)]!, random);
      return one;
    }),
  );
}

const flowOf = (asked: readonly Asked[]): FlowDefinition =>
  ({
    name: 'search',
    service: asked.map(({ service }) => service.name),
    stages: { rows: { call: 'webSearch', with: { query: words, country: 'us', language: 'en' }, pages: 'all', to: 'rows.jsonl' } },
  }) as unknown as FlowDefinition;

interface RunOptions {
  readonly update?: boolean;
  readonly failures?: boolean;
}

/** Runs the flow, to its end, or until the disk has changed so often. A kill leaves the disk as it is then. */
async function run(asked: readonly Asked[], disk: MemoryDisk, options: RunOptions, killAt = Infinity) {
  const clients = asked.map(({ service, standIn }) => {
    const retry = { maxAttempts: 2, baseMs: 1 };
    return createClient({ service, baseUrl: standIn.url, apiKey: standIn.key, rate: 'unlimited', retry, ledger: false });
  });
  const [client, ...others] = clients;
  let changes = 0;
  let left: MemoryDisk | undefined;
  const stop = new AbortController();
  const watched: MemoryDisk = disk.copy({
    fault() {
      if (left !== undefined || ++changes < killAt) return undefined;
      left = watched.copy({});
      return void setImmediate(() => stop.abort());
    },
  });
  const where = { outDir: '/out', fileSystem: new MemoryFileSystem(watched), commitMs: 0, concurrency: 4 };
  const summary = await lastValueFrom(runFlow(flowOf(asked), { client: client as never, clients: others as never, ...where, ...options, signal: stop.signal })).then((last) => last as FlowSummary, () => undefined); // prettier-ignore
  for (const one of clients) await one.close();
  return { disk: left ?? watched, summary: left === undefined ? summary : undefined };
}

const rowsOf = (text: string): readonly Row[] => text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Row); // prettier-ignore

/** What must be true of rows. Gives what a service began that can't end it: nobody else may. */
function checked(rows: readonly Row[], asked: readonly Asked[], whole: boolean): readonly string[] {
  const links = rows.map(({ link }) => link);
  expect(new Set(links).size).toBe(links.length);
  return words.filter((word) => {
    const own = rows.filter(({ link }) => queryOf.get(link) === word);
    const givers = new Set(own.map(({ _service }) => _service));
    expect(givers.size, `${word} by ${[...givers].join()}`).toBeLessThanOrEqual(1);
    const isAll = own.map(({ link }) => link).toSorted().join() === expectedOf(asked[0]!.standIn.world, word).join(); // prettier-ignore
    const giver = asked.find(({ service }) => givers.has(service.name));
    const isBegun = giver?.trouble === 'quota' && !isAll;
    expect(!whole || isAll || isBegun, `${word}: ${own.length} rows`).toBe(true);
    return isBegun;
  });
}

const isAble = ({ trouble }: Asked): boolean => trouble === 'none' || trouble === 'hiccup';
// with TRAWLER_LONG all of them
const worlds = ofTheDay(Array.from({ length: 200 }, (_, seed) => seed), 20); // prettier-ignore

describe('vendors that are out', () => {
  let answered = 0;
  let handed = 0;
  it.each(worlds)('hand each query on whole, in world %i', async (seed) => {
    const random = seeded(seed + 1);
    const asked = await drawn(random);
    try {
      let disk = new MemoryDisk();
      let kills = 0;
      let summary: FlowSummary | undefined;
      for (let nth = 0; nth < 8 && summary?.outcome !== 'complete'; nth += 1) {
        const killAt = nth < 2 && random() < 0.5 ? 5 + Math.floor(random() * 60) : Infinity;
        const ran = await run(asked, disk, { failures: summary?.outcome === 'failed' }, killAt);
        if (ran.summary === undefined) kills += 1;
        ({ disk, summary } = ran);
      }
      const could = asked.some(isAble);
      const rows = rowsOf(String(disk.read('/out/rows.jsonl') ?? disk.read('/out/rows.jsonl.part') ?? ''));
      const lost = checked(rows, asked, could);
      expect(!could || lost.length > 0 || summary?.outcome === 'complete', `${summary?.outcome}: ${summary?.because}`).toBe(true);
      answered += rows.length;
      for (const { service, standIn } of asked) {
        const cost = summary?.services?.find(({ name }) => name === service.name)?.cost ?? 0;
        if (service !== asked[0]!.service && cost > 0) handed += 1;
        const most = kills * 4 * 10;
        expect([service.name, standIn.charged - cost >= 0 && standIn.charged - cost <= most]).toEqual([service.name, true]);
        expect(standIn.requests.every(({ status, cost: one }) => status === 200 || one === 0)).toBe(true);
      }
      // another day, on which others are out
      if (summary?.outcome !== 'complete') return;
      for (const one of asked) makeTrouble(one, random() < 0.6 ? 'none' : troubles[Math.floor(random() * troubles.length)]!, random);
      if (!asked.some(isAble) || asked.some(({ trouble }) => trouble === 'quota')) return;
      asked[0]!.standIn.world.day = 1;
      const before = asked.map(({ standIn }) => standIn.charged);
      const { summary: updated, disk: after } = await run(asked, disk, { update: true });
      expect(updated?.outcome).toBe('complete');
      checked(rowsOf(String(after.read('/out/rows.jsonl'))), asked, true);
      for (const [at, { service, standIn }] of asked.entries()) {
        const cost = updated!.services!.find(({ name }) => name === service.name)?.cost ?? 0;
        expect([service.name, standIn.charged - before[at]!]).toEqual([service.name, cost]);
      }
    } finally {
      for (const { standIn } of asked) await standIn.close();
    }
  });

  it('are many in these worlds, and others answer for them', () => {
    expect([answered > worlds.length * 50, handed > worlds.length / 8]).toEqual([true, true]);
  });
});

describe('processes that are killed while vendors are out', () => {
  const command = fileURLToPath(new URL('../../dist/bundle/cli.js', import.meta.url));
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-out-'))));
  afterAll(() => rm(folder, { recursive: true }));

  const killed = Array.from({ length: 8 }, (_, seed) => seed);
  it.each(ofTheDay(killed, 1))('go on to each row once, in world %i', { timeout: 60_000 }, async (seed) => {
    const random = seeded(1000 + seed);
    const asked = await drawn(random);
    // an outage takes minutes with the usual retries
    for (const one of asked) if (one.trouble === 'down') makeTrouble(one, 'key', random);
    if (!asked.some(isAble)) makeTrouble(asked.at(-1)!, 'none', random);
    const [path, out] = [join(folder, `${seed}.json`), join(folder, `out-${seed}`)];
    await writeFile(path, JSON.stringify(flowOf(asked)));
    const env = Object.fromEntries(asked.flatMap(({ service: { name }, standIn }) => [[`${name.toUpperCase()}_API_KEY`, standIn.key], [`${name.toUpperCase()}_BASE_URL`, standIn.url]])); // prettier-ignore
    let code: number | null = null;
    let last = '';
    for (let nth = 0; nth < 6 && code !== 0; nth += 1) {
      const argv = [command, 'run', path, '--out', out, '--quiet'];
      const child = spawn(process.execPath, argv, { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'ignore', 'pipe'] }); // prettier-ignore
      last = '';
      child.stderr.on('data', (part: Buffer) => (last += part.toString()));
      const timer = nth < 3 ? setTimeout(() => child.kill('SIGKILL'), 250 + random() * 500) : undefined;
      [code] = (await once(child, 'exit')) as [number | null];
      clearTimeout(timer);
    }
    const text = await readFile(join(out, 'rows.jsonl'), 'utf8').catch(() => '');
    const lost = checked(rowsOf(text), asked, true);
    expect([lost.length > 0 || code === 0, last]).toEqual([true, expect.anything()]);
    for (const { standIn } of asked) await standIn.close();
  });
});
