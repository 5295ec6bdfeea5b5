import { lastValueFrom } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../../src/flow/index.ts';
import { defineOperation, defineService } from '../../../src/index.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';
import { fakeClient } from '../../../src/testing/index.ts';

const service = defineService({
  name: 'notes',
  operations: {
    notes: defineOperation({
      get: '/notes',
      params: { topic: { type: 'string', required: true }, sort: { type: 'string' } },
      response: { rows: [{ 'id?': 'string|null', text: 'string', 'at?': 'string' }] },
      rows: 'rows',
      id: 'id',
      time: 'at',
      order: { sort: 'new' },
      query: { page: '${page}' },
    }),
  },
});

type Notes = { readonly [topic: string]: readonly object[] };
const byId = { call: 'notes', with: { topic: ['a', 'b'] }, pages: 'all', by: 'id' } as const;

describe('rowKey', () => {
  let fileSystem: MemoryFileSystem;
  beforeEach(() => void (fileSystem = new MemoryFileSystem()));

  /** Two rows a page. */
  async function run(notes: Notes, stage: FlowDefinition['stages'][string], update = false): Promise<FlowSummary> {
    const { client } = fakeClient(service, ({ query }) => {
      const { topic, page = 0 } = query as { readonly topic: string; readonly page?: number };
      return { rows: notes[topic]!.slice(page * 2, page * 2 + 2) };
    });
    const flow: FlowDefinition = { name: 'keys', service, stages: { notes: stage } };
    const summary = (await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem, update }))) as FlowSummary;
    await client.close();
    return summary;
  }
  const texts = (): string[] => {
    const lines = fileSystem.disk.read('/out/notes.jsonl')!.toString().split('\n').filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as { readonly text: string }).text).toSorted();
  };

  const notes: Notes = {
    a: [{ id: '1', text: 'one' }, { id: null, text: 'null' }, { id: '', text: 'empty' }, { text: 'absent' }],
    b: [{ id: '1', text: 'one' }, { text: 'absent' }, { text: 'other' }],
  };

  it.each([
    ['are written as they came', {}],
    ['are picked', { pick: ['text', 'id'] }],
    ['say where they come from', { provenance: true }],
  ])('keeps each row without an id once, where rows %s', async (_, more) => {
    expect((await run(notes, { ...byId, ...more, to: 'notes.jsonl' })).outcome).toBe('complete');
    expect(texts()).toEqual(['absent', 'empty', 'null', 'one', 'other']);
  });

  it('keeps rows without an id in an update that requests only what is new', async () => {
    const stage = { ...byId, with: { topic: 'a' }, by: undefined, since: { lookback: '1h' }, seen: true, to: 'notes.jsonl' } as const;
    const day = (text: string, date: number): object => ({ text, at: `2026-01-${date}T00:00:00Z` });
    const before = [day('seven', 17), day('six', 16), day('five', 15), day('four', 14), day('three', 13), day('two', 12)];
    expect((await run({ a: before }, stage)).outcome).toBe('complete');
    expect(texts()).toHaveLength(6);
    const { requests, changes } = await run({ a: [day('nine', 19), day('eight', 18), ...before] }, stage, true);
    expect(changes).toMatchObject([{ new: 2, changed: 0, gone: 0 }]);
    expect(requests).toBeLessThan(4);
    expect(texts()).toEqual(['eight', 'five', 'four', 'nine', 'seven', 'six', 'three', 'two']);
  });
});
