import { from, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { FileSystem, OpenFile } from '../../src/files/FileSystem.ts';
import { toCsv, toDuckdb, toJsonl, toParquet, toSqlite, type FileOptions } from '../../src/sinks/index.ts';
import { journaledRun, type Broken } from './journaledRun.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { moodCount } from '../disk/MemoryDisk.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { tableRows } from './tableRows.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const moods = [...Array(moodCount).keys()];
const columns = ['id', 'text', 'n'];
const rowOf = (id: number, size: number): object => ({ id, text: `"é😀\n${'x'.repeat(size)}`, n: id / 4 });
const batches = Array.from({ length: 4 }, (_, batch) => Array.from({ length: 3 }, (_, row) => rowOf(batch * 3 + row, 40)));
const large = Array.from({ length: 5 }, (_, id) => rowOf(id, 90_000));

/** What a design may get wrong underneath the writer. */
type Wrap = (fileSystem: FileSystem) => FileSystem;
const right: Wrap = (fileSystem) => fileSystem;

const withFiles = (fileSystem: FileSystem, change: (file: OpenFile, name: string) => Partial<OpenFile>): FileSystem =>
  override(fileSystem, {
    open: (path, flags, mode) => {
      const file = fileSystem.open(path, flags, mode);
      return { ...file, ...change(file, path) };
    },
  });

function override(fileSystem: FileSystem, changes: Partial<FileSystem>): FileSystem {
  return new Proxy(fileSystem, {
    get: (target, key) => {
      const value: unknown = Reflect.get(changes, key) ?? Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const never = (): Promise<void> => Promise.resolve();
const brokenDisks: { readonly [name: string]: Wrap } = {
  'data, then state, without a sync of the data': (inner) =>
    withFiles(inner, (_, name) => (name.endsWith('.part') ? { datasync: never } : {})),
  'names that are never synced': (inner) => override(inner, { syncFolder: never }),
  'the old name removed before the new one is safe': (inner) =>
    override(inner, {
      link: (existing, name) => {
        inner.link(existing, name);
        if (existing.endsWith('.part')) inner.unlink(existing);
      },
      unlink: (name) => (inner.stat(name) === undefined ? undefined : inner.unlink(name)),
      stat: (name) => inner.stat(name),
    }),
};
const brokenFinishes: { readonly [name: string]: Wrap } = {
  'the name before the sync': (inner) => withFiles(inner, () => ({ datasync: never })),
  'the old file removed before the new one is there': (inner) =>
    override(inner, {
      rename: (from, to) => {
        if (to.endsWith('.jsonl')) inner.unlink(to);
        inner.rename(from, to);
      },
    }),
};

interface Outcome {
  readonly states: number;
  readonly wrong: readonly string[];
}

/** Cuts the power in every step of a journaled run, several ways, sometimes again in the recovery; then runs it to its end. */
async function journaled(
  path: string,
  seeds: number,
  wrap: Wrap = right,
  broken?: Broken,
  /** Faults to find before it ends. */
  enough = Infinity,
): Promise<Outcome> {
  const undisturbed = new MemoryDisk();
  await journaledRun(new MemoryFileSystem(undisturbed), path, batches, { columns });
  const golden = undisturbed.read(path)!;
  const first = new MemoryDisk();
  await journaledRun(wrap(new MemoryFileSystem(first)), path, batches, { columns }, broken);
  const wrong: string[] = [];
  let states = 0;
  for (let step = 0; step < first.log.length; step++) {
    // Without TRAWLER_LONG one of the moods, which is another in the next step and tomorrow. What is broken may need one of them.
    for (const draw of enough < Infinity ? moods : ofTheDay(moods, 1)) {
      const mood = (step + draw) % moodCount;
      for (let seed = 0; seed < seeds && wrong.length < enough; seed++) {
        const random = seeded(step * 1000 + mood * 100 + seed);
        let disk = first.powerCut(random, { until: step, mood });
        states += 1;
        if (random() < 0.3) {
          const second = disk.copy();
          await journaledRun(wrap(new MemoryFileSystem(second)), path, batches, { columns }, broken).catch(() => undefined);
          disk = second.powerCut(random, { until: Math.floor(random() * second.log.length), mood: Math.floor(random() * moodCount) });
          states += 1;
        }
        const last = disk.copy();
        const where = `${path}: step ${step} (${first.log[step]!.kind}), mood ${mood}, seed ${seed}`;
        try {
          await journaledRun(wrap(new MemoryFileSystem(last)), path, batches, { columns }, broken);
          if (!last.read(path)?.equals(golden)) wrong.push(`${where}: another file`);
        } catch (error) {
          wrong.push(`${where}: ${String(error)}`);
        }
      }
    }
  }
  return { states, wrong };
}

type Sink = (path: string, options: FileOptions) => ReturnType<typeof toJsonl<object>>;

/** Cuts the power in every step of a stream to a file: the path has the old file, or nothing, or all of the new one. */
async function streamed(path: string, sink: Sink, old: string | undefined, wrap: Wrap = right): Promise<Outcome> {
  const run = async (fileSystem: FileSystem): Promise<void> => {
    await lastValueFrom(from(large).pipe(sink(path, { fileSystem, overwrite: old !== undefined })));
  };
  const start = new MemoryDisk();
  start.makeFolder('/out');
  if (old !== undefined) start.put(path, old);
  const first = start.copy();
  await run(wrap(new MemoryFileSystem(first)));
  const golden = first.read(path)!;
  const wrong: string[] = [];
  let states = 0;
  for (let step = 0; step <= first.log.length; step++) {
    for (const draw of wrap === right ? ofTheDay(moods, 1) : moods) {
      if (wrap !== right && wrong.length > 0) break; // it is found
      const mood = (step + draw) % moodCount;
      const disk = first.powerCut(seeded(step * 10 + mood), { until: step, mood });
      states += 1;
      const after = disk.copy();
      const there = after.read(path);
      const where = `${path}: step ${step} (${first.log[step]?.kind ?? 'done'}), mood ${mood}`;
      if (step === first.log.length && !there?.equals(golden)) wrong.push(`${where}: reported, and not there`);
      if (there === undefined && old !== undefined) wrong.push(`${where}: the old file is gone`);
      if (there !== undefined && !there.equals(golden) && there.toString() !== old) wrong.push(`${where}: a file that isn't whole`);
      if (there !== undefined && old === undefined) continue;
      try {
        await run(wrap(new MemoryFileSystem(after)));
        if (!after.read(path)?.equals(golden)) wrong.push(`${where}: the next run wrote another file`);
      } catch (error) {
        wrong.push(`${where}: the next run failed: ${String(error)}`);
      }
    }
  }
  return { states, wrong };
}

let total = 0;
const faultsOf = async (run: Promise<Outcome>): Promise<readonly string[]> => {
  const { states, wrong } = await run;
  total += states;
  return wrong;
};

describe('OutputFile', () => {
  it('ends with the same file after a power cut in any step: JSONL', async () => {
    expect(await faultsOf(journaled('/out/rows.jsonl', long ? 4 : 1))).toEqual([]);
  });
  it('ends with the same file after a power cut in any step: CSV', async () => {
    expect(await faultsOf(journaled('/out/rows.csv', long ? 4 : 1))).toEqual([]);
  });
  it('ends with the same file after a power cut in any step: gzip', async () => {
    expect(await faultsOf(journaled('/out/rows.jsonl.gz', long ? 4 : 1))).toEqual([]);
  });
  it('ends with the same file after a power cut in any step: Parquet', async () => {
    expect(await faultsOf(journaled('/out/rows.parquet', long ? 2 : 1))).toEqual([]);
  });
});

describe('databases', () => {
  // their bytes differ from run to run, so what counts is what is in them
  it.each([
    ['rows.sqlite', toSqlite, long ? 2 : 16],
    ['rows.duckdb', toDuckdb, long ? 5 : 36],
  ] as const)('are whole or not there after a power cut: %s', async (name, sink, every) => {
    const path = `/out/${name}`;
    const start = new MemoryDisk();
    start.makeFolder('/out');
    const run = async (fileSystem: FileSystem): Promise<void> =>
      void (await lastValueFrom(from(batches.flat()).pipe(sink(path, { fileSystem, columns, overwrite: true }))));
    const first = start.copy();
    await run(new MemoryFileSystem(first));
    const golden = await tableRows(name, first.read(path)!, 'rows');
    expect(golden).toHaveLength(12);
    // Every so many steps, the next ones tomorrow, and the end.
    const [turn] = ofTheDay([...Array(every).keys()], 1);
    const steps = [...first.log.keys()].filter((step) => step % every === turn);
    for (const step of [...steps, first.log.length]) {
      for (let mood = 0; mood < moodCount; mood++) {
        const after = first.powerCut(seeded(step * 10 + mood), { until: step, mood });
        total += 1;
        const there = after.read(path);
        expect(there === undefined ? golden : await tableRows(name, there, 'rows')).toEqual(golden);
        expect(there !== undefined || step < first.log.length).toBe(true);
        if (mood > 0) continue;
        await run(new MemoryFileSystem(after));
        expect(await tableRows(name, after.read(path)!, 'rows')).toEqual(golden);
      }
    }
  });
});

describe('toJsonl, toCsv, toParquet', () => {
  it('leave all or nothing at a free path after a power cut', async () => {
    expect(await faultsOf(streamed('/out/rows.jsonl', toJsonl, undefined))).toEqual([]);
    expect(await faultsOf(streamed('/out/rows.csv', (path, options) => toCsv(path, { ...options, columns }), undefined))).toEqual([]);
    expect(await faultsOf(streamed('/out/rows.parquet', (path, options) => toParquet(path, { ...options, columns }), undefined))).toEqual(
      [],
    );
  });

  it('leave the old file or the new one with overwrite', async () => {
    expect(await faultsOf(streamed('/out/rows.jsonl', toJsonl, 'old\n'))).toEqual([]);
    expect(await faultsOf(streamed('/out/rows.csv', (path, options) => toCsv(path, { ...options, columns }), 'old\n'))).toEqual([]);
  });

  it('were tried in hundreds of states', () => {
    expect(total).toBeGreaterThan(long ? 3000 : 150);
  });
});

describe('the power cuts', () => {
  it.each(ofTheDay(Object.keys(brokenDisks), 1))('find a design with %s', async (name) => {
    expect((await journaled('/out/rows.jsonl', 6, brokenDisks[name], undefined, 1)).wrong).not.toEqual([]);
  });

  it.each<Broken>(ofTheDay(['journal before data', 'forgets the position'], 1))('find a design with %s', async (broken) => {
    expect((await journaled('/out/rows.jsonl', 1, right, broken, 1)).wrong).not.toEqual([]);
  });

  it.each(ofTheDay(Object.keys(brokenFinishes), 1))('find a design with %s', async (name) => {
    const wrap = brokenFinishes[name];
    const outcomes = [
      await streamed('/out/rows.jsonl', toJsonl, undefined, wrap),
      await streamed('/out/rows.jsonl', toJsonl, 'old\n', wrap),
    ];
    expect(outcomes.flatMap((outcome) => outcome.wrong)).not.toEqual([]);
  });
});
