import { describe, expect, it } from 'vitest';
import type { DestinationTable } from '../../../src/sinks/index.ts';
import { Loader, type RejectedRow, RowPrefix } from '../../../src/sinks/destination/Loader.ts';
import { memoryDestination } from '../../flow/load/memoryDestination.ts';

const table: DestinationTable = {
  name: 'rows',
  columns: [],
  key: [],
  mode: 'merge',
  flow: 'flow',
  run: 'run',
  stage: 'stage',
  file: 'rows.jsonl',
};
const rows = Buffer.from('{"id":1}\n');

describe('Loader', () => {
  const destination = memoryDestination();
  const loader = (): Loader => new Loader(destination, table, { reject: () => Promise.resolve(), signal: new AbortController().signal });

  it('loads rows into a destination that can do no more than open, recover, load, commit and close', async () => {
    const first = loader();
    expect((await first.open(false)).bytes).toBe(0);
    await first.load(rows, RowPrefix.start());
    await first.finish();
    await first.close();
    expect(destination.tables.get('rows')).toEqual(['{"id":1}']);
  });

  it('says what such a destination can not do: start over, and delete rows', async () => {
    await expect(loader().open(false)).rejects.toThrow(
      "rows: it has rows of this run that the run doesn't have on disk, and can't start over",
    );
    await expect(loader().remove(['{"id":1}'])).rejects.toThrow('rows: it can\'t delete the rows that are gone. Write "gone": "keep"');
  });

  it('keeps as rejected what the last try rejected, whose commit did not fail', async () => {
    const changing = memoryDestination();
    let odd = 'd';
    changing.rejects = (line) => line.includes(odd);
    changing.fates.push('failed');
    changing.before = (what) => void (odd = what === 'commit' ? 'a' : odd); // by the second try, another row is odd
    let record: RejectedRow[] = [];
    const trying = new Loader(changing, table, {
      reject: async (more) => void record.push(...more),
      forget: async (from) => void (record = record.filter(({ at }) => at < from)),
      signal: new AbortController().signal,
    });
    await trying.load(Buffer.from('"a"\n"b"\n"c"\n"d"\n'), RowPrefix.start());
    await trying.close();
    expect(record).toEqual([{ at: 0, line: '"a"', reason: 'odd' }]);
    expect(changing.tables.get('rows')).toEqual(['"b"', '"c"', '"d"']);
  });

  it('commits nothing once it was stopped, though what it waited for comes after all', async () => {
    const slow = memoryDestination();
    const stop = new AbortController();
    slow.hold();
    let commits = 0;
    slow.before = (what) => {
      commits += what === 'commit' ? 1 : 0;
      queueMicrotask(() => stop.abort(new Error('stopped')));
    };
    const stopped = new Loader(slow, table, { reject: () => Promise.resolve(), signal: stop.signal });
    await expect(stopped.load(rows, RowPrefix.start())).rejects.toThrow('stopped');
    slow.letGo();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(commits).toBe(0);
  });
});
