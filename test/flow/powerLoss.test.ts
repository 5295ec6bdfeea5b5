import { parse } from 'csv-parse/sync';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runFlow, type RunFlowOptions } from '../../src/flow/index.ts';
import type { JournalRecord } from '../../src/flow/core/events.ts';
import type { FileSystem } from '../../src/sinks/index.ts';
import { DiskContent } from '../disk/DiskContent.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { moodCount } from '../disk/MemoryDisk.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { fakeClient } from './fakeClient.ts';
import { smallResponse, smallFlow, smallRequests } from './smallFlow.ts';

const files = ['people.jsonl', 'reviews.jsonl', 'reviews.csv', 'failures.jsonl'];
const long = process.env['TRAWLER_LONG'] === '1';
const moods = [...Array(moodCount).keys()];
/** Cuts in each step. Without TRAWLER_LONG one, in another mood of the disk every day; each simulated world has cuts of its own. */
const draws = long ? [...Array(70).keys()] : ofTheDay(moods, 1);

/** Every fifth step, the next ones tomorrow. */
const turns = ofTheDay([0, 1, 2, 3, 4], 1);
const isTried = (step: number): boolean => turns.includes(step % 5);

interface Way {
  /** Where it begins. */
  readonly disk: MemoryDisk;
  /** Whether the failures are run again, and come to something. */
  readonly failures: boolean;
  /** Requests on record at the end. */
  readonly requests: number;
}

async function run(fileSystem: FileSystem, failures: boolean): Promise<number> {
  const client = fakeClient((asked) => smallResponse(asked, failures));
  await lastValueFrom(runFlow(smallFlow, { client, outDir: '/data/out', fileSystem, failures, concurrency: 2, commitMs: 0 }));
  return client.asked.length;
}

/** The rows of each file, in an order of their own, and without the time in those of failures. */
function rowsOn(disk: MemoryDisk): { [file: string]: string[] } {
  return Object.fromEntries(
    files.map((file) => {
      const text = disk.read(`/data/out/${file}`)?.toString('utf8') ?? 'nothing';
      const rows = file.endsWith('.csv') ? (parse(text) as string[][]).map((cells) => JSON.stringify(cells)) : text.split('\n');
      return [file, rows.map((row) => row.replace(/"at":"[^"]*"/g, '')).sort()];
    }),
  );
}

/** Requests whose outcome the journal has. */
function committed(disk: MemoryDisk): number {
  const lines = (disk.read('/data/out/.trawler/journal.jsonl')?.toString('utf8') ?? '').split('\n').filter((line) => line !== '');
  const events = lines.flatMap((line) => {
    const record = JSON.parse(line) as JournalRecord;
    return record.type === 'commit' ? record.events : [];
  });
  return events.filter(({ type }) => type === 'PageTaken' || type === 'QueryFailed' || type === 'QueryPostponed').length;
}

/** Cuts the power in every step of a run, sometimes again in the recovery, and then lets it come to its end. */
async function cuts(way: Way, draws: readonly number[]): Promise<{ readonly states: number; readonly wrong: string[] }> {
  const { failures } = way;
  const undisturbed = way.disk.copy();
  await run(new MemoryFileSystem(undisturbed), failures);
  const golden = rowsOn(undisturbed);
  const first = way.disk.copy();
  await run(new MemoryFileSystem(first), failures);
  const wrong: string[] = [];
  let states = 0;
  const steps = [...first.log.keys()].filter(isTried);
  for (const draw of draws) {
    for (const step of steps) {
      const mood = (step + draw) % moodCount;
      const random = seeded(step * 100 + draw);
      let disk = first.powerCut(random, { until: step, mood });
      states += 1;
      if (random() < 0.25) {
        const second = disk.copy();
        await run(new MemoryFileSystem(second), failures).catch(() => undefined);
        disk = second.powerCut(random, { until: Math.floor(random() * second.log.length), mood: Math.floor(random() * moodCount) });
        states += 1;
      }
      const where = `step ${step} (${JSON.stringify(first.log[step]).slice(0, 60)}), mood ${mood}`;
      const last = disk.copy();
      try {
        const asked = await run(new MemoryFileSystem(last), failures);
        if (JSON.stringify(rowsOn(last)) !== JSON.stringify(golden)) wrong.push(`${where}: other rows`);
        // A page that was asked for again would be on record twice.
        if (committed(last) !== way.requests || asked > way.requests)
          wrong.push(`${where}: ${committed(last)} requests on record, ${asked} now`);
      } catch (error) {
        wrong.push(`${where}: ${String(error)}`);
      }
    }
  }
  return { states, wrong };
}

/** A disk after a whole run, with one query that failed. */
async function finished(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  await run(new MemoryFileSystem(disk), false);
  return disk;
}

const fromNothing: Way = { disk: new MemoryDisk(), failures: false, requests: smallRequests };
let states = 0;

describe('runFlow on a disk that forgets', () => {
  it('ends with the same rows after a power cut in any step, and requests no committed page again', async () => {
    const outcome = await cuts(fromNothing, draws);
    states += outcome.states;
    expect(outcome.wrong).toEqual([]);
  });

  it('adds the rows of failures that are run again, after a power cut in any step of that', async () => {
    const way = { disk: await finished(), failures: true, requests: smallRequests + 1 };
    const outcome = await cuts(way, draws);
    states += outcome.states;
    expect(outcome.wrong).toEqual([]);
  });

  it('moves an earlier run aside whole or leaves it whole, whenever the start of a fresh one is cut short', async () => {
    const half = new MemoryDisk();
    const start = (disk: MemoryDisk, options: Partial<RunFlowOptions>) =>
      lastValueFrom(runFlow(smallFlow, { client: fakeClient(smallResponse), outDir: '/data/out', fileSystem: new MemoryFileSystem(disk), concurrency: 2, commitMs: 0, ...options })); // prettier-ignore
    await start(half, { maxRequests: 8 });
    const filesOf = (disk: MemoryDisk, folder: string): unknown =>
      disk.paths
        .filter(
          (name) =>
            name.startsWith(folder) &&
            /(journal\.jsonl|\.part|failures\.jsonl)$/.test(name) &&
            !name.slice(folder.length).includes('old-1'),
        ) // prettier-ignore
        .map((name) => [name.slice(folder.length), disk.read(name)!.toString('latin1')]);
    const before = filesOf(half, '/data/out');
    const afresh = half.copy();
    await start(afresh, { fresh: true });
    const golden = rowsOn(afresh);
    expect(filesOf(afresh, '/data/out/old-1')).toEqual(before);
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (let step = 0; step < afresh.log.length; step++) {
      if (!isTried(step)) continue;
      for (const draw of ofTheDay(moods, 1)) {
        const mood = (step + draw) % moodCount;
        const disk = afresh.powerCut(seeded(step * 10 + draw), { until: step, mood });
        states += 1;
        const where = `step ${step} (${JSON.stringify(afresh.log[step]).slice(0, 60)}), mood ${mood}`;
        try {
          await start(disk, {});
        } catch (error) {
          wrong.push(`${where}: ${String(error)}`);
          continue;
        }
        if (JSON.stringify(rowsOn(disk)) !== JSON.stringify(golden)) wrong.push(`${where}: other rows`);
        if (committed(disk) !== smallRequests) wrong.push(`${where}: ${committed(disk)} requests on record`);
        const moved = disk.paths.some((name) => name.includes('/old-1/'));
        seen.add(moved ? 'moved' : 'resumed');
        if (moved && JSON.stringify(filesOf(disk, '/data/out/old-1')) !== JSON.stringify(before))
          wrong.push(`${where}: the old run is split`);
      }
    }
    expect(wrong).toEqual([]);
    expect(seen).toEqual(new Set(['moved', 'resumed']));
  });

  it('adds no row to a finished file in place, after a crash between its new name and the end of its old one', async () => {
    const finishedName = /\/(people\.jsonl|reviews\.jsonl|reviews\.csv)$/;
    const whole = new MemoryDisk();
    await run(new MemoryFileSystem(whole), false);
    const links = whole.log.flatMap((step, index) => (step.kind === 'link' && finishedName.test(step.name) ? [index] : []));
    expect(links).toHaveLength(3);
    const again = await finished();
    await run(new MemoryFileSystem(again), true);
    for (const link of links) {
      const content = new DiskContent();
      for (const step of whole.log.slice(0, link + 1)) content.apply(step);
      const disk = new MemoryDisk({}, content, 2);
      await run(new MemoryFileSystem(disk), true);
      expect(rowsOn(disk)).toEqual(rowsOn(again));
      const grown: string[] = [];
      for (const step of disk.log) {
        if (step.kind === 'write')
          grown.push(...[...content.names].flatMap(([name, file]) => (file === step.file && finishedName.test(name) ? [name] : [])));
        content.apply(step);
      }
      expect(grown).toEqual([]);
    }
  });

  it('was tried in many states', () => {
    expect(states).toBeGreaterThan(long ? 10_000 : 60);
  });
});
