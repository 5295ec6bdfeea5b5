import { describe, expect, it } from 'vitest';
import { DigestSet } from '../../src/flow/state/DigestSet.ts';
import { Journal } from '../../src/flow/state/Journal.ts';
import type { JournalRecord } from '../../src/flow/state/JournalRecord.ts';
import { MemoryFileSystem } from '../sinks/MemoryFileSystem.ts';
import { seeded } from '../sinks/powerCut.ts';

const path = '/journal.jsonl';
const record = (at: number): JournalRecord => ({ type: 'reopen', at });

async function written(): Promise<MemoryFileSystem> {
  const disk = new MemoryFileSystem();
  const journal = Journal.open(path, disk);
  for (let at = 0; at < 5; at++) expect(await journal.append(record(at))).toBe(at);
  journal.close();
  return disk;
}

/** The records that are read back from these bytes, and what is left of the file. */
async function replayed(
  text: string,
  refuse = Infinity,
): Promise<{ readonly records: readonly number[]; readonly text: string; readonly seq: number }> {
  const disk = new MemoryFileSystem();
  disk.put(path, text);
  const journal = Journal.open(path, disk);
  const records: number[] = [];
  await journal.replay((one) => {
    if (one.type !== 'reopen' || one.at === refuse) return false;
    records.push(one.at);
    return true;
  });
  return { records, text: disk.read(path)!.toString('utf8'), seq: journal.seq };
}

describe('Journal', () => {
  it('gives back what was appended, a JSON line each', async () => {
    const text = (await written()).read(path)!.toString('utf8');
    expect(JSON.parse(text.split('\n')[0]!)).toEqual({
      seq: 0,
      type: 'reopen',
      at: 0,
      crc: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
    });
    expect(await replayed(text)).toEqual({ records: [0, 1, 2, 3, 4], text, seq: 5 });
  });

  it('stops at the first line that is torn, changed, missing or refused, and cuts off what lies behind', async () => {
    const lines = (await written())
      .read(path)!
      .toString('utf8')
      .split(/(?<=\n)/);
    const first = lines.slice(0, 2).join('');
    const expected = { records: [0, 1], text: first, seq: 2 };
    expect(await replayed(lines.join('').slice(0, first.length + lines[2]!.length - 1))).toEqual(expected);
    expect(await replayed([...lines.slice(0, 2), lines[2]!.replace('"at":2', '"at":7'), ...lines.slice(3)].join(''))).toEqual(expected);
    expect(await replayed([...lines.slice(0, 2), ...lines.slice(3)].join(''))).toEqual(expected);
    expect(await replayed([...lines.slice(0, 2), 'rubbish\n', ...lines.slice(2)].join(''))).toEqual(expected);
    expect(await replayed(lines.join(''), 2)).toEqual(expected);
  });

  it('reads records that are longer than what it reads at once', async () => {
    const disk = new MemoryFileSystem();
    const journal = Journal.open(path, disk);
    const outputs = Array.from({ length: 100_000 }, (_, index) => `file${index}é.jsonl`);
    await journal.append({ type: 'flow', version: 1, name: 'long', digest: 'x', at: 1, outputs });
    await journal.append(record(7));
    const seen: JournalRecord[] = [];
    await Journal.open(path, disk).replay((one) => seen.push(one) > 0);
    expect(seen).toMatchObject([{ outputs }, { at: 7 }]);
  });

  it('writes the whole record where the system writes only a part, and tries nothing again after a failure', async () => {
    const short = new MemoryFileSystem(undefined, (step) => (step.kind === 'write' && step.bytes.length > 5 ? { short: 5 } : undefined));
    await Journal.open(path, short).append(record(3));
    expect((await replayed(short.read(path)!.toString('utf8'))).records).toEqual([3]);

    const sick = new MemoryFileSystem(undefined, (step, index) => (step.kind === 'datasync' && index < 4 ? 'EIO' : undefined));
    const journal = Journal.open(path, sick);
    await expect(journal.append(record(1))).rejects.toThrow('EIO');
    const steps = sick.log.length;
    await expect(journal.append(record(2))).rejects.toThrow('EIO');
    expect(sick.log).toHaveLength(steps);
  });
});

describe('DigestSet', () => {
  it('holds what a Set holds, zero and neighbours included', () => {
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
