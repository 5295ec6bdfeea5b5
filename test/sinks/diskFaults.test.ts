import { from, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { SinkError } from '../../src/errors/index.ts';
import { toCsv, toJsonl, toParquet, type FileOptions } from '../../src/sinks/index.ts';
import { MemoryDisk, type DiskFault, type MemoryDiskOptions } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import type { DiskStep } from '../disk/DiskContent.ts';
import { ofTheDay } from '../ofTheDay.ts';

const columns = ['id', 'text'];
const rows = Array.from({ length: 5 }, (_, id) => ({ id, text: `"é😀\n${'x'.repeat(90_000)}` }));

interface Case {
  readonly path: string;
  readonly old?: string;
  readonly sink: (path: string, options: FileOptions) => ReturnType<typeof toJsonl<object>>;
  readonly options?: FileOptions;
}

const cases: { readonly [name: string]: Case } = {
  JSONL: { path: '/out/rows.jsonl', sink: toJsonl },
  'JSONL over an old file': { path: '/out/rows.jsonl', sink: toJsonl, old: '{}\n', options: { overwrite: true } },
  'JSONL behind an old file': { path: '/out/rows.jsonl', sink: toJsonl, old: '{}\n', options: { append: true } },
  gzip: { path: '/out/rows.jsonl.gz', sink: toJsonl },
  CSV: { path: '/out/rows.csv', sink: (path, options) => toCsv(path, { ...options, columns }) },
  Parquet: { path: '/out/rows.parquet', sink: (path, options) => toParquet(path, { ...options, columns }) },
};

function diskOf({ path, old }: Case, options: MemoryDiskOptions = {}): MemoryDisk {
  const disk = new MemoryDisk();
  disk.makeFolder('/out');
  if (old !== undefined) disk.put(path, old);
  return disk.copy(options);
}

const run = (disk: MemoryDisk, { path, sink, options }: Case): Promise<unknown> =>
  lastValueFrom(from(rows).pipe(sink(path, { ...options, fileSystem: new MemoryFileSystem(disk) })));

const settled = async (disk: MemoryDisk): Promise<void> => {
  for (let turn = 0; turn < 100 && disk.open.length > 0; turn++) await new Promise(setImmediate);
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'no error');

/** What a stream may leave when it failed: no handle, no half file, whole rows in the part, and a path free for the next run. */
async function check(one: Case, fault: (step: DiskStep, index: number) => DiskFault | undefined, golden: MemoryDisk): Promise<string[]> {
  const disk = diskOf(one, { fault });
  const wrong: string[] = [];
  let error: unknown;
  await run(disk, one).catch((reason: unknown) => (error = reason));
  await settled(disk);
  if (disk.open.length !== 0) wrong.push(`${disk.open.length} files are still open`);
  const final = golden.paths.filter((name) => !name.includes('.part') && !name.includes('.lock'));
  for (const name of final) {
    const there = disk.read(name);
    if (there === undefined ? error === undefined : !there.equals(golden.read(name)!) && there.toString() !== one.old) {
      wrong.push(`${name} is ${there === undefined ? 'missing' : 'not whole'}; ${messageOf(error)}`);
    }
  }
  if (error === undefined) return wrong;
  if (!(error instanceof SinkError)) return [...wrong, `not a SinkError: ${messageOf(error)}`];
  const part = disk.read(`${one.path}.part`);
  const left = / (\d+) whole rows? (?:is|are) in \S+\.part/.exec(error.message);
  if (part !== undefined && one.path.endsWith('.jsonl') && left !== null && !error.message.includes('torn')) {
    const lines = part
      .toString()
      .split('\n')
      .slice(one.old !== undefined && one.options?.append ? 1 : 0);
    if (lines.length - 1 !== Number(left[1]) || lines.at(-1) !== '') wrong.push(`${lines.length - 1} rows in the part; ${error.message}`);
  }
  const after = disk.copy({});
  if (one.old !== undefined || after.read(one.path) === undefined) {
    await run(after, one).catch((reason: unknown) => wrong.push(`the next run failed: ${String(reason)}`));
  }
  return wrong;
}

describe.each(ofTheDay(Object.keys(cases), 1))('a disk that fails under %s', (name) => {
  const one = cases[name]!;
  const undisturbed = async (): Promise<MemoryDisk> => {
    const disk = diskOf(one);
    await run(disk, one);
    return disk;
  };
  const everyStep = async (fault: (at: number) => (step: DiskStep, index: number) => DiskFault | undefined): Promise<readonly string[]> => {
    const golden = await undisturbed();
    const wrong: string[] = [];
    for (const [at, step] of golden.log.entries()) {
      for (const line of await check(one, fault(at), golden)) wrong.push(`step ${at} (${step.kind}): ${line}`);
    }
    return golden.log.length > 10 ? wrong : ['hardly anything was done'];
  };

  it('leaves nothing half done after EIO once, at any step', async () => {
    expect(await everyStep((at) => (_, index) => (index === at ? 'EIO' : undefined))).toEqual([]);
  });

  it('leaves nothing half done after EIO for good, from any step on', async () => {
    expect(await everyStep((at) => (_, index) => (index >= at ? 'EIO' : undefined))).toEqual([]);
  });

  it('leaves nothing half done when it is full from any step on', async () => {
    const grows = new Set(['make', 'write', 'link', 'folder']);
    expect(await everyStep((at) => (step, index) => (index >= at && grows.has(step.kind) ? 'ENOSPC' : undefined))).toEqual([]);
  });

  it('cuts off what a write that stopped half-way left', async () => {
    const wrong = await everyStep((at) => (step, index) => {
      if (step.kind !== 'write' || index < at) return undefined;
      return index === at ? { short: Math.ceil(step.bytes.length / 2) } : 'ENOSPC';
    });
    expect(wrong).toEqual([]);
  });

  it('writes the same file when every write is short', async () => {
    const golden = await undisturbed();
    const disk = diskOf(one, {
      fault: (step) => (step.kind === 'write' ? { short: Math.max(1, Math.floor(step.bytes.length / 3)) } : undefined),
    });
    await run(disk, one);
    for (const file of golden.paths) expect(disk.read(file)?.equals(golden.read(file)!)).toBe(true);
  });

  it('is not asked to sync again when a sync failed', async () => {
    const syncs: number[] = [];
    const disk = diskOf(one, {
      fault: (step) => {
        if (step.kind !== 'datasync') return undefined;
        syncs.push(step.file);
        return 'EIO';
      },
    });
    await expect(run(disk, one)).rejects.toThrow('syncing failed: the disk reports a fault (EIO)');
    await settled(disk);
    expect(new Set(syncs).size).toBe(syncs.length);
  });
});
