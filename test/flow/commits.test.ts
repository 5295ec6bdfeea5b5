import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { searchService } from '../../src/search/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient } from '../../src/testing/index.ts';

const linesOf = (disk: MemoryDisk, file: string): string[] => disk.read(`/out/${file}`)!.toString().trim().split('\n');

describe('pages of a flow', () => {
  it.each([3, 7])('are noted at once, so a walk that is killed at its request %i costs that request only', async (fatal) => {
    const disk = new MemoryDisk();
    let requests = 0;
    let killed: MemoryDisk | undefined;
    const { client } = fakeClient(searchService, ({ query }) => {
      if (++requests === fatal) killed = disk.copy(); // as it is for who comes after a process that was killed
      const page = Number(query['next_page_token'] ?? 1);
      const rows = Array.from({ length: page < 10 ? 2 : 1 }, (_, row) => ({ review_id: `${page}-${row}` }));
      return { reviews_results: rows, ...(page < 10 && { next_page_token: String(page + 1) }) };
    });
    const stages = { reviews: { call: 'mapsReviews', with: { data_id: 'a' }, pages: 'all', to: 'reviews.jsonl' } } as const;
    const run = (on: MemoryDisk): Promise<unknown> => {
      const fileSystem = new MemoryFileSystem(on);
      return lastValueFrom(runFlow({ name: 'killed', stages }, { client, outDir: '/out', fileSystem, commitMs: 60_000 }));
    };
    await run(disk);
    expect(requests).toBe(10);
    await run(killed!);
    expect(requests).toBe(10 + 10 - (fatal - 1));
    expect(new Set(linesOf(killed!, 'reviews.jsonl')).size).toBe(19);
  });

  it('wait in memory until the columns of a CSV file are found in several pages', async () => {
    const service = defineService({
      name: 'odd',
      operations: {
        rows: defineOperation({
          get: '/rows',
          response: { rows: 'array' },
          rows: 'rows',
          query: { page: '${page:1}' },
        }),
      },
    });
    const page = (nth: number): object => ({ rows: nth > 3 ? [] : [{ id: nth, [`only${nth}`]: 'a' }] });
    const { client } = fakeClient(service, ({ query }) => page(Number(query['page'] ?? 1)), { latencyMs: 5 });
    const flow: FlowDefinition = { name: 'odd', stages: { rows: { call: 'rows', pages: 'all', to: 'rows.csv' } } };
    const disk = new MemoryDisk();
    await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk), commitMs: 60_000 }));
    expect(linesOf(disk, 'rows.csv')).toEqual(['id,only1,only2,only3,_extra', '1,a,,,', '2,,a,,', '3,,,a,']);
  });
});
