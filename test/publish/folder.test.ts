import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, statSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openTarget, publishFolder, type PublishOptions } from '../../src/publish/index.ts';
import { nodeFileSystem, takeLock } from '../../src/sinks/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { resolveAs } from '../resolveAs.ts';
import { finishedFolder } from './finishedFolder.ts';
import { readDataset, type ReadDataset } from './reader.ts';

describe('publishFolder into a folder', () => {
  let root: string;
  let out: string;
  let target: string;
  let url: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'trawler-publish-'));
    out = join(root, 'out');
    target = join(root, 'shared', 'coffee');
    url = pathToFileURL(target).href;
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const publish = async (options?: PublishOptions) => {
    const target = await openTarget(url);
    try {
      return await publishFolder(out, target, options);
    } finally {
      target.close();
    }
  };
  const read = (): Promise<ReadDataset | undefined> =>
    readDataset(async (name) => (existsSync(join(target, name)) ? readFileSync(join(target, name)) : undefined));
  const all = (): string[] =>
    readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(target, name)).isFile());

  it('brings all files, and datapackage.json names them', async () => {
    finishedFolder(out, { 'places.csv': 'a,b\n', 'deep/reviews.jsonl': '{}\n' });
    const report = await publish();
    expect(report).toMatchObject({
      version: 1,
      outcome: 'complete',
      already: false,
      uploaded: { files: 3 },
      kept: { files: 0 },
    });
    const dataset = await read();
    expect(dataset).toMatchObject({ version: 1, files: { 'places.csv': Buffer.from('a,b\n'), 'reviews.jsonl': Buffer.from('{}\n') } });
    expect(all().filter((name) => name.endsWith('report.html'))).toHaveLength(1);
  });

  it('uploads only what an update changed, under new names', async () => {
    finishedFolder(out, { 'places.csv': 'a\n', 'reviews.jsonl': '1\n' });
    await publish();
    const before = await read();
    finishedFolder(out, { 'places.csv': 'a\n', 'reviews.jsonl': '2\n' });
    expect(await publish()).toMatchObject({ version: 2, uploaded: { files: 1, bytes: 2 }, kept: { files: 2 } });
    const after = await read();
    expect(after!.places[0]).toBe(before!.places[0]);
    expect(after!.places[1]).not.toBe(before!.places[1]);
    expect(readFileSync(join(target, before!.places[1]!), 'utf8')).toBe('1\n');
  });

  it('does nothing for a folder that is published', async () => {
    finishedFolder(out, { 'places.csv': 'a\n' });
    await publish();
    const before = all();
    expect(await publish()).toMatchObject({ version: 1, already: true, uploaded: { files: 0 } });
    expect(all()).toEqual(before);
  });

  it('leaves what older versions named, under names that lead to it', async () => {
    const places: string[] = [];
    for (let run = 1; run <= 3; run++) {
      finishedFolder(out, { 'same.csv': 'same\n', 'reviews.jsonl': `${run}\n` });
      expect(await publish()).toMatchObject({ version: run });
      places.push((await read())!.places[1]!);
    }
    expect(places.map((name) => readFileSync(join(target, name), 'utf8'))).toEqual(['1\n', '2\n', '3\n']);
    expect(all().filter((name) => name.endsWith('same.csv'))).toHaveLength(1);
  });

  it.each([
    ['is not there', () => undefined, /There is no folder/],
    ['is not finished', () => mkdirSync(out), /is not a finished run/],
    ['holds a datapackage.json of somebody else', () => { mkdirSync(out); writeFileSync(join(out, 'datapackage.json'), '{"resources":[]}'); }, /was not written by a finished run/], // prettier-ignore
    ['was interrupted', () => finishedFolder(out, {}, { outcome: 'interrupted' }), /was not written by a finished run/],
    [
      'lacks a file',
      () => {
        finishedFolder(out, { 'a.csv': 'a' });
        rmSync(join(out, 'a.csv'));
      },
      /is missing/,
    ],
    [
      'has a changed file',
      () => {
        finishedFolder(out, { 'a.csv': 'a' });
        writeFileSync(join(out, 'a.csv'), 'b');
      },
      /a\.csv is damaged/,
    ],
    ['names a file outside', () => { finishedFolder(out, {}); writeFileSync(join(out, 'datapackage.json'), JSON.stringify({ resources: [{ path: '../x' }], trawler: { outcome: 'complete', stages: [], flow: { name: 'x' } } })); }, /has to stay in/], // prettier-ignore
  ])('refuses a folder that %s', async (_, make, message) => {
    make();
    await expect(publish()).rejects.toThrow(message);
    expect(all().filter((name) => !name.startsWith('data/'))).toEqual([]);
  });

  it('refuses a folder in which a run is under way', async () => {
    finishedFolder(out, { 'a.csv': 'a' });
    const lock = takeLock(join(out, '.trawler', 'run.lock'), nodeFileSystem);
    await expect(publish()).rejects.toMatchObject({ name: 'BusyError' });
    lock.release();
    await publish();
  });

  it('refuses a second publisher at the same target', async () => {
    finishedFolder(out, { 'a.csv': 'a' });
    const target = await openTarget(url);
    await expect(openTarget(url)).rejects.toMatchObject({ name: 'BusyError' });
    target.close();
    await publish();
  });

  it('never touches other files', async () => {
    mkdirSync(join(target, 'data', 'mine'), { recursive: true });
    writeFileSync(join(target, 'data', 'mine', 'thesis.doc'), 'mine');
    for (let run = 0; run < 3; run++) {
      finishedFolder(out, { 'a.csv': `${run}` });
      await publish();
    }
    expect(readFileSync(join(target, 'data', 'mine', 'thesis.doc'), 'utf8')).toBe('mine');
  });

  it('never replaces the datapackage.json of somebody else', async () => {
    finishedFolder(out, { 'a.csv': 'a' });
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'datapackage.json'), '{}');
    for (const intoExisting of [false, true]) await expect(publish({ intoExisting })).rejects.toThrow(/didn't write, and doesn't replace/);
  });

  it('refuses the target of another flow unless told', async () => {
    finishedFolder(out, { 'a.csv': 'a' });
    await publish();
    finishedFolder(out, { 'a.csv': 'b' }, { flow: 'tea' });
    await expect(publish()).rejects.toThrow(/the dataset of the flow 'coffee'/);
    expect(await publish({ intoExisting: true })).toMatchObject({ version: 2 });
  });

  it('refuses the target of another flow with the same name unless told', async () => {
    finishedFolder(out, { 'a.csv': 'a' }, { digest: 'coffee in Berlin' });
    await publish();
    finishedFolder(out, { 'a.csv': 'b' }, { digest: 'coffee in Berlin' });
    expect(await publish()).toMatchObject({ version: 2 });
    finishedFolder(out, { 'a.csv': 'c' }, { digest: 'coffee in Paris' });
    await expect(publish()).rejects.toThrow(/has the dataset of another flow 'coffee', or of this one before it was changed/);
    expect(await publish({ intoExisting: true })).toMatchObject({ version: 3 });
  });

  it('stops between two blocks, and then sends no file again that is there', async () => {
    const big = Buffer.alloc(3_000_000, 'row\n');
    finishedFolder(out, { 'a.csv': 'a\n', 'big.jsonl': big });
    const stop = new AbortController();
    const stopped = publish({
      signal: stop.signal,
      tell: (event) => event.type === 'progress' && event.bytes > 1_000_000 && stop.abort('SIGINT'),
    });
    await expect(stopped).rejects.toBe('SIGINT');
    expect(await read()).toBeUndefined();
    const kept: string[] = [];
    await publish({ tell: (event) => event.type === 'file' && event.kept && kept.push(event.name) });
    expect(kept.toSorted()).toEqual(['a.csv', 'report.html']);
    expect(big.equals((await read())!.files['big.jsonl']!)).toBe(true);
    expect(readdirSync(join(target, '.trawler', 'drafts'))).toEqual([]);
  });

  it('refuses other addresses without repeating them, as they may hold a key', async () => {
    for (const wrong of ['s3://KEY:secret@bucket/x', 'http://secret/', 's3://', 'file://relative', 's3://bucket/x?key=secret'])
      await expect(openTarget(wrong)).rejects.toThrow(/^(?!.*secret).*published to s3:\/\/bucket\/prefix or to file:\/\/\/folder/);
  });

  it('names the packages to install when one of S3 is missing', async () => {
    const source = `import { openTarget } from ${JSON.stringify(pathToFileURL(join(inject('dist'), 'src/publish/index.js')))};
      await openTarget('s3://bucket/prefix').catch(({ message }) => console.log(message));`;
    for (const name of ofTheDay(['@aws-sdk/client-s3', '@aws-sdk/lib-storage'], 1)) {
      const args = [...resolveAs(name, 'not-installed'), '--input-type=module', '-e', source];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      expect(stdout).toBe('Publishing to S3 needs two more packages: npm install @aws-sdk/client-s3 @aws-sdk/lib-storage\n');
    }
  });
});
