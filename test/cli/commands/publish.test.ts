import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeFileSystem, takeLock } from '../../../src/sinks/index.ts';
import { finishedFolder } from '../../publish/finishedFolder.ts';
import { readDataset } from '../../publish/reader.ts';
import { runInProcess } from '../runInProcess.ts';

const flow = {
  name: 'coffee',
  stages: { places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 3, to: 'places.csv' } },
};

describe('trawler publish', () => {
  let root: string;
  let out: string;
  let shared: string;
  let url: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'trawler-publish-'));
    out = join(root, 'out');
    shared = join(root, 'shared');
    url = pathToFileURL(shared).href;
    writeFileSync(join(root, 'coffee.json'), JSON.stringify(flow));
  });
  afterEach(() => rmSync(root, { recursive: true }));
  const read = () => readDataset(async (name) => (existsSync(join(shared, name)) ? readFileSync(join(shared, name)) : undefined));

  it('says what it did, and where readers begin', async () => {
    finishedFolder(out, { 'a.csv': 'a\n' }, { outcome: 'short' });
    const { code, stderr, stdout } = await runInProcess(['publish', out, url]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('a.csv: 2 B, uploaded\n');
    expect(stderr).toContain("Published as version 1: 2 files uploaded (14 B), 0 unchanged. The run's outcome: short.\n");
    expect(stderr).toContain(`Readers open ${url}/datapackage.json\n`);
    expect((await runInProcess(['publish', out, url])).stderr).toContain('Published before, as version 1');
  });

  it('has exit code 1 for a run that failed, though readers get it', async () => {
    finishedFolder(out, { 'a.csv': 'a\n' }, { outcome: 'failed' });
    for (const _ of ['first', 'again']) {
      const { code, stderr } = await runInProcess(['publish', out, url]);
      expect(code).toBe(1);
      expect(stderr).toContain('as version 1');
      expect(stderr).toContain("The run's outcome: failed.");
    }
  });

  it('refuses the target of another flow with the same name before the run sends a request', async () => {
    const argv = ['run', join(root, 'coffee.json'), '--sandbox', '--out', out, '--publish', url];
    expect((await runInProcess(argv)).code).toBe(0);
    const places = { ...flow.stages.places, with: { query: 'coffee', ll: '@48.86,2.35,14z' } };
    writeFileSync(join(root, 'coffee.json'), JSON.stringify({ ...flow, stages: { places } }));
    const { code, stderr } = await runInProcess(argv.map((arg) => (arg === out ? join(root, 'other') : arg)));
    expect(code).toBe(2);
    expect(stderr).toContain('add --into-existing');
    expect(existsSync(join(root, 'other'))).toBe(false);
  });

  it('prints its result as JSON', async () => {
    finishedFolder(out, { 'a.csv': 'a\n' });
    const { stdout, stderr } = await runInProcess(['publish', out, url, '--json']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ type: 'published', url, version: 1, uploaded: { files: 2 } });
  });

  it.each([
    ['no target', () => [out], 'takes a folder and the target'],
    ['a wrong address', () => [out, 'http://example.com'], 's3://bucket/prefix or to file:///folder'],
    ['an unfinished folder', () => [root, url], 'is not a finished run'],
  ])('refuses %s with exit code 2', async (_, argv, message) => {
    const { code, stderr } = await runInProcess(['publish', ...argv()]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('says which flag publishes over the dataset of another flow', async () => {
    finishedFolder(out, { 'a.csv': 'a\n' }, { flow: 'tea' });
    await runInProcess(['publish', out, url]);
    finishedFolder(out, { 'a.csv': 'a\n' });
    const { code, stderr } = await runInProcess(['publish', out, url]);
    expect(code).toBe(2);
    expect(stderr).toContain('add --into-existing');
    expect((await runInProcess(['publish', out, url, '--into-existing'])).code).toBe(0);
  });

  it('has exit code 3 while a run uses the folder', async () => {
    finishedFolder(out, { 'a.csv': 'a\n' });
    const lock = takeLock(join(out, '.trawler', 'run.lock'), nodeFileSystem);
    expect((await runInProcess(['publish', out, url])).code).toBe(3);
    lock.release();
  });

  it('publishes at the end of a run', async () => {
    const argv = ['run', join(root, 'coffee.json'), '--sandbox', '--out', out, '--publish', url];
    const { code, stderr } = await runInProcess(argv);
    expect(stderr).toContain('Published as version 1');
    expect(code).toBe(0);
    expect(Object.keys((await read())!.files)).toEqual(['places.csv']);
    expect((await runInProcess(argv)).stderr).toContain('Published before, as version 1');
  });

  it('publishes at the end of a run that is shown, while its page stays', async () => {
    const [flow, stop] = [join(root, 'coffee.json'), new AbortController()];
    const ended = runInProcess(['run', flow, '--sandbox', '--out', out, '--show', '--publish', url], { signal: stop.signal });
    await Promise.race([ended, vi.waitFor(async () => expect(Object.keys((await read())!.files)).toEqual(['places.csv']), 20_000)]);
    stop.abort();
    const { code, stderr } = await ended;
    expect(stderr).toMatch(/Watch it in a browser: http:[^]*Published as version 1/);
    expect(code).toBe(0);
  });

  it('publishes nothing of a run that was interrupted', async () => {
    const { code, stderr } = await runInProcess(['run', join(root, 'coffee.json'), '--sandbox', '--out', out, '--publish', url, '--max-requests', '1']); // prettier-ignore
    expect(code).toBe(130);
    expect(stderr).not.toContain('Published');
    expect(await read()).toBeUndefined();
  });

  it('refuses a target before the run sends a request', async () => {
    finishedFolder(shared, { 'mine.csv': 'x' });
    const { code, stderr } = await runInProcess(['run', join(root, 'coffee.json'), '--sandbox', '--out', out, '--publish', url]);
    expect(code).toBe(2);
    expect(stderr).toContain("didn't write, and doesn't replace");
    expect(existsSync(out)).toBe(false);
  });
});
