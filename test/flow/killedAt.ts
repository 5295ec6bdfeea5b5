import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

/** The disk after a run whose process is killed before one of the disk's changes, and which is resumed and comes to its end. */
export async function killedAt(change: number, run: (fileSystem: MemoryFileSystem) => Promise<unknown>): Promise<MemoryDisk> {
  const disk: MemoryDisk = new MemoryDisk({
    fault: (_, index) => {
      if (index === change) first.kill();
      return undefined;
    },
  });
  const first = new MemoryFileSystem(disk);
  await run(first).catch(() => undefined);
  await run(new MemoryFileSystem(disk));
  return disk;
}
