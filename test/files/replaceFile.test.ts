import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../src/files/nodeFileSystem.ts';
import { replaceFile } from '../../src/files/publish.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-replace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('replaceFile', () => {
  it('replaces a file, over what a killed process has left, and gives it its own permissions', async () => {
    const path = join(folder, 'a.json');
    writeFileSync(path, 'a longer text that was there');
    writeFileSync(`${path}.new`, 'half');
    await replaceFile(path, ['on', Buffer.from('e')], 0o600, nodeFileSystem);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('leaves the file as it was, and nothing beside it, when its content fails half-way', async () => {
    const path = join(folder, 'a.json');
    writeFileSync(path, 'old');
    const torn = (async function* () {
      yield Buffer.from('new');
      await Promise.resolve();
      throw new Error('torn');
    })();
    await expect(replaceFile(path, torn, 0o600, nodeFileSystem)).rejects.toThrow('torn');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });
});
