import { describe, expect, it } from 'vitest';
import type { FileSystem } from '../../src/files/FileSystem.ts';
import { SinkError } from '../../src/errors/index.ts';
import { openStore } from '../../src/store/index.ts';
import { MemoryDisk, type DiskFault } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import type { DiskStep } from '../disk/DiskContent.ts';
import { moodCount } from '../disk/MemoryDisk.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { requestOf, responseOf } from './requests.ts';

const long = process.env['TRAWLER_LONG'] !== undefined;
const options = { segmentBytes: 3000, syncMs: 60_000, now: () => 1_700_000_000_000 };

/** After so many steps of the disk, so many responses had been reported as stored. */
type Reports = { readonly step: number; readonly stored: number }[];

interface Recording {
  readonly disk: MemoryDisk;
  readonly reports: Reports;
}

/** Stores responses in groups, and notes when which of them are reported as stored. */
async function record(disk: MemoryDisk, first: number, wrap: (disk: FileSystem) => FileSystem = (same) => same): Promise<Recording> {
  const memory = disk.copy();
  const store = openStore('/data/responses', { ...options, fileSystem: wrap(new MemoryFileSystem(memory)) });
  const reports: Reports = [];
  let id = first;
  for (const group of [1, 3, 2, 1]) {
    for (let nth = 0; nth < group; nth++) store.keep(requestOf(id), responseOf(id++));
    store.keep(requestOf('same'), responseOf('same', id)); // the same request again, with another response
    store.keep(requestOf(`copy ${id}`), responseOf(1)); // a body that is there already
    await store.sync();
    reports.push({ step: memory.log.length, stored: id });
  }
  await store.close();
  return { disk: memory, reports };
}

const repeated = Array.from({ length: 21 }, (_, size) => responseOf('same', size).body);

/** What is wrong with a disk on which the responses from 0 to `stored` are safe: in words, nothing where all is right. */
function faultsOf(disk: MemoryDisk, stored: number, repeats = true): string[] {
  const faults: string[] = [];
  const store = openStore('/data/responses', { ...options, fileSystem: new MemoryFileSystem(disk.copy()) });
  for (let id = 0; id < 20; id++) {
    const found = store.find(requestOf(id));
    if (found.kind === 'hit' && !found.response.body.equals(responseOf(id).body)) faults.push(`${id} is wrong`);
    if (found.kind !== 'hit' && id < stored) faults.push(`${id} is lost`);
    const copy = store.find(requestOf(`copy ${id}`));
    if (copy.kind === 'hit' && !copy.response.body.equals(responseOf(1).body)) faults.push(`the copy ${id} is wrong`);
  }
  const same = store.find(requestOf('same'));
  if (same.kind === 'hit' && !repeated.some((body) => body.equals(same.response.body))) faults.push('the repeated one is wrong');
  if (same.kind !== 'hit' && stored > 0 && repeats) faults.push('the repeated one is lost');
  return faults;
}

/** Every state that the disk may be in after the power went, at every step; and what is wrong with them. */
function afterPowerCuts({ disk, reports }: Recording, seeds: number, earlier = 0): { states: number; faults: string[] } {
  const faults = new Set<string>();
  let states = 0;
  for (let until = 0; until < disk.log.length; until++) {
    const stored = reports.findLast(({ step }) => step <= until)?.stored ?? earlier;
    for (let seed = 0; seed < seeds * moodCount; seed++) {
      const after = disk.powerCut(seeded(seed * 7919 + until), { until, mood: seed });
      states++;
      for (const fault of faultsOf(after, stored)) faults.add(`${fault} (step ${until}, seed ${seed})`);
    }
  }
  return { states, faults: [...faults] };
}

const dataFolder = new MemoryDisk();
dataFolder.makeFolder('/data');

describe('a store', () => {
  it('loses nothing that was reported as stored, and gives nothing wrong, after a power cut at any step', async () => {
    const first = await record(dataFolder, 0);
    const { states, faults } = afterPowerCuts(first, long ? 40 : 1);
    expect(faults.slice(0, 5)).toEqual([]);
    expect(states).toBeGreaterThan(250);
  });

  it('continues after a power cut, and loses nothing in a second one', async () => {
    const first = await record(dataFolder, 0);
    const faults: string[] = [];
    for (const round of ofTheDay([...Array(100).keys()], 1)) {
      const until = Math.floor(seeded(round)() * first.disk.log.length);
      const stored = first.reports.findLast(({ step }) => step <= until)?.stored ?? 0;
      const cut = first.disk.powerCut(seeded(round), { until, mood: round });
      // What it finds is made safe by what it stores itself, so only that counts.
      const second = await record(cut, 10);
      const kept = { ...second, reports: second.reports.map(({ step }) => ({ step, stored })) };
      faults.push(...afterPowerCuts(kept, 1, stored).faults.map((fault) => `round ${round}: ${fault}`));
    }
    expect(faults.slice(0, 5)).toEqual([]);
  });

  it('loses nothing that was written to a SIGKILL at any write, whole or half', async () => {
    const whole = await record(dataFolder, 0);
    const faults: string[] = [];
    for (let until = 0; until < whole.disk.log.length; until++) {
      for (const short of ofTheDay([0, 1, 7, 200], 2)) {
        const disk = replay(whole.disk.log, until, short);
        const stored = whole.reports.findLast(({ step }) => step <= until)?.stored ?? 0;
        faults.push(...faultsOf(disk, stored).map((fault) => `step ${until}, ${short} bytes: ${fault}`));
      }
    }
    expect(faults.slice(0, 5)).toEqual([]);
  });

  it.each(ofTheDay(['ENOSPC', 'EIO'], 1))('stops storing on %s at any step, says so, and still finds what was stored', async (code) => {
    const { log } = (await record(dataFolder, 0)).disk;
    for (let failing = 0; failing < log.length; failing++) {
      const fault = (_: DiskStep, index: number): DiskFault | undefined => (index === failing ? code : undefined);
      const memory = dataFolder.copy({ fault });
      const store = openStore('/data/responses', { ...options, fileSystem: new MemoryFileSystem(memory) });
      let stored = 0;
      const told: unknown[] = [];
      for (let id = 0; id < 10; id++) {
        store.keep(requestOf(id), responseOf(id));
        if (id % 3 !== 2) continue;
        await store.sync().then(
          () => void (stored = id + 1),
          (error: unknown) => void told.push(error),
        );
      }
      await store.close().catch((error: unknown) => void told.push(error));
      const wrong = faultsOf(memory, stored, false);
      expect({ failing, wrong }).toEqual({ failing, wrong: [] });
      expect(memory.open.length).toBe(0);
      expect(stored === 9 || told.some((error) => error instanceof SinkError && error.message.includes(code))).toBe(true);
    }
  });

  const brokenDisks: [string, (disk: FileSystem) => FileSystem][] = [
    ['a segment that is never synced', (disk) => withFiles(disk, '.gz', 'datasync')],
    ['names that are never synced', (disk) => changed(disk, { syncFolder: () => Promise.resolve() })],
  ];
  it.each(ofTheDay(brokenDisks, 1))('is seen to lose responses with %s', async (_, broken) => {
    const recording = await record(dataFolder, 0, broken);
    expect(afterPowerCuts(recording, 1).faults.length).toBeGreaterThan(0);
  });
});

function changed(inner: FileSystem, changes: Partial<FileSystem>): FileSystem {
  return new Proxy(inner, {
    get: (target, key) => {
      const value: unknown = Reflect.get(changes, key) ?? Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function withFiles(inner: FileSystem, ending: string, method: 'datasync'): FileSystem {
  return changed(inner, {
    open: (path, flags, mode) => {
      const file = inner.open(path, flags, mode);
      return path.endsWith(ending) ? { ...file, [method]: () => Promise.resolve() } : file;
    },
  });
}

/** The disk after the steps up to `until`, of whose bytes, if it is a write, only so many were written. */
function replay(log: readonly DiskStep[], until: number, short: number): MemoryDisk {
  const content = dataFolder.content.copy();
  for (const step of log.slice(0, until)) content.apply(step);
  const step = log[until]!;
  content.apply(step.kind === 'write' ? { ...step, bytes: step.bytes.subarray(0, short) } : step);
  return new MemoryDisk({}, content, 2);
}
