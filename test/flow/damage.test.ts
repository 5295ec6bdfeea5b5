import { createHash } from 'node:crypto';
import { crc32, gunzipSync } from 'node:zlib';
import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { FlowError } from '../../src/errors/index.ts';
import { runFlow, type FlowDefinition, type FlowProgress, type RunFlowOptions } from '../../src/flow/index.ts';
import type { OutputPosition } from '../../src/sinks/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { tableRows } from '../sinks/tableRows.ts';
import { fakeClient } from './fakeClient.ts';
import { smallResponse, smallFlow } from './smallFlow.ts';

const outDir = '/data/out';
const journal = `${outDir}/.trawler/journal.jsonl`;
const people = `${outDir}/people.jsonl.part`;
const csv = `${outDir}/reviews.csv.part`;

/** A record of a journal, as JSON. */
interface Loose {
  readonly events?: readonly object[];
  readonly requests?: number;
}

interface Ran {
  readonly asked: number;
  readonly notices: readonly string[];
  readonly rows: string;
}

async function run(disk: MemoryDisk, options: Partial<RunFlowOptions> = {}, flow: FlowDefinition = smallFlow): Promise<Ran> {
  const client = fakeClient(smallResponse);
  const running = runFlow(flow, { client, outDir, fileSystem: new MemoryFileSystem(disk), concurrency: 1, commitMs: 0, ...options });
  const said: FlowProgress[] = await lastValueFrom(running.pipe(toArray()));
  const notices = said.flatMap((one) => (one.type === 'notice' ? [one.message] : []));
  const rows = ['people.jsonl', 'reviews.jsonl', 'reviews.csv'].map((file) => disk.read(`${outDir}/${file}`)?.toString() ?? `no ${file}`);
  return { asked: client.asked.length, notices, rows: rows.join('\n') };
}

/** A disk on which a run stopped half-way, with a line of the journal for each request however slow the machine is. */
async function stopped(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  for (let requests = 0; requests < 8; requests++) await run(disk, { maxRequests: 1 });
  return disk;
}

const text = (disk: MemoryDisk, file: string): string => disk.read(file)!.toString('latin1');
const put = (disk: MemoryDisk, file: string, change: (text: string) => string): void =>
  disk.put(file, Buffer.from(change(text(disk, file)), 'latin1'));
const flip = (bytes: string, at: number): string =>
  bytes.slice(0, at) + String.fromCharCode(bytes.charCodeAt(at) ^ 1) + bytes.slice(at + 1);
const lines = (bytes: string): string[] => bytes.split(/(?<=\n)/);

/** What was done to the folder, and whether that can be healed without a word. */
const damages: readonly [name: string, harm: (disk: MemoryDisk) => void, healed: boolean][] = [
  ['a byte of the first line of the journal', (disk) => put(disk, journal, (all) => flip(all, 20)), false],
  ['a byte in the middle of the journal', (disk) => put(disk, journal, (all) => flip(all, all.length >> 1)), false],
  ['a byte of the last line of the journal', (disk) => put(disk, journal, (all) => flip(all, all.length - 30)), false],
  ['the last line feed of the journal', (disk) => put(disk, journal, (all) => flip(all, all.length - 1)), false],
  ['a line feed in the middle of the journal', (disk) => put(disk, journal, (all) => flip(all, lines(all)[0]!.length - 1)), false],
  ['CR LF in the journal', (disk) => put(disk, journal, (all) => all.replaceAll('\n', '\r\n')), true],
  ['a torn end of the journal', (disk) => put(disk, journal, (all) => `${all}{"seq":9,"type":"com`), true],
  ['a torn end with blocks that never came', (disk) => put(disk, journal, (all) => `${all}{"seq"\0\0\0\0\n`), true],
  ['a line of the journal that is gone', (disk) => put(disk, journal, (all) => lines(all).toSpliced(2, 1).join('')), false],
  ['a line of the journal that is there twice', (disk) => put(disk, journal, (all) => lines(all).toSpliced(2, 0, lines(all)[2]!).join('')), false], // prettier-ignore
  ['two lines of the journal that changed places', (disk) => put(disk, journal, (all) => lines(all).toSpliced(2, 2, lines(all)[3]!, lines(all)[2]!).join('')), false], // prettier-ignore
  ['rubbish in the middle of the journal', (disk) => put(disk, journal, (all) => lines(all).toSpliced(2, 0, 'rubbish\n').join('')), false],
  ['a part that is gone', (disk) => disk.remove(people), false],
  ['a part that was cut', (disk) => put(disk, csv, (all) => all.slice(0, -20)), false],
  ['a part that was emptied', (disk) => put(disk, csv, () => ''), false],
  ['a byte of a part', (disk) => put(disk, people, (all) => flip(all, 10)), false],
  ['a byte inserted into a part', (disk) => put(disk, csv, (all) => `${all.slice(0, 9)}x${all.slice(9)}`), false],
  ['a line inserted into a part', (disk) => put(disk, people, (all) => `{"author_id":"more"}\n${all}`), false],
  ['rows behind the last commit', (disk) => put(disk, people, (all) => `${all}{"author_id":"more"}\n`), true],
  ['a line of a part that is there twice', (disk) => put(disk, people, (all) => lines(all)[0] + all), false],
  ['failures.jsonl that is gone', (disk) => disk.remove(`${outDir}/failures.jsonl`), true],
  ['failures.jsonl that was changed', (disk) => put(disk, `${outDir}/failures.jsonl`, (all) => flip(all, 9)), true],
];

describe('a damaged folder', async () => {
  const half = await stopped();
  const golden = await run(new MemoryDisk());

  it.each(damages.filter(([, , healed]) => healed))('is healed: %s', async (_, harm) => {
    const disk = half.copy();
    harm(disk);
    const { asked, notices, rows } = await run(disk);
    expect({ asked, notices, rows }).toEqual({ asked: golden.asked - 8, notices: [], rows: golden.rows });
  });

  it.each(damages.filter(([, , healed]) => !healed))('stops the run before anything is changed or requested: %s', async (_, harm) => {
    const disk = half.copy();
    harm(disk);
    const before = new Map(disk.paths.filter((name) => !name.includes('.lock')).map((name) => [name, text(disk, name)]));
    const refused = await run(disk).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FlowError);
    expect(String(refused)).toMatch(
      /is damaged: .*(can't be read|bytes that were written|have changed).*Nothing was changed and nothing was requested.* \d+ of \d+ pages/s,
    );
    expect(new Map(disk.paths.filter((name) => !name.includes('.lock')).map((name) => [name, text(disk, name)]))).toEqual(before);

    const repaired = await run(disk, { repair: true });
    expect(repaired.rows).toBe(golden.rows);
    expect(repaired.notices.join()).toMatch(/pages are requested again.*copy of everything as it was is in damaged-1/);
    const told = Number(/about (\d+) requests?/.exec(String(refused))?.[1]);
    const off = String(refused).includes('at least') ? 0 : Math.abs(repaired.asked - (golden.asked - 8 + told));
    expect(off).toBeLessThanOrEqual(1); // a request may be on its way while a commit counts
    const copied = [...before].filter(([name]) => name.endsWith('.jsonl') || name.endsWith('.part'));
    expect(copied.map(([name]) => text(disk, name.replace(outDir, `${outDir}/damaged-1`)))).toEqual(copied.map(([, content]) => content));
  });

  it.each<[string, (record: Loose) => object]>([
    ['an event of no type', ({ events, ...record }) => ({ ...record, events: [{ ...events![0], type: 'other' }] })],
    ['a page of no query', (record) => ({ ...record, events: [{ type: 'PageTaken', received: 1, written: 1, query: 'x' }] })],
    ['files without their lengths', (record) => ({ ...record, files: { 'people.jsonl': {} } })],
    ['no requests', (record) => ({ ...record, requests: undefined })],
    ['no known type', (record) => ({ ...record, type: 'constructor' })],
  ])("says which record has a right checksum and isn't a record of a run: one with %s", async (_, change) => {
    const disk = half.copy();
    put(disk, journal, (all) => {
      const [first, , third, ...rest] = lines(all);
      const { crc: _crc, ...record } = JSON.parse(third!) as Loose & { readonly crc: string };
      const body = JSON.stringify(change(record)).slice(0, -1);
      const sealed = `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`;
      return [first, lines(all)[1], sealed, ...rest].join('');
    });
    await expect(run(disk)).rejects.toThrow("line 3 of its journal can't be read");
  });

  it('says in the journal which bytes of each file are committed, as SHA-256', async () => {
    const disk = half.copy();
    const { files } = JSON.parse(lines(text(disk, journal)).at(-1)!) as { readonly files: { readonly [file: string]: OutputPosition } };
    const [file, { bytes, sha256 }] = Object.entries(files).find(([, position]) => position.bytes > 0)!;
    const committed = disk.read(`${outDir}/${file}.part`)!.subarray(0, bytes);
    expect(sha256).toBe(createHash('sha256').update(committed).digest('hex'));
  });

  it('refuses the journal of another version', async () => {
    const disk = half.copy();
    put(disk, journal, (all) => {
      const [first, ...rest] = lines(all);
      const older = first!.replace(/"version":\d+/, '"version":1').replace(/,"crc":"\w+"}\n$/, '');
      return [`${older},"crc":"${crc32(older).toString(16).padStart(8, '0')}"}\n`, ...rest].join('');
    });
    await expect(run(disk)).rejects.toThrow('its journal was written by another version of trawler');
  });

  it('reports a changed finished file, and stops before adding rows to it', async () => {
    const disk = new MemoryDisk();
    await run(disk);
    put(disk, `${outDir}/people.jsonl`, (all) => flip(all, 10));
    expect(await run(disk)).toMatchObject({
      asked: 0,
      notices: ["people.jsonl isn't as it was written: its bytes have changed. The run was finished before, so this may be meant"],
    });
    await expect(run(disk, { failures: true })).rejects.toThrow('is damaged');
  });

  it('refuses a foreign file with a name it needs, before any request', async () => {
    const disk = half.copy();
    disk.put(`${outDir}/people.jsonl`, 'mine');
    await expect(run(disk)).rejects.toThrow("people.jsonl isn't a file of this run, and its name is needed at the end");
    expect(text(disk, `${outDir}/people.jsonl`)).toBe('mine');
  });

  /** Rows in a compressed file, and rows that wait for a file that is made of them. */
  const packed: FlowDefinition = {
    ...smallFlow,
    stages: { ...smallFlow.stages, reviews: { ...smallFlow.stages['reviews']!, to: ['reviews.jsonl.gz', 'reviews.parquet'] } },
  };
  // A run that is resumed before any review has come may begin with those of another person.
  const unpacked = (disk: MemoryDisk): readonly string[] =>
    gunzipSync(disk.read(`${outDir}/reviews.jsonl.gz`)!)
      .toString()
      .split('\n')
      .toSorted();
  const inParquet = async (disk: MemoryDisk): Promise<readonly string[]> =>
    (await tableRows('reviews.parquet', Buffer.from(disk.read(`${outDir}/reviews.parquet`)!), 'reviews')).toSorted();
  it.each([
    ['a byte of a compressed part', `${outDir}/reviews.jsonl.gz.part`],
    ['a byte of rows that wait', `${outDir}/.trawler/rows/1-reviews.jsonl.part`],
  ])('stops the run before anything is requested: %s', async (_, file) => {
    const whole = new MemoryDisk();
    await run(whole, {}, packed);
    const disk = new MemoryDisk();
    await run(disk, { maxRequests: 8 }, packed);
    put(disk, file, (all) => flip(all, all.length >> 1));
    const before = disk.log.filter(({ kind }) => kind === 'write').length;
    await expect(run(disk, {}, packed)).rejects.toThrow(/is damaged: .*bytes have changed.*Nothing was changed/s);
    expect(disk.log.filter(({ kind }) => kind === 'write').length - before).toBeLessThanOrEqual(1); // the lock
    await run(disk, { repair: true }, packed);
    expect(unpacked(disk)).toEqual(unpacked(whole));
    expect(await inParquet(disk)).toEqual(await inParquet(whole));
  });

  it.each<[string, (disk: MemoryDisk) => void, string]>([
    ['a journal that is gone', (disk) => disk.remove(journal), 'no journal that says where they come from'],
    ['a journal that was emptied', (disk) => put(disk, journal, () => ''), 'no journal that says where they come from'],
    ['a journal of zeros', (disk) => put(disk, journal, (all) => '\0'.repeat(all.length)), 'no journal that says where they come from'],
    ['a journal of another flow', (disk) => put(disk, journal, (all) => all.replaceAll('small', 'other')), 'is damaged'],
    ['a folder in place of a part', (disk) => (disk.remove(people), disk.makeFolder(people)), 'people.jsonl'],
    ['a note of a move that is rubbish', (disk) => disk.put(`${outDir}/.trawler/moving.json`, '{"from":'), 'is damaged'],
  ])('stops the run before anything is lost: %s', async (_, harm, message) => {
    const disk = half.copy();
    harm(disk);
    const rows = disk.paths.filter((name) => name.endsWith('.part')).map((name) => [name, text(disk, name)]);
    const client = fakeClient(smallResponse);
    const running = lastValueFrom(runFlow(smallFlow, { client, outDir, fileSystem: new MemoryFileSystem(disk) }));
    await expect(running).rejects.toThrow(message);
    expect(client.asked).toEqual([]);
    expect(disk.paths.filter((name) => name.endsWith('.part')).map((name) => [name, text(disk, name)])).toEqual(rows);
  });
});
