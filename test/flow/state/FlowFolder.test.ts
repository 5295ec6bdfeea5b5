import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SinkError } from '../../../src/errors/index.ts';
import { FlowFolder } from '../../../src/flow/state/FlowFolder.ts';
import { type FileSystem, nodeFileSystem } from '../../../src/sinks/index.ts';

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'trawler-folder-'));
  mkdirSync(join(path, 'old'));
  for (const file of ['a.csv', 'b.csv']) writeFileSync(join(path, 'old', file), file);
});
afterEach(() => rmSync(path, { recursive: true }));

/** A disk on which nothing gets the name b.csv. */
const denying: FileSystem = {
  ...nodeFileSystem,
  rename(from, to) {
    if (to.endsWith('b.csv')) throw Object.assign(new Error('EACCES: permission denied, rename'), { code: 'EACCES' });
    nodeFileSystem.rename(from, to);
  },
};

describe('FlowFolder', () => {
  it('says in words why files cannot be moved, and the next one to open it completes the move', async () => {
    const folder = await FlowFolder.open(path, denying);
    const moving = folder.move({ from: 'old', to: '', files: ['a.csv', 'b.csv'], remove: [] });
    await expect(moving).rejects.toThrow(new SinkError(`${path}: moving files into their place failed: permission is denied (EACCES)`));
    folder.close();
    (await FlowFolder.open(path, nodeFileSystem)).close();
    expect(readdirSync(path)).toEqual(['.trawler', 'a.csv', 'b.csv', 'old']);
  });
});
