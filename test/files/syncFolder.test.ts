import { describe, expect, it } from 'vitest';
import { syncFolder } from '../../src/files/nodeFileSystem.ts';

/** A machine whose syncs fail with this code, and what was done on it. */
async function on(platform: string, code?: string): Promise<readonly string[]> {
  const done: string[] = [];
  await syncFolder('out', {
    platform,
    open: (folder) => done.push(`open ${folder}`),
    sync: async (file) => {
      done.push(`sync ${file}`);
      if (code !== undefined) throw Object.assign(new Error(`${code}: fsync`), { code });
    },
    close: (file) => void done.push(`close ${file}`),
  }).catch((error: Error) => done.push(error.message));
  return done;
}

describe('syncFolder', () => {
  it.each(['linux', 'darwin'])('syncs the folder and closes it: %s', async (platform) => {
    expect(await on(platform)).toEqual(['open out', 'sync 1', 'close 1']);
  });

  it('opens no folder on Windows, which lets nobody', async () => {
    expect(await on('win32')).toEqual([]);
  });

  it.each(['EINVAL', 'ENOTSUP', 'ENOSYS'])('takes it that a file system can not: %s', async (code) => {
    expect(await on('linux', code)).toEqual(['open out', 'sync 1', 'close 1']);
  });

  it.each(['EIO', 'ENOSPC', 'EPERM'])('closes the folder and fails where the disk does: %s', async (code) => {
    expect(await on('linux', code)).toEqual(['open out', 'sync 1', 'close 1', `${code}: fsync`]);
  });
});
