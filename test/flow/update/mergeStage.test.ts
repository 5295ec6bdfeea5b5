import { describe, expect, it } from 'vitest';
import { parsePath } from '../../../operators/kit/valuesAt.ts';
import type { FlowStage } from '../../../src/flow/definition/Flow.ts';
import { FlowFolder } from '../../../src/flow/state/FlowFolder.ts';
import type { RunStorage } from '../../../src/flow/state/RunStorage.ts';
import type { Extent } from '../../../src/flow/core/WalkCoverage.ts';
import { mergeStage } from '../../../src/flow/update/mergeRows.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';

interface Row {
  readonly id: string;
  readonly v?: number;
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Merges rows of a previous run into those of an update. `walks`: the walk that would have found a row, by the row's id. */
async function merge(
  before: readonly Row[],
  after: readonly Row[],
  { walks = {}, gone = 'drop' }: { readonly walks?: { readonly [id: string]: Extent }; readonly gone?: 'keep' | 'drop' } = {},
): Promise<{ readonly carried: string; readonly changes: string; readonly counts: object; readonly forgotten: number }> {
  const disk = new MemoryDisk();
  const fileSystem = new MemoryFileSystem(disk);
  disk.put('/before/rows.jsonl', lines(before));
  disk.put('/after/rows.jsonl.part', lines(after));
  const [was, folder] = [await FlowFolder.open('/before', fileSystem), await FlowFolder.open('/after', fileSystem)];
  const carried: string[] = [];
  let forgotten = 0;
  const store = {
    folder,
    files: { backlog: 0 },
    state: {
      queries: { counts: new Map([['rows', { late: 0 }]]) },
      walkOver: (_: unknown, row: Row) => walks[row.id],
    },
    compare: () => undefined,
    walkToTheEnd: (watermarks: readonly bigint[]) => (forgotten += watermarks.length),
    carry: (_: unknown, row: Row) => carried.push(`${row.id}${row.v ?? ''}`),
  } as unknown as RunStorage;
  const stage = { name: 'rows', key: [parsePath('id')!], volatile: new Set(['seen']), gone, outputs: ['rows.csv'] } as unknown as FlowStage;
  const {
    stage: _,
    file: _file,
    ...counts
  } = await mergeStage(stage, { source: 'rows.jsonl', before: was, store, file: 'changes/rows.jsonl' });
  was.close();
  folder.close();
  const shown = disk.read('/after/changes/rows.jsonl')!.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line) as { change: string; row: Row }); // prettier-ignore
  return { carried: carried.join(' '), changes: shown.map(({ change, row }) => `${change} ${row.id}`).join(', '), counts, forgotten };
}

const none = { added: 0, late: 0, changed: 0, gone: 0, unfound: 0, rose: 0, fell: 0 };
const whole: Extent = { time: -Infinity, gone: Infinity, watermarks: [1n] };

describe('mergeStage', () => {
  it('compares a row that the update has, and carries nothing over', async () => {
    const { carried, changes, counts } = await merge([{ id: 'a', v: 1 }, { id: 'b' }], [{ id: 'a', v: 2 }, { id: 'b' }]);
    expect([carried, changes, counts]).toEqual(['', 'changed a', { ...none, changed: 1 }]);
  });

  it('lists rows that are new, in the order of the file', async () => {
    const { changes, counts } = await merge([{ id: 'b' }], [{ id: 'z' }, { id: 'b' }, { id: 'a' }, { id: 'z', v: 2 }]);
    expect([changes, counts]).toEqual(['added z, added a', { ...none, added: 2 }]);
  });

  it('carries over a row where the update did not look', async () => {
    const { carried, counts } = await merge([{ id: 'a' }], []);
    expect([carried, counts]).toEqual(['a', none]);
  });

  it.each([
    ['drop', ''],
    ['keep', 'a'],
  ] as const)('counts a row as gone where the update looked and did not find it (gone: %s)', async (gone, carried) => {
    const merged = await merge([{ id: 'a' }], [], { gone, walks: { a: whole } });
    expect([merged.carried, merged.changes, merged.counts]).toEqual([carried, 'gone a', { ...none, gone: 1 }]);
  });

  it('counts rows with one key once, whether they are found or gone', async () => {
    const twice = [
      { id: 'a', v: 1 },
      { id: 'a', v: 2 },
    ];
    expect((await merge(twice, [{ id: 'a', v: 3 }])).counts).toEqual({ ...none, changed: 1 });
    const { carried, counts } = await merge(twice, [], { walks: { a: whole } });
    expect([carried, counts]).toEqual(['', { ...none, gone: 1 }]);
  });

  it('takes none of the missing rows for gone if they are more than the service counts fewer', async () => {
    const walk = { ...whole, gone: 1 };
    const { carried, changes, counts, forgotten } = await merge([{ id: 'a' }, { id: 'b' }], [], { walks: { a: walk, b: walk } });
    expect([carried, changes, counts, forgotten]).toEqual(['a b', '', { ...none, unfound: 2 }, 1]);
  });

  it('ignores a field that changes by itself', async () => {
    const rows = (seen: number): Row[] => [{ id: 'a', ...{ seen } }];
    expect((await merge(rows(1), rows(2))).changes).toBe('');
  });
});
