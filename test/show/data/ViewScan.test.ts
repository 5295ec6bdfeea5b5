import { describe, expect, it } from 'vitest';
import type { SourceColumn } from '../../../src/show/data/TableSpec.ts';
import { readTableView } from '../../../src/show/data/TableView.ts';
import { ViewScan, ViewScans } from '../../../src/show/data/ViewScan.ts';

const columns: readonly SourceColumn[] = [{ name: 'id', keys: ['id'], type: 'integer', about: undefined, expected: undefined }];
const view = (text: string) => readTableView(new URLSearchParams(text), ['id']);

/** A file whose rows come as they are allowed to. */
function slowFile(): { readonly rows: AsyncIterable<object>; readonly give: (count: number) => void; readonly end: () => void } {
  let [given, isOver] = [0, false];
  let tell = (): void => undefined;
  const rows = async function* (): AsyncGenerator<object, void, undefined> {
    for (let id = 0; ; id += 1) {
      while (id >= given && !isOver) await new Promise<void>((resolve) => (tell = resolve));
      if (id >= given) return;
      yield { id };
    }
  };
  return { rows: rows(), give: (count) => ((given += count), tell()), end: () => ((isOver = true), tell()) };
}

describe('ViewScan', () => {
  it('has the first rows that fit while the file is still read, and their number at the end', async () => {
    const { rows, give, end } = slowFile();
    const scan = new ViewScan(view('f=has:id:7'), columns, rows, () => 0.25);
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
    const scan = new ViewScan(view('f=filled:id'), columns, rows, () => 1);
    give(1500);
    end();
    await scan.all();
    expect(scan.found).toHaveLength(1500);
    expect(scan.part(900, 100)?.rows).toHaveLength(100);
    expect(scan.part(901, 100)).toBeUndefined();
  });

  it('reads no further once it has found as many rows as it may', async () => {
    const { rows, give } = slowFile();
    const scan = new ViewScan(view('f=filled:id'), columns, rows, () => 0.5, 3);
    give(4);
    await scan.all();
    expect(scan.part(0, 100)).toMatchObject({ rows: { length: 3 }, total: undefined, read: 0.5 });
  });

  it('reads no further once it is not wanted, and says so', async () => {
    const { rows, give } = slowFile();
    const scan = new ViewScan(view('f=filled:id'), columns, rows, () => 0);
    scan.end();
    give(1);
    await expect(scan.all()).rejects.toThrow('Look again');
    expect(scan.found).toEqual([]);
  });

  it('is begun once for each view, and the one that was not used for the longest time ends', async () => {
    let begun = 0;
    const files = Array.from({ length: 5 }, slowFile);
    const scans = new ViewScans((one) => new ViewScan(one, columns, files[begun++]!.rows, () => 0));
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
