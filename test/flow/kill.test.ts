import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import type { FlowEvent } from '../../src/flow/core/events.ts';
import { Journal } from '../../src/flow/state/Journal.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { nodeFileSystem } from '../../src/sinks/index.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { tableRows } from '../sinks/tableRows.ts';
import { runWhole, type Whole } from './runWhole.ts';

const flow: FlowDefinition = {
  name: 'killed',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' },
      limit: 3,
      by: 'data_id',
      to: ['places.jsonl', 'all.sqlite'],
    },
    reviews: {
      call: 'mapsReviews',
      each: 'places',
      with: { data_id: '$.data_id', results: 3 },
      pages: 2,
      keep: { place: '$.title' },
      to: ['reviews.csv', 'reviews.parquet', 'all.duckdb', 'all.sqlite'],
    },
  },
};
const files = ['places.jsonl', 'reviews.csv'];
/** The same rows in these two files alone, for what is about the folder. */
const withoutDatabases: FlowDefinition = {
  name: flow.name,
  stages: { places: { ...flow.stages['places']!, to: files[0]! }, reviews: { ...flow.stages['reviews']!, to: files[1]! } },
};
/** Files that are made at the end, with a table of theirs. */
const made = [['reviews.parquet', 'reviews'], ['all.duckdb', 'reviews'], ['all.sqlite', 'places'], ['all.sqlite', 'reviews']] as const; // prettier-ignore
const long = process.env['TRAWLER_LONG'] === '1';
const child = fileURLToPath(new URL('crashChild.mjs', import.meta.url));

interface Crash {
  readonly failAt?: number;
  readonly torn?: boolean;
  readonly killAfterMs?: number;
}

let folder: string;
/** The one that children ask, and the one that counts what the recovery asks for. */
let asked: Sandbox;
let counted: Sandbox;
let golden: { readonly [file: string]: string };
let requests: number;
/** A run that nobody kills. */
let whole: Whole;
let contained: ReturnType<typeof takeOver> | undefined;
let runs = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-kill-'));
  asked = await startSandbox({ latencyMs: [15, 40] });
  counted = await startSandbox({});
  if (canContain) contained = takeOver(); // it waits most of the time
  contained?.catch(() => undefined);
  whole = await runWhole(flow, asked, join(folder, 'golden'));
  golden = await rowsIn('golden');
  requests = asked.count();
});
afterAll(async () => {
  await asked.close();
  await counted.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the flow in a process of its own; whether it was killed, or came to its end before. */
async function crash(out: string, how: Crash, more: object = {}): Promise<boolean> {
  const options = { dist: inject('dist'), url: asked.url, apiKey: asked.apiKey, flow, outDir: join(folder, out), ...how, ...more };
  const process_ = spawn(process.execPath, [child, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  process_.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code, signal] = (await once(process_, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the child failed: ${errors}`);
  return signal === 'SIGKILL';
}

async function recover(out: string): Promise<void> {
  const client = createClient({ baseUrl: counted.url, apiKey: counted.apiKey });
  await lastValueFrom(runFlow(flow, { client, outDir: join(folder, out), concurrency: 2 }));
  await client.close();
}

/** Whether an event says what became of a request. */
function isOutcome({ type }: FlowEvent): boolean {
  return type === 'PageTaken' || type === 'QueryFailed' || type === 'QueryPostponed' || type === 'WalkRestarted';
}

/** Requests whose pages were on record when the process died. */
async function onRecord(out: string): Promise<number> {
  const path = join(folder, out, '.trawler', 'journal.jsonl');
  if (nodeFileSystem.stat(path) === undefined) return 0;
  const journal = Journal.open(path, nodeFileSystem);
  let pages = 0;
  await journal.replay((record) => {
    if (record.type === 'commit') pages += record.events.filter(isOutcome).length;
  });
  journal.close();
  return pages;
}

async function textsIn(out: string): Promise<{ readonly [file: string]: string }> {
  const texts = files.map(async (file) => [file, (await readFile(join(folder, out, file), 'utf8')).split('\n').sort().join('\n')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function rowsIn(out: string): Promise<{ readonly [file: string]: string }> {
  const at = (file: string): string => join(folder, out, file);
  const tables = made.map(
    async ([file, table]) => [`${file}, ${table}`, (await tableRows(file, await readFile(at(file)), table)).join('\n')] as const,
  );
  return { ...(await textsIn(out)), ...Object.fromEntries(await Promise.all(tables)) };
}

/** What is wrong after the crashes, one upon the other, and a run to the end. */
async function wrongAfter(crashes: readonly Crash[]): Promise<string[]> {
  const out = `run${++runs}`;
  for (const how of crashes) await crash(out, how);
  const done = await onRecord(out);
  counted.reset();
  await recover(out);
  const rows = await rowsIn(out);
  await rm(join(folder, out), { recursive: true });
  return [
    ...(counted.count() === requests - done ? [] : [`${done} pages on record, and ${counted.count()} asked for`]),
    ...Object.keys(golden).filter((file) => rows[file] !== golden[file]).map((file) => `other rows in ${file}`),
  ].map((what) => `${JSON.stringify(crashes)}: ${what}`); // prettier-ignore
}

/** How to start a process in a container of its own: it has this machine's name, and a process number that is another's here. */
const contain = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];
const canContain = spawnSync('unshare', [...contain, 'true']).status === 0;
if (!canContain) console.warn('not tested: a container in one folder with others (unshare makes none here)');

/** A container runs, this process wants to, the container is killed, and this process comes again. Both renew and watch locks four times as often. */
async function takeOver(): Promise<unknown> {
  await using sandbox = await startSandbox({ faults: [{ fault: 'stall', at: 'headers', nth: 6 }] });
  const { url, apiKey } = sandbox;
  const outDir = join(folder, 'contained');
  const options = { dist: inject('dist'), url, apiKey, flow: withoutDatabases, outDir, hurry: 4 };
  const container = spawn('unshare', [...contain, process.execPath, child, JSON.stringify(options)], { stdio: 'ignore' });
  const ended = once(container, 'close');
  await vi.waitFor(() => expect(sandbox.count()).toBeGreaterThanOrEqual(6), { timeout: 300_000 }); // in no test, so no expect.poll
  await using client = createClient({ baseUrl: url, apiKey });
  const after: typeof nodeFileSystem.process.after = (ms, ...run) => nodeFileSystem.process.after(ms / 4, ...run);
  const fileSystem = { ...nodeFileSystem, process: { ...nodeFileSystem.process, after } };
  const run = (): Promise<unknown> => lastValueFrom(runFlow(withoutDatabases, { client, outDir, fileSystem, concurrency: 2 }));
  const refused = await run().catch((error: unknown) => error);
  container.kill('SIGKILL');
  await ended;
  sandbox.setFaults([]);
  await run();
  return refused;
}

describe('runFlow, killed', () => {
  it('comes to the same rows after SIGKILL at any operation of the disk, torn writes and killed recoveries included, and at seeded moments', async () => {
    // Where a run happens to be longer than that one was, too.
    const points = Array.from({ length: whole.done.length + 5 }, (_, index) => index + 1);
    const random = seeded(11);
    const operations = whole.done.map((operation) => operation.split(' ')[0]);
    const kinds = [...new Set(operations)].map((kind) => points.filter((point) => operations[point - 1] === kind));
    const chosen = kinds.map((same) => same[Math.floor(random() * same.length)]!);
    expect(chosen.length).toBeGreaterThan(8);
    const cases = (long ? points : chosen).map((failAt): Crash[] => [
      { failAt, torn: failAt % 2 === 0 },
      ...(failAt % 6 === 0 ? [{ failAt: 3 + (failAt % 17) }] : []),
    ]);
    const torn = long ? points.map((failAt): Crash[] => [{ failAt, torn: failAt % 2 === 1 }]) : [];
    const moments = Array.from({ length: long ? 200 : 3 }, (): Crash[] => [{ killAfterMs: 1.5 * random() * whole.ms }]);
    // All of them take minutes. Without TRAWLER_LONG one at an operation of each kind, and one of these a day, others every day:
    // simulated worlds are killed at all operations, hundreds in every test.
    for (const crashes of ofTheDay([...cases, ...torn, ...moments], 1)) expect(await wrongAfter(crashes)).toEqual([]);
  });
});

const seenAt = /"seen_at":"[^"]*"/;

/** The lines without the time of their run. After an update that was killed at its very end, another one adds the same rows. */
function linesOfTwoRuns(text: string): readonly string[] {
  const lines = text.split('\n');
  const timeOf = (line: string): string => seenAt.exec(line)?.[0] ?? '';
  const times = [...new Set(lines.map(timeOf))].filter(Boolean).sort().slice(0, 2);
  return lines.filter((line) => ['', ...times].includes(timeOf(line))).map((line) => line.replace(seenAt, ''));
}

describe('an update that is killed', () => {
  const fresh: FlowDefinition = {
    name: 'updated',
    stages: {
      places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, by: 'data_id', seen: 'series', to: 'places.jsonl' },
      reviews: {
        call: 'placeReviews',
        each: 'places',
        with: { results: 20 },
        pages: 'all',
        keep: { place: '$.data_id' },
        since: { lookback: '7d', fullEvery: '30d' },
        gone: 'drop',
        to: ['reviews.jsonl', 'reviews.csv'],
      },
    },
  };

  it('comes to the same files and the same changes', async () => {
    await using first = await startSandbox({ day: 3 });
    await using then = await startSandbox({ day: 6 });
    const here = async (url: string, out: string, update: boolean): Promise<void> => {
      await using client = createClient({ baseUrl: url, apiKey: first.apiKey, rate: 'unlimited' });
      await lastValueFrom(runFlow(fresh, { client, outDir: join(folder, out), update }));
    };
    /** The lines of the files, and of all lists of changes together. */
    const shown = async (out: string): Promise<readonly (readonly string[])[]> => {
      const all = async (paths: readonly string[]): Promise<string[]> =>
        (await Promise.all(paths.map((path) => readFile(join(folder, out, path), 'utf8')))).flatMap(linesOfTwoRuns).filter(Boolean).sort();
      const times = await readdir(join(folder, out, 'changes'));
      return Promise.all([['places.jsonl'], ['reviews.jsonl'], ['reviews.csv'], ...['places', 'reviews'].map((name) => times.map((time) => `changes/${time}/${name}.jsonl`))].map(all)); // prettier-ignore
    };
    await here(first.url, 'day-3', false);
    const start = (out: string): Promise<void> => cp(join(folder, 'day-3'), join(folder, out), { recursive: true });
    const more = { flow: fresh, url: then.url, apiKey: then.apiKey, update: true };
    await start('whole');
    const { done } = await runWhole(fresh, then, join(folder, 'whole'), true);
    const expected = await shown('whole');
    expect(expected[4]!.length).toBeGreaterThan(5);

    // 50 kills: one in five is followed by another, in the run that resumes. Without TRAWLER_LONG one, in the middle or near the end.
    const random = seeded(19);
    const kills = long ? 50 : 2;
    for (const i of ofTheDay([...Array(kills).keys()], 1)) {
      const out = `killed-${i}`;
      // Near the end is where the update takes the place of the run before.
      let failAt = Math.ceil(i % 3 === 0 ? done.length - random() * 40 : (done.length * (i + random())) / kills);
      await start(out);
      while (!(await crash(out, { failAt, torn: i % 2 === 0 }, more))) {
        // It had fewer operations than the whole one: how many pages a commit holds depends on the moment.
        failAt -= 10;
        await rm(join(folder, out), { recursive: true });
        await start(out);
      }
      if (i % 5 === 4) await crash(out, { failAt: Math.ceil(random() * 60) }, more);
      await here(then.url, out, true);
      expect(await shown(out), `killed at ${failAt} of ${done.length}: ${done[failAt - 1]}`).toEqual(expected);
      await rm(join(folder, out), { recursive: true });
    }
  }, 900_000);
});

describe('a container that is killed', () => {
  it.skipIf(!canContain)('gives its folder to whoever watched it die, and to nobody before', async () => {
    expect(String(await contained!)).toContain('another run is under way there');
    expect(golden).toMatchObject(await textsIn('contained'));
  });
});
