import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { fakeClient } from './fakeClient.ts';
import { smallFlow, smallResponse } from './smallFlow.ts';

const flow: FlowDefinition = {
  name: 'linked',
  stages: { people: { ...smallFlow.stages['people']!, to: ['people.csv', 'people.sqlite'] } },
};

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'trawler-links-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(more: object = {}): Promise<unknown> {
  return lastValueFrom(runFlow(flow, { client: fakeClient(smallResponse), outDir: join(folder, 'out'), ...more }));
}

/** Every file outside of the run's folder, with its content. */
function outside(): readonly string[] {
  return readdirSync(join(folder, 'outside'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name} ${readFileSync(join(entry.parentPath, entry.name), 'base64')}`)
    .sort();
}

describe('the folder that a run keeps for itself', () => {
  it.each([
    ['.trawler', {}],
    ['.trawler', { fresh: true }],
    ['.trawler/journal.jsonl', {}],
    ['.trawler/journal.jsonl', { failures: true }],
    ['.trawler/rows', { update: true }],
    ['.trawler/rows/0-people.jsonl', { update: true }],
    ['.trawler/update', { update: true }],
    ['.trawler/watermarks.jsonl', { update: true }],
    ['.trawler/run.lock', {}],
    ['changes', { update: true }],
  ])('is refused where %s is a symlink (%j)', async (name, more) => {
    await run();
    mkdirSync(join(folder, 'outside'));
    const [path, there] = [join(folder, 'out', name), join(folder, 'outside', basename(name))];
    try {
      renameSync(path, there);
    } catch {
      mkdirSync(there); // a finished run has none
    }
    symlinkSync(there, path);
    const before = outside();
    await expect(run(more)).rejects.toThrow(`${path} is a symlink`);
    expect(outside()).toEqual(before);
    expect(readdirSync(join(folder, 'out'))).toContain('people.csv');
  });
});
