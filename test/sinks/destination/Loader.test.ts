import { describe, expect, it } from 'vitest';
import type { DestinationTable } from '../../../src/sinks/index.ts';
import { Loader } from '../../../src/sinks/destination/Loader.ts';
import { RowPrefix } from '../../../src/sinks/destination/RowPrefix.ts';
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
});
