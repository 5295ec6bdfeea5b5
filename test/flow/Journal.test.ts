import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { DigestSet } from '../../src/flow/core/Dedup.ts';
import { Journal, type JournalTail } from '../../src/flow/state/Journal.ts';
import type { JournalRecord } from '../../src/flow/core/events.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { seeded } from '../files/seeded.ts';

const path = '/journal.jsonl';
const record = (at: number): JournalRecord => ({ type: 'reopen', at });

async function written(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const journal = Journal.open(path, new MemoryFileSystem(disk));
  for (let at = 0; at < 5; at++) expect(await journal.append(record(at))).toBe(at);
  journal.close();
  return disk;
}

/** The records that are read back from these bytes, what is said of the rest, and what is left of the file. */
async function replayed(text: string): Promise<{
  readonly records: readonly number[];
  readonly tail: Partial<JournalTail> | undefined;
  readonly text: string;
  readonly seq: number;
}> {
  const disk = new MemoryDisk();
  disk.put(path, text);
  const journal = Journal.open(path, new MemoryFileSystem(disk));
  const records: number[] = [];
  const tail = await journal.replay((one) => void records.push(one.at));
  expect(disk.read(path)!.toString('utf8')).toBe(text);
  await journal.cut();
  return { records, tail, text: disk.read(path)!.toString('utf8'), seq: journal.seq };
}

describe('Journal', () => {
  it('returns the appended records, one JSON line each', async () => {
    const text = (await written()).read(path)!.toString('utf8');
    expect(JSON.parse(text.split('\n')[0]!)).toEqual({
      seq: 0,
      type: 'reopen',
      at: 0,
      crc: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
    });
    expect(await replayed(text)).toEqual({ records: [0, 1, 2, 3, 4], tail: undefined, text, seq: 5 });
  });

  it('tells a torn end from a changed file, and cuts only on request', async () => {
    const whole = (await written()).read(path)!.toString('utf8');
    const lines = whole.split(/(?<=\n)/);
    const [first, rest] = [lines.slice(0, 2).join(''), lines.slice(3).join('')];
    const kept = { records: [0, 1], text: first, seq: 2 };
    const torn = { ...kept, tail: { line: 3, torn: true, readable: [] } };
    expect(await replayed(first + lines[2]!.slice(0, -1))).toEqual(torn);
    expect(await replayed(first + lines[2]!.slice(0, 9))).toEqual(torn);
    expect(await replayed(`${first}{"seq":2\0\0\0\0}\n`)).toEqual(torn);
    const changed = (readable: number): unknown => ({
      ...kept,
      tail: { line: 3, torn: false, readable: lines.slice(-readable).slice(0, readable).map((line) => expect.objectContaining({ at: (JSON.parse(line) as { at: number }).at }) as unknown) }, // prettier-ignore
    });
    expect(await replayed(first + lines[2]!.replace('"at":2', '"at":7') + rest)).toEqual(changed(2));
    expect(await replayed(first + rest)).toEqual(changed(2));
    expect(await replayed(`${first}rubbish\n${lines[2]}${rest}`)).toEqual(changed(3));
    expect(await replayed(first + lines[2]!.replace('"at":2', '"at":7'))).toEqual({
      ...kept,
      tail: { line: 3, torn: false, readable: [] },
    });
    expect((await replayed(`${first}${lines[2]!.slice(0, -1)}#`)).tail?.torn).toBe(false);
  });

  it('reads a file with changed line ends, and continues it', async () => {
    const text = (await written()).read(path)!.toString('utf8').replaceAll('\n', '\r\n');
    expect(await replayed(text)).toEqual({ records: [0, 1, 2, 3, 4], tail: undefined, text, seq: 5 });
  });

  it('reads records that are longer than what it reads at once', async () => {
    const disk = new MemoryDisk();
    const journal = Journal.open(path, new MemoryFileSystem(disk));
    const outputs = Array.from({ length: 100_000 }, (_, index) => `file${index}é.jsonl`);
    await journal.append({ type: 'flow', version: 1, name: 'long', digest: 'x', at: 1, outputs });
    await journal.append(record(7));
    const seen: JournalRecord[] = [];
    await Journal.open(path, new MemoryFileSystem(disk)).replay((one) => seen.push(one) > 0);
    expect(seen).toMatchObject([{ outputs }, { at: 7 }]);
  });

  it('writes the rest after a partial write, and retries nothing after a failure', async () => {
    const short = new MemoryDisk({ fault: (step) => (step.kind === 'write' && step.bytes.length > 5 ? { short: 5 } : undefined) });
    await Journal.open(path, new MemoryFileSystem(short)).append(record(3));
    expect((await replayed(short.read(path)!.toString('utf8'))).records).toEqual([3]);

    const sick = new MemoryDisk({ fault: (step, index) => (step.kind === 'datasync' && index < 4 ? 'EIO' : undefined) });
    const journal = Journal.open(path, new MemoryFileSystem(sick));
    await expect(journal.append(record(1))).rejects.toThrow('EIO');
    const steps = sick.log.length;
    await expect(journal.append(record(2))).rejects.toThrow('EIO');
    expect(sick.log).toHaveLength(steps);
  });
});

describe('DigestSet', () => {
  it('contains what a Set contains, zero and neighbours included', () => {
    const random = seeded(3);
    const small = Array.from({ length: 3000 }, () => BigInt(Math.floor(random() * 2000)));
    const large = Array.from({ length: 200 }, () => BigInt(Math.floor(random() * 2 ** 32)) << 32n);
    const known = new Set<bigint>();
    const digests = new DigestSet();
    for (const digest of [2n, ...small, ...large].filter((one) => one !== 1n)) {
      expect(digests.has(digest)).toBe(known.has(digest));
      expect(digests.add(digest)).toBe(!known.has(digest));
      known.add(digest);
    }
    expect(digests.size).toBe(known.size);
  });
});

describe('FlowState', () => {
  it('keeps a failed query in less than 600 bytes', async () => {
    const script = `
      const { compileFlow } = await import(${JSON.stringify(`${inject('dist')}/src/flow/definition/compileFlow.js`)});
      const { FlowState } = await import(${JSON.stringify(`${inject('dist')}/src/flow/core/FlowState.js`)});
      const state = new FlowState(compileFlow({ name: 'f', stages: { a: { call: 'webSearch', with: { query: 'x' }, to: 'a.jsonl' } } }));
      const used = () => (gc(), process.memoryUsage().heapUsed);
      const before = used();
      for (let i = 0; i < 30_000; i++) {
        state.evolve({ type: 'QueriesFound', found: [[0, { query: 'query number ' + i }, null]] });
        const failure = { name: 'HttpError', message: 'webSearch: HTTP status 404' + ' and so on'.repeat(20), status: 404, attempts: 1, at: 1.7e12 };
        state.evolve(JSON.parse(JSON.stringify({ type: 'QueryFailed', query: state.queries.open.keys().next().value, failure, taken: false, got: 0 })));
      }
      console.log((used() - before) / state.queries.failed.size);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--input-type=module', '-e', script]);
    expect(Number(stdout)).toBeGreaterThan(100);
    expect(Number(stdout)).toBeLessThan(600);
  });
});
