import { from, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { SinkError } from '../../src/errors/index.ts';
import { toCsv, toJsonl, toParquet, type FileOptions } from '../../src/sinks/index.ts';
import { MemoryFileSystem, type Disk, type Fault, type Step } from '../files/MemoryFileSystem.ts';
import { restarted } from '../files/powerCut.ts';

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
  'gzip in parts': { path: '/out/rows.jsonl.gz', sink: toJsonl, options: { rotate: { rows: 3 } } },
  CSV: { path: '/out/rows.csv', sink: (path, options) => toCsv(path, { ...options, columns }) },
  Parquet: { path: '/out/rows.parquet', sink: (path, options) => toParquet(path, { ...options, columns }) },
};

function diskOf({ path, old }: Case): Disk {
  const fileSystem = new MemoryFileSystem();
  fileSystem.makeFolder('/out');
  if (old !== undefined) fileSystem.put(path, old);
  return fileSystem.disk;
}

const run = (fileSystem: MemoryFileSystem, { path, sink, options }: Case): Promise<unknown> =>
  lastValueFrom(from(rows).pipe(sink(path, { ...options, fileSystem })));

const settled = async (fileSystem: MemoryFileSystem): Promise<void> => {
  for (let turn = 0; turn < 100 && fileSystem.openCount > 0; turn++) await new Promise(setImmediate);
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'no error');

/** What a stream may leave when it failed: no handle, no half file, whole rows in the part, and a path free for the next run. */
async function check(one: Case, fault: (step: Step, index: number) => Fault | undefined, golden: MemoryFileSystem): Promise<string[]> {
  const fileSystem = new MemoryFileSystem(diskOf(one), fault);
  const wrong: string[] = [];
  let error: unknown;
  await run(fileSystem, one).catch((reason: unknown) => (error = reason));
  await settled(fileSystem);
  if (fileSystem.openCount !== 0) wrong.push(`${fileSystem.openCount} files are still open`);
  const final = golden.fileNames.filter((name) => !name.includes('.part') && !name.includes('.lock'));
  for (const name of final) {
    const there = fileSystem.read(name);
    if (there === undefined ? error === undefined : !there.equals(golden.read(name)!) && there.toString() !== one.old) {
      wrong.push(`${name} is ${there === undefined ? 'missing' : 'not whole'}; ${messageOf(error)}`);
    }
  }
  if (error === undefined) return wrong;
  if (!(error instanceof SinkError)) return [...wrong, `not a SinkError: ${messageOf(error)}`];
  const part = fileSystem.read(`${one.path}.part`);
  const left = / (\d+) whole rows? (?:is|are) in \S+\.part/.exec(error.message);
  if (part !== undefined && one.path.endsWith('.jsonl') && left !== null && !error.message.includes('torn')) {
    const lines = part
      .toString()
      .split('\n')
      .slice(one.old !== undefined && one.options?.append ? 1 : 0);
    if (lines.length - 1 !== Number(left[1]) || lines.at(-1) !== '') wrong.push(`${lines.length - 1} rows in the part; ${error.message}`);
  }
  if (one.options?.rotate !== undefined && final.some((name) => fileSystem.read(name) !== undefined)) return wrong;
  const after = new MemoryFileSystem(restarted(fileSystem.disk));
  if (one.old !== undefined || after.read(one.path) === undefined) {
    await run(after, one).catch((reason: unknown) => wrong.push(`the next run failed: ${String(reason)}`));
  }
  return wrong;
}

describe.each(Object.keys(cases))('a disk that fails under %s', (name) => {
  const one = cases[name]!;
  const undisturbed = async (): Promise<MemoryFileSystem> => {
    const fileSystem = new MemoryFileSystem(diskOf(one));
    await run(fileSystem, one);
    return fileSystem;
  };
  const everyStep = async (fault: (at: number) => (step: Step, index: number) => Fault | undefined): Promise<readonly string[]> => {
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
    const fileSystem = new MemoryFileSystem(diskOf(one), (step) =>
      step.kind === 'write' ? { short: Math.max(1, Math.floor(step.bytes.length / 3)) } : undefined,
    );
    await run(fileSystem, one);
    for (const file of golden.fileNames) expect(fileSystem.read(file)?.equals(golden.read(file)!)).toBe(true);
  });

  it('is not asked to sync again when a sync failed', async () => {
    const syncs: number[] = [];
    const fileSystem = new MemoryFileSystem(diskOf(one), (step) => {
      if (step.kind !== 'datasync') return undefined;
      syncs.push(step.file);
      return 'EIO';
    });
    await expect(run(fileSystem, one)).rejects.toThrow('syncing failed: the disk reports a fault (EIO)');
    await settled(fileSystem);
    expect(new Set(syncs).size).toBe(syncs.length);
  });
});
