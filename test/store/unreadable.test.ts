import { describe, expect, it } from 'vitest';
import { openStore, pruneStore } from '../../src/store/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { requestOf, responseOf } from './requests.ts';

/** A disk with two stored responses, in two segments. */
async function stored(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  for (const id of [1, 2]) {
    await using store = openStore('/data', { fileSystem: new MemoryFileSystem(disk) });
    store.keep(requestOf(id), responseOf(id));
  }
  return disk;
}

describe('a store on a disk that can no longer be read', () => {
  it('says which response it could not read, and has it requested again', async () => {
    let code: string | undefined;
    const disk = (await stored()).copy({ readFault: () => code });
    const store = openStore('/data', { fileSystem: new MemoryFileSystem(disk) });
    code = 'EIO';
    const found = store.find(requestOf(1));
    expect(found).toMatchObject({
      kind: 'miss',
      damage: expect.stringMatching(/^\/data\/000001\.warc\.gz, .*: it can't be read: .*EIO/) as unknown,
    });
    code = undefined;
    store.keep(requestOf(1), responseOf(1));
    expect(store.find(requestOf(1))).toMatchObject({ kind: 'hit' });
    await store.close();
  });

  it('goes on without what others store in its folder, and says so once', async () => {
    const fileSystem = new MemoryFileSystem(await stored());
    const store = openStore('/data', { fileSystem });
    await new Promise((done) => setTimeout(done, 60)); // it looks again after 50 ms
    fileSystem.kill();
    expect(store.find(requestOf(3))).toEqual({ kind: 'miss' });
    const notices = store.takeNotices();
    expect(notices).toEqual([expect.stringMatching(/^\/data can't be read: .*ESRCH.*; what others store there is not found/)]);
    await store.close().catch(() => undefined);
  });

  it('loses nothing when it is pruned', async () => {
    const disk = (await stored()).copy({ readFault: (path) => (path.endsWith('.gz') ? 'EIO' : undefined) });
    const fileSystem = new MemoryFileSystem(disk);
    await expect(pruneStore('/data', { fileSystem, olderMs: Infinity })).rejects.toThrow('EIO');
    const { size } = openStore('/data', { fileSystem: new MemoryFileSystem(disk.copy({})), mode: 'replay' });
    expect(size).toBe(2);
  });

  it('says why it could not be pruned where the disk is full', async () => {
    const whole = await stored();
    const used = whole.paths.reduce((sum, path) => sum + whole.read(path)!.length, 0);
    const fileSystem = new MemoryFileSystem(whole.copy({ capacity: used + 20 }));
    await expect(pruneStore('/data', { fileSystem })).rejects.toThrow('the disk is full (ENOSPC)');
  });
});
