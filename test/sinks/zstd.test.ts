import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { from, lastValueFrom, of } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHeader } from '../../src/flow/seeds/readHeader.ts';
import { readSeeds } from '../../src/flow/seeds/readSeeds.ts';
import { openOutput, toCsv, toJsonl } from '../../src/sinks/index.ts';

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
  for await (const row of readSeeds(path)) rows.push(row);
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
    expect(readHeader(path)).toEqual(['id']);

    const other = join(folder, 'rows.jsonl.zst');
    const output = openOutput(other, { lock: false });
    output.write([{ id: '1' }]);
    const place = await output.commit();
    output.write([{ id: 'lost' }]);
    await output.abort();
    const again = openOutput(other, { lock: false, resume: place });
    again.write([{ id: '2' }]);
    await again.finish();
    expect(await rowsIn(other)).toEqual([{ id: '1' }, { id: '2' }]);
  });
});
