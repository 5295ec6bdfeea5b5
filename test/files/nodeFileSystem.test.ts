import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../src/sinks/index.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'trawler-disk-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe.runIf(existsSync('/proc'))('nodeFileSystem.syncFolder', () => {
  it('does nothing on a file system that can not sync folders, and fails for a folder that is missing', async () => {
    await nodeFileSystem.syncFolder('/proc');
    await expect(nodeFileSystem.syncFolder('/proc/trawler')).rejects.toThrow('ENOENT');
  });
});

describe('nodeFileSystem.stat', () => {
  // Node 20 calls it an error below a file, and so does each lstat.
  it.each([true, false])('finds nothing below a file, or where nothing is (links are followed: %s)', (follow) => {
    writeFileSync(join(folder, 'file'), '');
    expect(nodeFileSystem.stat(join(folder, 'file', 'a'), follow)).toBeUndefined();
    expect(nodeFileSystem.stat(join(folder, 'missing'), follow)).toBeUndefined();
  });
});

describe('nodeFileSystem.makeFolder', () => {
  it('makes what is missing on the way, and gives the first that was', () => {
    const path = join(folder, 'a', 'b', 'c');
    expect(nodeFileSystem.makeFolder(path)).toBe(join(folder, 'a'));
    expect(existsSync(path)).toBe(true);
    expect(nodeFileSystem.makeFolder(path)).toBeUndefined();
    expect(nodeFileSystem.makeFolder(join(path, 'd'))).toBe(join(path, 'd'));
  });

  it('fails where something on the way is a file', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => nodeFileSystem.makeFolder(join(folder, 'file'))).toThrow('EEXIST');
    expect(() => nodeFileSystem.makeFolder(join(folder, 'file', 'a', 'b'))).toThrow('ENOTDIR');
  });

  it.runIf(existsSync('/proc/self'))('comes to an end where the system lets nobody make any', () => {
    expect(() => nodeFileSystem.makeFolder('/proc/trawler/a')).toThrow('ENOENT');
  });
});
