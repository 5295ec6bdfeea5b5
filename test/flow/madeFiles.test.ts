import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFlow, runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { moodCount } from '../disk/MemoryDisk.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { tableRows } from '../sinks/tableRows.ts';
import { fakeClient } from './fakeClient.ts';
import { smallResponse, smallFlow, smallRequests } from './smallFlow.ts';

const long = process.env['TRAWLER_LONG'] === '1';
/** The small flow, into these files; both stages write to the databases. */
function into(...files: readonly string[]): FlowDefinition {
  const { people, reviews } = smallFlow.stages;
  const databases = files.filter((file) => !file.endsWith('.parquet'));
  const stages = { people: { ...people!, to: ['people.jsonl', ...databases] }, reviews: { ...reviews!, to: ['reviews.jsonl', ...files] } };
  return { name: 'made', stages };
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-made-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function run(flow: FlowDefinition, mended: boolean, options: Partial<RunFlowOptions>): Promise<FlowSummary> {
  const client = fakeClient((asked) => smallResponse(asked, mended));
  const last = await lastValueFrom(runFlow(flow, { client, outDir: folder, concurrency: 2, commitMs: 0, ...options }));
  if (last.type !== 'summary') throw new Error('the last value is no summary');
  return last;
}
const onDisk = async (file: string, table: string): Promise<string[]> => tableRows(file, await readFile(join(folder, file)), table);
const ids = (texts: readonly string[]): string[] => texts.map((text) => (JSON.parse(text) as { review_id: string }).review_id).sort();

describe('a flow into Parquet and databases', () => {
  it('has the rows of each stage in a table of its own, an index on what makes a row the same, and leaves no part', async () => {
    const summary = await run(into('reviews.parquet', 'all.duckdb', 'deep/all.sqlite'), true, {});
    expect(summary.files.map(({ path, rows }) => [path, rows])).toEqual([
      ['people.jsonl', 5],
      ['reviews.jsonl', 20],
      ['all.duckdb', 25],
      ['deep/all.sqlite', 25],
      ['reviews.parquet', 20],
    ]);
    expect((await readdir(folder, { recursive: true })).filter((file) => file.includes('.part'))).toEqual([]);
    const lines = (await readFile(join(folder, 'reviews.jsonl'), 'utf8')).trim().split('\n');
    for (const file of ['reviews.parquet', 'all.duckdb', 'deep/all.sqlite']) expect(ids(await onDisk(file, 'reviews'))).toEqual(ids(lines));
    expect(await onDisk('all.duckdb', 'people')).toHaveLength(5);
    expect(Object.keys(JSON.parse((await onDisk('deep/all.sqlite', 'reviews'))[0]!) as object)[0]).toBe('person'); // kept columns first
    expect(await onDisk('deep/all.sqlite', 'sqlite_master')).toEqual(
      expect.arrayContaining([expect.stringContaining('CREATE INDEX \\"people_author_id\\" ON \\"people\\" (\\"author_id\\")')]),
    );
  });

  it('has the rows of failures that are run again beside those that were there', async () => {
    const flow = into('reviews.parquet', 'all.sqlite');
    await run(flow, false, {});
    const before = await onDisk('all.sqlite', 'reviews');
    const summary = await run(flow, true, { failures: true });
    expect(summary.outcome).toBe('complete');
    const after = await onDisk('all.sqlite', 'reviews');
    expect(after.length).toBeGreaterThan(before.length);
    expect(ids(await onDisk('reviews.parquet', 'reviews'))).toEqual(ids(after));
    expect(after).toEqual(expect.arrayContaining(before));
  });

  it('can not have two stages in one Parquet file', () => {
    const flow = into('one.parquet');
    const stages = { ...flow.stages, people: { ...flow.stages['people']!, to: 'one.parquet' } };
    expect(checkFlow({ ...flow, stages }).map(({ message }) => message)).toEqual([
      "'one.parquet' is written by stage people already: two stages can't share a file, unless it is a database",
    ]);
  });
});

/** Cuts the power in one of `every` steps of a run, others the next day, and lets it come to its end: what is wrong then. */
async function cuts(
  file: string,
  table: string,
  disk: MemoryDisk,
  failures: boolean,
  draws: number,
  every: number,
): Promise<readonly string[]> {
  const flow = into(file);
  const go = async (on: MemoryDisk): Promise<number> => {
    const fileSystem = new MemoryFileSystem(on);
    const client = fakeClient((asked) => smallResponse(asked, failures));
    await lastValueFrom(runFlow(flow, { client, outDir: '/data/out', fileSystem, failures, concurrency: 2, commitMs: 0 }));
    return client.asked.length;
  };
  const rowsOn = (fileSystem: MemoryDisk): Promise<string[]> => tableRows(file, fileSystem.read(`/data/out/${file}`)!, table);
  const first = disk.copy();
  await go(first);
  const golden = await rowsOn(first);
  const path = `/data/out/${file}`;
  const whole = [disk, first].map((one) => one.read(path)?.toString('hex'));
  const wrong: string[] = [];
  const remainders = ofTheDay([...Array(every).keys()], 1);
  for (const step of first.log.keys()) {
    if (!remainders.includes(step % every)) continue;
    for (let draw = 0; draw < draws; draw++) {
      const mood = (step + draw) % moodCount;
      const after = first.powerCut(seeded(step * 100 + draw), { until: step, mood });
      const there = after.read(path)?.toString('hex');
      const where = `${file}: step ${step} (${JSON.stringify(first.log[step]).slice(0, 60)}), mood ${mood}`;
      if (!whole.includes(there)) wrong.push(`${where}: neither the old file nor the new one`);
      try {
        const asked = await go(after);
        if (asked > smallRequests) wrong.push(`${where}: ${asked} requests`);
        if (JSON.stringify(await rowsOn(after)) !== JSON.stringify(golden)) wrong.push(`${where}: other rows`);
        const parts = after.paths.filter((name) => name.includes('.part'));
        if (parts.length > 0) wrong.push(`${where}: left ${parts.join(', ')}`);
      } catch (error) {
        wrong.push(`${where}: ${String(error)}`);
      }
    }
  }
  return wrong;
}

describe('a flow into Parquet and databases, on a disk that forgets', () => {
  const cut = [
    ['reviews.parquet', long ? 14 : 1, 8],
    ['all.sqlite', long ? 14 : 1, 8],
    ['all.duckdb', long ? 7 : 1, 36],
  ] as const;
  it.each(ofTheDay(cut, 1))('%s has the same rows after a power cut in any step', async (file, draws, every) => {
    expect(await cuts(file, 'reviews', new MemoryDisk(), false, draws, every)).toEqual([]);
  });

  it.each(ofTheDay(['reviews.parquet', 'all.sqlite'], 1))(
    '%s has the same rows after a power cut while failures are run again',
    async (file) => {
      const disk = new MemoryDisk();
      const client = fakeClient((asked) => smallResponse(asked));
      await lastValueFrom(
        runFlow(into(file), { client, outDir: '/data/out', fileSystem: new MemoryFileSystem(disk), concurrency: 2, commitMs: 0 }),
      );
      expect(await cuts(file, 'reviews', disk, true, long ? 7 : 1, 12)).toEqual([]);
    },
  );
});
