import { createHash } from 'node:crypto';
import { linkSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOutput, type OutputOptions } from '../../src/sinks/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-output-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const rowsOf = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, n) => ({ id: from + n, text: 'x'.repeat(20) }));
const columns = ['id', 'text'];
const text = (name: string): string => {
  const bytes = readFileSync(at(name));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};
const whole = async (name: string, options: OutputOptions): Promise<string> => {
  const output = openOutput(at(name), options);
  for (const row of rowsOf(0, 30)) output.write(row);
  const report = await output.finish();
  expect(report).toMatchObject({
    rows: 30,
    sha256: createHash('sha256')
      .update(readFileSync(at(name)))
      .digest('hex'),
  });
  const golden = text(name);
  rmSync(at(name));
  return golden;
};

describe('openOutput', () => {
  it.each(['rows.jsonl', 'rows.ndjson', 'rows.csv', 'rows.tsv', 'rows.jsonl.gz', 'rows.csv.gz'])(
    'goes on with %s where the last commit was, and ends with the same rows',
    async (name) => {
      const golden = await whole(name, { columns });
      const first = openOutput(at(name), { columns });
      for (const row of rowsOf(0, 10)) first.write(row);
      const position = await first.commit();
      expect(position.rows).toBe(10);
      for (const row of rowsOf(10, 15)) first.write(row);
      expect(await first.abort()).toMatchObject({ path: `${at(name)}.part`, rows: 15 });

      const second = openOutput(at(name), { columns, resume: position });
      expect(second.rows).toBe(10);
      for (const row of rowsOf(10, 20)) second.write(row);
      const then = await second.commit();
      await second.abort();
      writeFileSync(`${at(name)}.part`, 'torn', { flag: 'a' });

      const third = openOutput(at(name), { columns, resume: then });
      for (const row of rowsOf(20, 30)) third.write(row);
      const report = await third.finish();
      expect(text(name)).toBe(golden);
      expect(report).toMatchObject({
        rows: 30,
        sha256: createHash('sha256')
          .update(readFileSync(at(name)))
          .digest('hex'),
      });
      expect(readdirSync(folder)).toEqual([name]);
    },
  );

  it('resumes a Parquet file, whose rows wait as JSONL', async () => {
    const first = openOutput(at('rows.parquet'), { columns });
    for (const row of rowsOf(0, 10)) first.write(row);
    const position = await first.commit();
    await first.abort();
    const second = openOutput(at('rows.parquet'), { columns, resume: position });
    for (const row of rowsOf(10, 20)) second.write(row);
    expect((await second.finish()).rows).toBe(20);
    const rows = await parquetReadObjects({ file: new Uint8Array(readFileSync(at('rows.parquet'))).buffer });
    expect(rows.map((row) => row['id'])).toEqual(rowsOf(0, 20).map((_, id) => BigInt(id)));
    expect(readdirSync(folder)).toEqual(['rows.parquet']);
  });

  it('counts in a commit only what was taken when it was called', async () => {
    const output = openOutput(at('rows.jsonl'));
    for (const row of rowsOf(0, 3)) output.write(row);
    const first = output.commit();
    for (const row of rowsOf(3, 9)) output.write(row);
    const second = output.commit();
    expect([(await first).rows, (await second).rows]).toEqual([3, 9]);
    const { bytes } = await first;
    expect(readFileSync(at('rows.jsonl.part')).subarray(0, bytes).toString().split('\n')).toHaveLength(4);
    await output.abort();
  });

  it('finishes again what an earlier run finished half-way', async () => {
    const output = openOutput(at('rows.jsonl'));
    for (const row of rowsOf(0, 3)) output.write(row);
    const { bytes, rows, sha256 } = await output.finish();
    linkSync(at('rows.jsonl'), at('rows.jsonl.part'));
    for (let run = 0; run < 2; run++) {
      const again = await openOutput(at('rows.jsonl'), { resume: { bytes, rows } }).finish();
      expect(again).toEqual({ path: at('rows.jsonl'), bytes, rows, sha256 });
      expect(readdirSync(folder)).toEqual(['rows.jsonl']);
    }
  });

  it('never cuts a finished file through its other name', async () => {
    const output = openOutput(at('rows.jsonl'));
    for (const row of rowsOf(0, 3)) output.write(row);
    await output.finish();
    const golden = text('rows.jsonl');
    linkSync(at('rows.jsonl'), at('rows.jsonl.part'));
    const fresh = openOutput(at('rows.jsonl'), { resume: { bytes: 0, rows: 0 } });
    for (const row of rowsOf(0, 1)) fresh.write(row);
    await expect(fresh.finish()).rejects.toThrow('another process made a file of that name');
    await fresh.abort();
    expect(text('rows.jsonl')).toBe(golden);
  });

  it('reports a file to resume that is gone or too short', async () => {
    expect(() => openOutput(at('rows.jsonl'), { resume: { bytes: 5, rows: 1 } })).toThrow('neither');
    writeFileSync(at('rows.jsonl.part'), '{"id":1}\n');
    truncateSync(at('rows.jsonl.part'), 3);
    expect(() => openOutput(at('rows.jsonl'), { resume: { bytes: 9, rows: 1 } })).toThrow('the part has 3 bytes where 9 are recorded');
    expect(readdirSync(folder)).toEqual(['rows.jsonl.part']);
  });

  it('refuses to append under another heading', async () => {
    const first = openOutput(at('rows.csv'), { columns });
    for (const row of rowsOf(0, 1)) first.write(row);
    const position = await first.commit();
    await first.abort();
    const second = openOutput(at('rows.csv'), { columns: ['text', 'id'], resume: position });
    expect(() => second.write(rowsOf(1, 2)[0])).toThrow("isn't the heading of these rows");
    await second.abort();
  });

  it('fails with the first error from then on, and aborting never fails', async () => {
    const fileSystem = new MemoryFileSystem(new MemoryDisk({ fault: (step) => (step.kind === 'datasync' ? 'EIO' : undefined) }));
    const output = openOutput('/rows.jsonl', { fileSystem });
    output.write(1);
    await expect(output.commit()).rejects.toThrow('syncing failed: the disk reports a fault (EIO)');
    expect(() => output.write(2)).toThrow('EIO');
    await expect(output.finish()).rejects.toThrow('EIO');
    expect(await output.abort()).toMatchObject({ rows: 1 });
    expect(await output.abort()).toBeUndefined();
    expect(() => output.write(3)).toThrow('aborted');
  });

  it('takes no rows when it is sealed', async () => {
    const output = openOutput(at('rows.jsonl'));
    output.write(1);
    const report = await output.seal();
    expect(() => output.write(2)).toThrow('takes no more rows: it is sealed');
    expect(await output.finish()).toEqual(report);
  });

  it('knows how much waits', async () => {
    const output = openOutput(at('rows.jsonl'));
    for (const text of ['abc', 'def']) output.write(text);
    expect([output.rows, output.backlog, output.backlogRows, output.bytes]).toEqual([2, 12, 2, 12]);
    await output.flush();
    expect([output.rows, output.backlog, output.backlogRows, output.bytes]).toEqual([2, 0, 0, 12]);
    await output.abort();
  });

  it('works on a file system without second names', async () => {
    for (const code of ['EPERM', 'ENOTSUP', 'EXDEV']) {
      const fileSystem = new MemoryFileSystem(new MemoryDisk({ fault: (step) => (step.kind === 'link' ? code : undefined) }));
      const output = openOutput('/rows.jsonl', { fileSystem, lock: code !== 'EXDEV' });
      output.write(1);
      await output.finish();
      expect(fileSystem.disk.paths).toEqual(['/rows.jsonl']);
    }
  });

  it('refuses an ending that names no format', () => {
    expect(() => openOutput('rows.txt')).toThrow(
      new RangeError(
        'openOutput: the ending of rows.txt names no format; use .jsonl, .ndjson, .csv, .tsv (each also with .gz or .zst), .parquet, .duckdb, .sqlite',
      ),
    );
    expect(() => openOutput('rows.parquet', { append: true })).toThrow('openOutput: append must be false for parquet');
  });
});
