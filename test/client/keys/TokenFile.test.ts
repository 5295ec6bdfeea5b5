import { describe, expect, it } from 'vitest';
import { TokenFile } from '../../../src/client/keys/tokenCredential.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';
import { moodCount } from '../../disk/MemoryDisk.ts';
import { seeded } from '../../files/seeded.ts';

const rotate = (token: string) => Promise.resolve({ result: token, next: `${token}+` });

function diskWithToken(windows: boolean): MemoryDisk {
  const disk = new MemoryDisk({ windows });
  disk.put('/keys/token', 'first\n');
  return disk.copy();
}

describe.each([
  ['a disk', false],
  ['a disk under Windows', true],
])('TokenFile on %s', (_, windows) => {
  it('has the old token or the new one after a power cut at any step, and the new one when it is reported', async () => {
    const disk = diskWithToken(windows);
    expect(await new TokenFile('/keys/token', new MemoryFileSystem(disk)).use(rotate)).toBe('first');
    expect(disk.paths).toEqual(['/keys/token']);
    for (let until = 0; until <= disk.log.length; until++) {
      for (let mood = 0; mood < moodCount; mood++) {
        const after = disk.powerCut(seeded(until * 10 + mood), { until, mood });
        const text = after.read('/keys/token')?.toString();
        // Under Windows no name is safe by itself: the next file that is synced makes it so.
        const reported = until === disk.log.length && !windows;
        expect(reported ? ['first+\n'] : ['first\n', 'first+\n'], `step ${until}, mood ${mood}`).toContain(text);
        expect(`${await new TokenFile('/keys/token', new MemoryFileSystem(after)).use(rotate)}\n`).toBe(text);
      }
    }
  });

  it('waits for another process, and takes over from one that was killed', async () => {
    const disk = diskWithToken(windows);
    const [one, other] = [new MemoryFileSystem(disk), new MemoryFileSystem(disk)];
    const order: string[] = [];
    void new TokenFile('/keys/token', one).use((token) => {
      order.push('one');
      setTimeout(() => {
        order.push('kill');
        one.kill();
      }, 60);
      return new Promise(() => token);
    });
    await new TokenFile('/keys/token', other).use((token) => {
      order.push('other');
      return rotate(token);
    });
    expect(order).toEqual(['one', 'kill', 'other']);
    expect(disk.read('/keys/token')!.toString()).toBe('first+\n');
  });
});
