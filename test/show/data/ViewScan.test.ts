import { describe, expect, it } from 'vitest';
import { findRows, type WantedRows } from '../../../src/show/data/findRows.ts';
import { seenRows, type SeenRows, type SourceColumn } from '../../../src/show/data/TableSpec.ts';
import { readTableView } from '../../../src/show/data/TableView.ts';
import { ViewScan, ViewScans } from '../../../src/show/data/ViewScan.ts';

const columns: readonly SourceColumn[] = [{ name: 'id', keys: ['id'], type: 'integer', about: undefined, expected: undefined }];
const view = (text: string) => readTableView(new URLSearchParams(text), ['id']);

const scanOf = (text: string, rows: SeenRows, share: number, options: Partial<WantedRows> = {}): ViewScan => {
  const wanted = { view: view(text), columns, ...options };
  return new ViewScan(wanted, findRows(wanted, rows), () => share);
};

/** A file whose rows come as they are allowed to. */
function slowFile(): { readonly rows: SeenRows; readonly give: (count: number) => void; readonly end: () => void } {
  let [given, isOver] = [0, false];
  let tell = (): void => undefined;
  const rows = async function* (): AsyncGenerator<object, void, undefined> {
    for (let id = 0; ; id += 1) {
      while (id >= given && !isOver) await new Promise<void>((resolve) => (tell = resolve));
      if (id >= given) return;
      yield { id };
    }
  };
  return { rows: seenRows(rows()), give: (count) => ((given += count), tell()), end: () => ((isOver = true), tell()) };
}

describe('ViewScan', () => {
  it('has the first rows that fit while the file is still read, and their number at the end', async () => {
    const { rows, give, end } = slowFile();
    const scan = scanOf('f=has:id:7', rows, 0.25);
    give(30);
    await scan.upTo(3, 10_000); // 7, 17, 27: it waits no longer than needed
    expect(scan.part(0, 100)).toEqual({ rows: [7, 17, 27].map((n) => ({ n, cells: [String(n)] })), total: undefined, read: 0.25 });
    expect(scan.part(1, 1)?.rows).toEqual([{ n: 17, cells: ['17'] }]);
    await scan.upTo(4, 5);
    expect(scan.part(0, 100)?.rows).toHaveLength(3);
    give(10);
    end();
    await scan.all();
    expect(scan.part(0, 100)).toMatchObject({ total: 4, read: undefined });
  });

  it('keeps the cells of the first thousand rows, and no more', async () => {
    const { rows, give, end } = slowFile();
    const scan = scanOf('f=filled:id', rows, 1);
    give(1500);
    end();
    await scan.all();
    expect(scan.numbers).toHaveLength(1500);
    expect(scan.part(900, 100)?.rows).toHaveLength(100);
    expect(scan.part(901, 100)).toBeUndefined();
  });

  it('keeps the first rows of a sorted view, however many there are, and counts the others', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => ({ id: n % 7 === 0 ? '' : (n * 37) % 101 }));
    const rows = async function* (): AsyncGenerator<object> {
      yield* ids;
    };
    for (const order of ['id', '-id']) {
      const [all, first] = [Infinity, 5].map((sorted) => scanOf(`sort=${order}`, seenRows(rows()), 1, { sorted }));
      expect(first!.numbers).toEqual([]);
      await Promise.all([all!.all(), first!.all()]);
      expect(first!.total).toBe(100);
      expect(first!.numbers).toEqual(all!.numbers.slice(0, 5));
      expect(all!.numbers.slice(-15)).toEqual(ids.flatMap(({ id }, n) => (id === '' ? [n] : [])));
      const sorted = all!.numbers.slice(0, -15).map((n) => Number(ids[n]!.id));
      expect(sorted).toEqual(sorted.toSorted((one, other) => (order === 'id' ? one - other : other - one)));
    }
  });

  it('reads no further once it has found as many rows as it may', async () => {
    const { rows, give } = slowFile();
    const scan = scanOf('f=filled:id', rows, 0.5, { limit: 3 });
    give(4);
    await scan.all();
    expect(scan.part(0, 100)).toMatchObject({ rows: { length: 3 }, total: undefined, read: 0.5 });
  });

  it('reads no further once it is not wanted, and says so', async () => {
    const { rows, give } = slowFile();
    const scan = scanOf('f=filled:id', rows, 0);
    scan.end();
    give(1);
    await expect(scan.all()).rejects.toThrow('Look again');
    expect(scan.numbers).toEqual([]);
  });

  it('is begun once for each view, and the one that was not used for the longest time ends', async () => {
    let begun = 0;
    const files = Array.from({ length: 5 }, slowFile);
    const scans = new ViewScans((one) => {
      const wanted = { view: one, columns };
      return new ViewScan(wanted, findRows(wanted, files[begun++]!.rows), () => 0);
    });
    const [first, second] = [scans.of(view('f=is:id:1')), scans.of(view('f=is:id:2'))];
    expect(scans.of(view('f=is:id:1'))).toBe(first);
    scans.of(view('f=is:id:3'));
    scans.of(view('f=is:id:4'));
    files[1]!.give(1);
    await expect(second.all()).rejects.toThrow('Look again');
    expect(scans.of(view('f=is:id:1'))).toBe(first);
    expect(begun).toBe(4);
    scans.close();
  });
});
