import { describe, expect, it } from 'vitest';
import { parsePath } from '../../../operators/kit/path.ts';
import type { FlowStage } from '../../../src/flow/definition/Flow.ts';
import { FlowFolder } from '../../../src/flow/state/FlowFolder.ts';
import type { RunStorage } from '../../../src/flow/state/RunStorage.ts';
import { mergeStage } from '../../../src/flow/update/mergeRows.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';

interface Row {
  readonly id: string;
  readonly v?: number;
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Merges rows of a previous run into those of an update. `isWhole`: the update requested all rows of the stage and got them. */
async function merge(
  before: readonly Row[],
  after: readonly Row[],
  { isWhole = false, gone = 'drop' }: { readonly isWhole?: boolean; readonly gone?: 'keep' | 'drop' } = {},
): Promise<{ readonly carried: string; readonly changes: string; readonly counts: object; readonly unknown: string | undefined }> {
  const disk = new MemoryDisk();
  const fileSystem = new MemoryFileSystem(disk);
  disk.put('/before/rows.jsonl', lines(before));
  disk.put('/after/rows.jsonl.part', lines(after));
  const [was, folder] = [await FlowFolder.open('/before', fileSystem), await FlowFolder.open('/after', fileSystem)];
  const carried: string[] = [];
  const store = {
    folder,
    files: { backlog: 0 },
    carry: (_: unknown, row: Row) => carried.push(`${row.id}${row.v ?? ''}`),
  } as unknown as RunStorage;
  const goneUnknown = isWhole ? undefined : '1 query was capped';
  const stage = { name: 'rows', key: [parsePath('id')!], volatile: new Set(['seen']), gone, outputs: ['rows.csv'] } as unknown as FlowStage;
  const {
    stage: _,
    file: _file,
    goneUnknown: unknown,
    ...counts
  } = await mergeStage(stage, { source: 'rows.jsonl', before: was, store, file: 'changes/rows.jsonl', goneUnknown });
  was.close();
  folder.close();
  const shown = disk.read('/after/changes/rows.jsonl')!.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line) as { change: string; row: Row }); // prettier-ignore
  return { carried: carried.join(' '), changes: shown.map(({ change, row }) => `${change} ${row.id}`).join(', '), counts, unknown };
}

const none = { new: 0, changed: 0, gone: 0, rose: 0, fell: 0, up: 0, down: 0 };

describe('mergeStage', () => {
  it('says why it is not known what is gone', async () => {
    const isWhole = await merge([{ id: 'a' }], [], { isWhole: true });
    expect([isWhole.unknown, (await merge([{ id: 'a' }], [])).unknown]).toEqual([undefined, '1 query was capped']);
  });

  it('compares a row that the update has, and carries nothing over', async () => {
    const { carried, changes, counts } = await merge([{ id: 'a', v: 1 }, { id: 'b' }], [{ id: 'a', v: 2 }, { id: 'b' }]);
    expect([carried, changes, counts]).toEqual(['', 'changed a', { ...none, changed: 1 }]);
  });

  it('lists rows that are new, in the order of the file', async () => {
    const { changes, counts } = await merge([{ id: 'b' }], [{ id: 'z' }, { id: 'b' }, { id: 'a' }, { id: 'z', v: 2 }]);
    expect([changes, counts]).toEqual(['new z, new a', { ...none, new: 2 }]);
  });

  it('carries over a row of a stage that was not requested whole, and never calls it gone', async () => {
    const { carried, counts } = await merge([{ id: 'a' }], []);
    expect([carried, counts]).toEqual(['a', none]);
  });

  it.each([
    ['drop', ''],
    ['keep', 'a'],
  ] as const)('counts a row as gone of a stage that was requested whole and does not have it (gone: %s)', async (gone, carried) => {
    const merged = await merge([{ id: 'a' }], [], { gone, isWhole: true });
    expect([merged.carried, merged.changes, merged.counts]).toEqual([carried, 'gone a', { ...none, gone: 1 }]);
  });

  it('counts rows with one key once, whether they are found or gone', async () => {
    const twice = [
      { id: 'a', v: 1 },
      { id: 'a', v: 2 },
    ];
    expect((await merge(twice, [{ id: 'a', v: 3 }])).counts).toEqual({ ...none, changed: 1 });
    const { carried, counts } = await merge(twice, [], { isWhole: true });
    expect([carried, counts]).toEqual(['', { ...none, gone: 1 }]);
  });

  it('ignores a field that changes by itself', async () => {
    const rows = (seen: number): Row[] => [{ id: 'a', ...{ seen } }];
    expect((await merge(rows(1), rows(2))).changes).toBe('');
  });
});
