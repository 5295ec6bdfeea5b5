import { lastValueFrom, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { writeAll, writeAllSync } from '../../src/files/blocks.ts';
import { FlowFolder } from '../../src/flow/state/FlowFolder.ts';
import { Journal } from '../../src/flow/state/Journal.ts';
import { openOutput, toJsonl } from '../../src/sinks/index.ts';
import { openStore } from '../../src/store/index.ts';
import { requestOf, responseOf } from '../store/requests.ts';
import { MemoryDisk, type DiskFault } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import type { DiskStep } from '../disk/DiskContent.ts';

const nothing = 'the system wrote nothing and gave no reason';

/** A disk that takes so many bytes at each write. It gives up after 1,000 writes, or a loop without end would end the test. */
function diskThatTakes(bytes: number, from: () => boolean = () => true): MemoryDisk {
  let left = 1000;
  const fault = (step: DiskStep): DiskFault | undefined => {
    if (step.kind !== 'write' || !from()) return undefined;
    return left-- > 0 ? { short: bytes } : 'EIO';
  };
  return new MemoryDisk({ fault });
}

describe('writeAll', () => {
  it('writes all in as many steps as the disk takes', async () => {
    const disk = diskThatTakes(2);
    const fileSystem = new MemoryFileSystem(disk);
    const file = fileSystem.open('/a', 'wx');
    await writeAll(file, Buffer.from('abcde'), 0);
    writeAllSync(file, Buffer.from('fgh'), 5);
    expect(disk.read('/a')?.toString()).toBe('abcdefgh');
    expect(disk.log.filter(({ kind }) => kind === 'write')).toHaveLength(5);
  });

  it('fails when the disk writes nothing', async () => {
    const file = new MemoryFileSystem(diskThatTakes(0)).open('/a', 'wx');
    await expect(writeAll(file, Buffer.from('a'), 0)).rejects.toThrow(nothing);
    expect(() => writeAllSync(file, Buffer.from('a'), 0)).toThrow(nothing);
  });
});

describe('a disk that writes nothing', () => {
  it('stops a store', async () => {
    const store = openStore('/responses', { fileSystem: new MemoryFileSystem(diskThatTakes(0)), syncMs: 60_000 });
    store.keep(requestOf(1), responseOf(1));
    await expect(store.sync()).rejects.toThrow(nothing);
    await store.close().catch(() => undefined);
  });

  it('stops a sink', async () => {
    await expect(
      lastValueFrom(of({}).pipe(toJsonl('/rows.jsonl', { fileSystem: new MemoryFileSystem(diskThatTakes(0)) }))),
    ).rejects.toThrow(nothing);
  });

  it("stops what is written to a flow's folder", async () => {
    let isFull = false;
    const folder = await FlowFolder.open('/out', new MemoryFileSystem(diskThatTakes(0, () => isFull)));
    await folder.replace('rows.jsonl', ['{}\n']);
    isFull = true;
    await expect(folder.replace('failures.jsonl', ['{}\n'])).rejects.toThrow(nothing);
    await expect(folder.copy('rows.jsonl', 'damaged-1/rows.jsonl')).rejects.toThrow(nothing);
    const journal = Journal.open('/out/journal.jsonl', folder.fileSystem);
    await expect(journal.append({ type: 'reopen', at: 0 })).rejects.toThrow(nothing);
    journal.close();
    isFull = false;
    folder.close();
  });

  it('stops a copy of the file that rows are appended to', () => {
    const fileSystem = new MemoryFileSystem(diskThatTakes(0));
    fileSystem.disk.put('/rows.jsonl', '{}\n');
    expect(() => openOutput('/rows.jsonl', { fileSystem, append: true, lock: false })).toThrow(nothing);
  });
});
