import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { from, lastValueFrom, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileSystem, OpenFile } from '../../src/files/FileSystem.ts';
import { nodeFileSystem } from '../../src/files/nodeFileSystem.ts';
import { exportStore, openStore, pruneStore, summarizeStore, verifyStore, type StoreOptions } from '../../src/store/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { moodCount } from '../disk/MemoryDisk.ts';
import { seeded } from '../files/seeded.ts';
import { requestOf, responseOf } from './requests.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'store-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);
const record = async (days: number, ids: readonly number[], operation = 'search', options: StoreOptions = {}): Promise<void> => {
  await using store = openStore(folder, { mode: 'record', now: () => start + days * day, ...options });
  for (const id of ids) store.keep(requestOf(id, operation), responseOf(`${id} on day ${days}`));
};
const exported = () => lastValueFrom(from(exportStore(folder)).pipe(toArray()));
const segmentsOf = (): string[] => readdirSync(folder).filter((file) => file.endsWith('.warc.gz'));

describe('summarizeStore', () => {
  it('tells what is in it by operation and day', async () => {
    await record(0, [1, 2, 3]);
    await record(1, [3, 4], 'search');
    await record(1, [1], 'reviews');
    const { days, responses, bytes, segments } = summarizeStore(folder);
    expect(days.map(({ service, operation, day, responses }) => [service, operation, day, responses])).toEqual([
      ['test', 'reviews', '2026-01-02', 1],
      ['test', 'search', '2026-01-01', 2],
      ['test', 'search', '2026-01-02', 2],
    ]);
    expect({ responses, segments }).toEqual({ responses: 5, segments: 3 });
    const inFolder = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(bytes).toBe(inFolder);
  });

  it('refuses a folder that is not there', () => {
    expect(() => summarizeStore(join(folder, 'none'))).toThrow(/none: no stored responses are there/);
  });
});

describe('verifyStore', () => {
  it('finds nothing wrong with a store that was closed', async () => {
    await record(0, [1, 2, 3]);
    await record(1, [4]);
    expect(verifyStore(folder)).toMatchObject({ segments: 2, records: 4, bytes: summarizeStore(folder).bytes, faults: [] });
  });

  it('names each record that has changed, a torn end, and an index that lacks something', async () => {
    await record(0, [1, 2, 3]);
    await record(1, [4]);
    const [first, second] = segmentsOf().map((file) => join(folder, file)) as [string, string];
    const bytes = readFileSync(first);
    bytes[bytes.length - 60]! ^= 4;
    writeFileSync(first, bytes);
    truncateSync(second, readFileSync(second).length - 1);
    rmSync(second.replace('.warc.gz', '.idx'));
    const { faults, records } = verifyStore(folder);
    expect(records).toBe(2);
    expect(faults.map(({ file, what }) => `${file.slice(folder.length + 1)}: ${what.replace(/\d+ bytes/, 'n bytes')}`)).toEqual([
      '000001.warc.gz: n bytes are no record: the end is torn',
      '000002.warc.gz: n bytes are no record: the end is torn',
    ]);
    expect(faults[0]!.offset).toBeGreaterThan(1000);
  });

  it('reads a large segment about once, and finds what follows a damaged record', async () => {
    let read = 0;
    const counted = (file: OpenFile): OpenFile =>
      Object.assign(Object.create(file) as OpenFile, {
        readSync: (bytes: Uint8Array, offset: number, length: number, position: number): number => {
          read += length;
          return file.readSync(bytes, offset, length, position);
        },
      });
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      open: (...args) => counted(nodeFileSystem.open(...args)),
    };
    const bodies = Array.from({ length: 60 }, (_, id) => randomBytes(id === 20 ? 6_000_000 : 200_000));
    await using store = openStore(folder);
    for (const [id, body] of bodies.entries()) store.keep(requestOf(id), { status: 200, headers: { 'content-encoding': 'br' }, body });
    await store.close();
    const segment = join(folder, '000001.warc.gz');
    const { size } = statSync(segment);
    expect(verifyStore(folder, fileSystem)).toMatchObject({ records: 60, faults: [] });
    expect(read).toBeLessThan(3 * size);
    const whole = readFileSync(segment);
    whole[size >> 2]! ^= 1;
    writeFileSync(segment, whole);
    expect(verifyStore(folder)).toMatchObject({ records: 59, faults: [{ file: segment }] });
  });

  it('names a missing index, which the next run makes anew', async () => {
    await record(0, [1]);
    rmSync(join(folder, '000001.idx'));
    expect(verifyStore(folder).faults).toMatchObject([{ what: 'it is missing' }]);
    await openStore(folder).close();
    expect(verifyStore(folder).faults).toEqual([]);
  });
});

describe('pruneStore', () => {
  const found = (now = start): string[] => {
    const store = openStore(folder, { mode: 'replay', now: () => now });
    return [1, 2, 3, 4].map((id) => {
      const finding = store.find(requestOf(id));
      return finding.kind === 'hit' ? `${id} of day ${(finding.at - start) / day}` : finding.kind;
    });
  };

  it('drops what is old or replaced, keeps the rest as it is, and gives back the space', async () => {
    await record(0, [1, 2]);
    await record(10, [2, 3]);
    await record(20, [4]);
    const before = found();
    expect(await pruneStore(folder, { now: () => start + 20 * day })).toMatchObject({ dropped: 0, kept: 4 });
    expect(found()).toEqual(before);
    const { bytesBefore, bytesAfter, ...report } = await pruneStore(folder, { olderMs: 15 * day, now: () => start + 20 * day });
    expect(report).toEqual({ dropped: 1, kept: 3 });
    expect(bytesAfter).toBeLessThan(bytesBefore);
    expect(found()).toEqual(['miss', '2 of day 10', '3 of day 10', '4 of day 20']);
    expect(verifyStore(folder)).toMatchObject({ segments: 1, records: 3, faults: [] });
  });

  it('keeps the response before a damaged one', async () => {
    await record(0, [1]);
    await record(1, [1]);
    const segment = join(folder, '000002.warc.gz');
    const bytes = readFileSync(segment);
    bytes[bytes.length - 6]! ^= 1;
    writeFileSync(segment, bytes);
    expect(found()[0]).toBe('1 of day 0');
    await pruneStore(folder);
    expect(found()[0]).toBe('1 of day 0');
    expect(verifyStore(folder).faults).toEqual([]);
  });

  it('leaves a store alone that has nothing to give back', async () => {
    await record(0, [1, 2]);
    const before = readFileSync(join(folder, '000001.warc.gz'));
    await pruneStore(folder);
    expect(readdirSync(folder).sort()).toEqual(['000001.idx', '000001.warc.gz']);
    expect(readFileSync(join(folder, '000001.warc.gz'))).toEqual(before);
  });

  it('refuses while a process stores into the folder', async () => {
    await using store = openStore(folder);
    store.keep(requestOf(1), responseOf(1));
    await store.sync();
    await expect(pruneStore(folder)).rejects.toThrow(/a process is storing into .*000001\.warc\.gz/);
    await store.close();
    await pruneStore(folder);
  });

  it('loses nothing in a power cut at any of its steps', async () => {
    const build = new MemoryDisk();
    build.makeFolder('/data');
    for (const [days, ids] of [
      [0, [1, 2]],
      [5, [2, 3]],
      [9, [4]],
    ] as const) {
      await using store = openStore('/data', { mode: 'record', fileSystem: new MemoryFileSystem(build), now: () => start + days * day });
      for (const id of ids) store.keep(requestOf(id), responseOf(id));
      store.keep(requestOf(`copy ${days}`), responseOf(1));
    }
    const disk = build.copy();
    await pruneStore('/data', { fileSystem: new MemoryFileSystem(disk), olderMs: day, now: () => start + 5 * day });
    const lost = (after: MemoryDisk): string[] => {
      const store = openStore('/data', { mode: 'replay', fileSystem: new MemoryFileSystem(after.copy()) });
      const right = (id: number | string, of: number | string): boolean => {
        const finding = store.find(requestOf(id));
        return finding.kind === 'hit' && finding.response.body.equals(responseOf(of).body);
      };
      return [2, 3, 4, 'copy 5', 'copy 9'].flatMap((id) => (right(id, typeof id === 'number' ? id : 1) ? [] : [`${id} is lost`]));
    };
    const faults: string[] = [];
    for (let until = 0; until < disk.log.length; until++) {
      for (let seed = 0; seed < moodCount * 3; seed++) {
        const after = disk.powerCut(seeded(seed * 31 + until), { until, mood: seed });
        faults.push(...lost(after).map((fault) => `step ${until}, seed ${seed}: ${fault}`));
      }
    }
    expect(faults.slice(0, 5)).toEqual([]);
    expect(disk.log.length).toBeGreaterThan(8);
  });
});

describe('exportStore', () => {
  it('gives each response decoded, in the order in which they were stored', async () => {
    await record(0, [1, 2]);
    await using store = openStore(folder, { now: () => start + day });
    store.keep(requestOf(1), responseOf('new', 0, 'identity'));
    await store.sync();
    expect((await exported()).map(({ query, at, body }) => ({ query, at, id: (body as { data: { id: string } }).data.id }))).toEqual([
      { query: { id: '2' }, at: '2026-01-01T00:00:00.000Z', id: '2 on day 0' },
      { query: { id: '1' }, at: '2026-01-02T00:00:00.000Z', id: 'new' },
    ]);
  });

  it.each([
    ['raw deflate', 'deflate', deflateRawSync],
    ['plain JSON that is called gzip', 'gzip', (text: string) => Buffer.from(text)],
    ['gzip that is not called so', '', gzipSync],
    ['Brotli', 'BR', brotliCompressSync],
    ['gzip in gzip', 'gzip', (text: string) => gzipSync(gzipSync(text))],
  ])('reads %s, as a client does', async (_, encoding, pack) => {
    await using store = openStore(folder);
    store.keep(requestOf(1), { status: 200, headers: { 'content-encoding': encoding }, body: pack('{"id":1}') });
    await store.sync();
    expect((await exported()).map(({ body }) => body)).toEqual([{ id: 1 }]);
  });
});
