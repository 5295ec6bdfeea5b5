import { lastValueFrom, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { writeAll, writeAllSync } from '../../src/files/blocks.ts';
import { openOutput, toJsonl } from '../../src/sinks/index.ts';
import { openStore } from '../../src/store/index.ts';
import { requestOf, responseOf } from '../store/requests.ts';
import { MemoryFileSystem, type Step } from './MemoryFileSystem.ts';

const nothing = 'the system wrote nothing and gave no reason';

/** A disk that takes so many bytes at each write. It gives up after 1,000 writes, or a loop without end would end the test. */
function diskThatTakes(bytes: number): MemoryFileSystem {
  let left = 1000;
  return new MemoryFileSystem(undefined, (step: Step) => {
    if (step.kind !== 'write') return undefined;
    return left-- > 0 ? { short: bytes } : 'EIO';
  });
}

describe('writeAll', () => {
  it('writes all in as many steps as the disk takes', async () => {
    const disk = diskThatTakes(2);
    const file = disk.open('/a', 'wx');
    await writeAll(file, Buffer.from('abcde'), 0);
    writeAllSync(file, Buffer.from('fgh'), 5);
    expect(disk.read('/a')?.toString()).toBe('abcdefgh');
    expect(disk.log.filter(({ kind }) => kind === 'write')).toHaveLength(5);
  });

  it('fails when the disk writes nothing', async () => {
    const file = diskThatTakes(0).open('/a', 'wx');
    await expect(writeAll(file, Buffer.from('a'), 0)).rejects.toThrow(nothing);
    expect(() => writeAllSync(file, Buffer.from('a'), 0)).toThrow(nothing);
  });
});

describe('a disk that writes nothing', () => {
  it('stops a store', async () => {
    const store = openStore('/responses', { fileSystem: diskThatTakes(0), syncMs: 60_000 });
    store.keep(requestOf(1), responseOf(1));
    await expect(store.sync()).rejects.toThrow(nothing);
    await store.close().catch(() => undefined);
  });

  it('stops a sink', async () => {
    await expect(lastValueFrom(of({}).pipe(toJsonl('/rows.jsonl', { fileSystem: diskThatTakes(0) })))).rejects.toThrow(nothing);
  });

  it('stops a copy of the file that rows are appended to', () => {
    const fileSystem = diskThatTakes(0);
    fileSystem.put('/rows.jsonl', '{}\n');
    expect(() => openOutput('/rows.jsonl', { fileSystem, append: true, lock: false })).toThrow(nothing);
  });
});
