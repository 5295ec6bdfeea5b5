import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { FoundRows, WantedRows } from '../../../src/show/data/findRows.ts';
import type * as ScanFile from '../../../src/show/data/scanFile.ts';
import { cellOf, type SourceColumn } from '../../../src/show/data/TableSpec.ts';
import { fitsView, readTableView } from '../../../src/show/data/TableView.ts';
import { ViewScan } from '../../../src/show/data/ViewScan.ts';
import { ofTheDay } from '../../ofTheDay.ts';

const columns: readonly SourceColumn[] = ['id', 'name', 'user.rating'].map((name) => ({ name, keys: name.split('.'), type: name === 'name' ? 'string' : 'integer', about: undefined, expected: undefined })); // prettier-ignore
const names = columns.map(({ name }) => name);
const lines = Array.from({ length: 3000 }, (_, id) => JSON.stringify({ id, name: `name ${(id * 37) % 101}`, user: { rating: (id * 7) % 1000, text: 'x'.repeat(id % 900) } })); // prettier-ignore
const wantedOf = (text: string): WantedRows => ({ view: readTableView(new URLSearchParams(text), names), columns, sorted: 50 });

describe('scanFile', () => {
  let folder: string;
  let scanFile: typeof ScanFile.scanFile; // the compiled one: its threads are of the same build
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-scan-'));
    ({ scanFile } = (await import(join(inject('dist'), 'src/show/data/scanFile.js'))) as typeof ScanFile);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const written = async (text: string): Promise<string> => {
    const path = join(folder, 'rows.jsonl');
    await writeFile(path, text);
    return path;
  };
  const scanned = async (text: string, found: AsyncIterable<FoundRows>): Promise<object> => {
    const scan = new ViewScan(wantedOf(text), found, () => 0);
    await scan.all();
    return { total: scan.total, numbers: scan.numbers, part: scan.part(0, 50) };
  };

  // Each starts five threads.
  const views = [
    'f=filled:id',
    'f=is:name:name%2520100',
    'f=from:user.rating:990',
    'f=not:name:name',
    'f=is:name:nobody',
    'sort=-user.rating',
    'sort=name&f=to:id:2000',
  ];
  it.each(ofTheDay(views, 3))('finds the same rows in one part and in many, for %j', async (text) => {
    const path = await written(`${lines.join('\n')}\n{"id":"torn`);
    const [one, ...others] = await Promise.all([1, 2, 5].map((parts) => scanned(text, scanFile(path, wantedOf(text), { parts })))); // prettier-ignore
    for (const other of others) expect(other).toEqual(one);
    const rows = lines.map((line) => JSON.parse(line) as object);
    const fits = (row: object, n: number): boolean => fitsView(wantedOf(text).view, columns, { n, cell: (column) => cellOf(row, column), row: () => row }); // prettier-ignore
    expect(one).toMatchObject({ total: rows.filter(fits).length });
  });

  it('counts the lines of all parts, also where a line is longer than a part', async () => {
    const long = JSON.stringify({ id: 1, name: 'x'.repeat(3_000_000) });
    const path = await written(`${lines[0]}\n${long}\n${lines[2]}\n`);
    const found = await scanned('f=filled:id', scanFile(path, wantedOf('f=filled:id'), { parts: 4 }));
    expect(found).toMatchObject({ total: 3, numbers: [0, 1, 2] });
  });

  it('says how much was read, and reads no more than it may', async () => {
    const path = await written(`${lines.join('\n')}\n`);
    const shares: number[] = [];
    const bytes = lines.slice(0, 1000).join('\n').length + 1;
    const found = await scanned('f=filled:id', scanFile(path, wantedOf('f=filled:id'), { parts: 3, bytes, onRead: (share) => shares.push(share) })); // prettier-ignore
    expect(found).toMatchObject({ total: 1000 });
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  });

  it.each([100, 2900])('names the line %i that can not be read, whichever part it is in', async (at) => {
    const path = await written(`${lines.with(at, '{"id":').join('\n')}\n`);
    const found = scanned('f=empty:name', scanFile(path, wantedOf('f=empty:name'), { parts: 2 }));
    await expect(found).rejects.toThrow(`rows.jsonl:${at + 1}: isn't JSON`);
  });

  it('ends its threads when nobody wants the rest', async () => {
    const path = await written(`${lines.join('\n')}\n`);
    const ports = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    let open = 0;
    for await (const { total } of scanFile(path, wantedOf('f=filled:id'), { parts: 3 })) {
      expect(total).toBeGreaterThan(0);
      open = ports();
      break;
    }
    expect(open).toBeGreaterThanOrEqual(2);
    await expect.poll(ports).toBeLessThanOrEqual(open - 2);
  });
});
