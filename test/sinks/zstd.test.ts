import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { from, lastValueFrom, of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHeader } from '../../src/flow/seeds/readHeader.ts';
import { readSeeds } from '../../src/flow/seeds/readSeeds.ts';
import { compressed, decompressStream } from '../../src/sinks/compression.ts';
import { nodeFileSystem, openOutput, toCsv, toJsonl } from '../../src/sinks/index.ts';

const hasZstd = 'zstdCompressSync' in zlib;
if (!hasZstd)
  console.warn(`this is Node ${process.version}, which has no zstd: .zst files are only refused here; Node 22.15 or newer writes them`);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-zstd-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const rowsIn = async (path: string): Promise<object[]> => {
  const rows: object[] = [];
  for await (const row of readSeeds(path, nodeFileSystem)) rows.push(row);
  return rows;
};

describe('.zst', () => {
  it.skipIf(hasZstd)('is refused by this Node before anything is requested, with what to do', async () => {
    const path = join(folder, 'rows.jsonl.zst');
    await expect(lastValueFrom(of({}).pipe(toJsonl(path)))).rejects.toThrow(
      /\.zst needs Node 22\.15 or newer, and this is v\d+.*; use \.gz/,
    );
    expect(() => openOutput(path)).toThrow('.zst needs Node 22.15');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(!hasZstd)('is written, appended to, resumed, and read as seeds', async () => {
    const path = join(folder, 'rows.csv.zst');
    await lastValueFrom(from([{ id: '1' }, { id: '2' }]).pipe(toCsv(path)));
    await lastValueFrom(of({ id: '3' }).pipe(toCsv(path, { append: true })));
    expect(await rowsIn(path)).toEqual([{ id: '1' }, { id: '2' }, { id: '3' }]);
    expect(readHeader(path, nodeFileSystem)).toEqual(['id']);

    const other = join(folder, 'rows.jsonl.zst');
    const output = openOutput(other, { lock: false });
    output.write({ id: '1' });
    const place = await output.commit();
    output.write({ id: 'lost' });
    await output.abort();
    const again = openOutput(other, { lock: false, resume: place });
    again.write({ id: '2' });
    await again.finish();
    expect(await rowsIn(other)).toEqual([{ id: '1' }, { id: '2' }]);
  });

  it.skipIf(!hasZstd)('is read as seeds a block at a time, frames and blocks in any number, and not when its end is missing', async () => {
    const zstd = zlib as unknown as { zstdCompressSync(bytes: string | Buffer, options?: object): Buffer; constants: { ZSTD_c_checksumFlag: number } }; // prettier-ignore
    const lines = Array.from({ length: 8000 }, (_, n) => `{"id":"${n}","x":"${(n * 2654435761) % 1e9}"}\n`);
    const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const frames = [
      zstd.zstdCompressSync(lines.slice(0, 6000).join(''), { params: { [zstd.constants.ZSTD_c_checksumFlag]: 1 } }),
      skipped,
      zstd.zstdCompressSync(lines.slice(6000).join('')),
      zstd.zstdCompressSync(`{"id":"${' '.repeat(500_000)}"}\n`), // blocks of one byte that repeats
    ];
    const path = join(folder, 'many.jsonl.zst');
    writeFileSync(path, Buffer.concat(frames));
    expect((await rowsIn(path)).slice(0, 8000)).toEqual(lines.map((line) => JSON.parse(line) as object));

    for (const gone of [1, 5, frames[0]!.length - 2]) {
      writeFileSync(path, frames[0]!.subarray(0, -gone));
      await expect(rowsIn(path)).rejects.toThrow('the file ends in the middle of a frame');
    }
    writeFileSync(path, 'no frame');
    await expect(rowsIn(path)).rejects.toThrow("isn't a Zstandard file");
  });

  it.skipIf(!hasZstd)('is not read further than its rows are taken', async () => {
    const file = compressed(randomBytes(8_000_000), 'zstd');
    let read = 0;
    const chunks = function* (): Generator<Buffer> {
      for (; read < file.length; read += 65_536) yield file.subarray(read, read + 65_536);
    };
    for await (const _ of decompressStream(Readable.from(chunks()), 'zstd')) break;
    expect(read).toBeLessThan(2_000_000);
  });
});
