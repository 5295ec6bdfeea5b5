import { lastValueFrom, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../../src/flow/index.ts';
import { HttpError } from '../../../src/errors/index.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';
import { fakeClient, type Asked } from '../fakeClient.ts';
import type { RowDestination } from '../../../src/sinks/index.ts';
import { memoryDestination, type MemoryDestination } from './memoryDestination.ts';

const [places, pages, rows, lastRows] = [40, 5, 20, 3];
const flow: FlowDefinition = {
  name: 'slow',
  stages: {
    reviews: {
      call: 'mapsReviews',
      with: { data_id: Array.from({ length: places }, (_, nth) => `p${nth}`) },
      pages: 'all',
      to: ['reviews.jsonl', 'memory:reviews'],
    },
  },
};
const requests = places * pages;

function respond({ query }: Asked): unknown {
  const page = Number(query['next_page_token'] ?? 0);
  const count = page + 1 < pages ? rows : lastRows; // a last page that is full would be looked at twice
  const reviews = Array.from({ length: count }, (_, row) => ({
    review_id: `${query['data_id']}/${page}/${row}`,
    snippet: 'x'.repeat(100),
  }));
  return { reviews_results: reviews, next_page_token: page + 1 < pages ? String(page + 1) : null };
}

describe('a run whose destination is slow', () => {
  const start = (
    fileSystem: MemoryFileSystem,
    destination: MemoryDestination,
    options: Partial<RunFlowOptions> = {},
    mode: 'merge' | 'replace' = 'merge',
    answer = respond,
  ) => {
    const client = fakeClient(answer);
    const events: FlowProgress[] = [];
    const progress$ = runFlow(
      { ...flow, stages: { reviews: { ...flow.stages['reviews']!, mode, onError: 'fail' } } },
      {
        client,
        outDir: '/out',
        fileSystem,
        destinations: { memory: destination },
        concurrency: 4,
        commitMs: 0,
        ...options,
      },
    );
    const done = lastValueFrom(progress$.pipe(tap((event) => events.push(event)))).then((last) => last as FlowSummary);
    return { client, done, events };
  };
  const loaded = ({ tables }: MemoryDestination): string[] => [...(tables.get('reviews') ?? [])].sort();
  const onDisk = ({ disk }: MemoryFileSystem): string[] =>
    String(disk.read('/out/reviews.jsonl') ?? disk.read('/out/reviews.jsonl.part'))
      .trimEnd()
      .split('\n')
      .sort();

  it('requests everything before a row is loaded, and then loads every row once', async () => {
    const [fileSystem, destination] = [new MemoryFileSystem(), memoryDestination()];
    destination.hold();
    const { client, done } = start(fileSystem, destination);
    await until(() => client.asked.length === requests && client.stats().inFlight === 0);
    await until(() => onDisk(fileSystem).length === places * ((pages - 1) * rows + lastRows));
    expect(loaded(destination)).toEqual([]);
    destination.letGo();
    expect(await done).toMatchObject({ outcome: 'complete', requests });
    expect(loaded(destination)).toEqual(onDisk(fileSystem));
  });

  it.each([
    ['stopped', false],
    ['stopped, and one destination is away', true],
  ])('loads what it has when it is %s, and the same command loads the rest once', async (_, isAway) => {
    const [fileSystem, destination] = [new MemoryFileSystem(), memoryDestination()];
    const stop = new AbortController();
    let began = 0;
    destination.before = () => (began += 1);
    if (isAway) destination.fates.push(...Array.from({ length: 1000 }, () => 'failed' as const));
    const first = start(fileSystem, destination, { signal: stop.signal, loadWaitMs: 600_000 });
    await until(() => first.client.asked.length > requests / 4);
    expect(began).toBe(0); // nothing is loaded while the crawl goes on
    stop.abort();
    expect(await first.done).toMatchObject({ outcome: 'interrupted', because: 'it was stopped' });
    expect(first.client.asked.length).toBeLessThan(requests);
    expect(loaded(destination)).toEqual(isAway ? [] : onDisk(fileSystem));
    destination.fates.length = 0;
    const second = start(fileSystem, destination);
    expect((await second.done).outcome).toBe('complete');
    expect(loaded(destination)).toEqual(onDisk(fileSystem));
  });

  it('loads what it has when it fails', async () => {
    const [fileSystem, destination] = [new MemoryFileSystem(), memoryDestination()];
    const first = start(fileSystem, destination, {}, 'merge', (asked) => {
      if (asked.query['data_id'] === 'p20') throw new HttpError('no', { status: 404 });
      return respond(asked);
    });
    await expect(first.done).rejects.toThrow('no');
    expect(loaded(destination).length).toBeGreaterThan(rows);
    expect(loaded(destination)).toEqual(onDisk(fileSystem));
  });

  it('is interrupted when it is stopped while rows are loaded, and the same command loads the rest', async () => {
    const [fileSystem, destination] = [new MemoryFileSystem(), memoryDestination()];
    const stop = new AbortController();
    destination.hold();
    const first = start(fileSystem, destination, { signal: stop.signal });
    await until(() => first.client.asked.length === requests && first.client.stats().inFlight === 0);
    await until(() => onDisk(fileSystem).length === places * ((pages - 1) * rows + lastRows));
    stop.abort();
    expect(await first.done).toMatchObject({ outcome: 'interrupted', because: 'it was stopped' });
    expect(fileSystem.disk.read('/out/datapackage.json')).toBeUndefined();
    destination.letGo();
    expect((await start(fileSystem, destination).done).outcome).toBe('complete');
    expect(loaded(destination)).toEqual(onDisk(fileSystem));
  });

  it('is interrupted when it is stopped while a new table is put in its place', async () => {
    const [fileSystem, destination] = [new MemoryFileSystem(), memoryDestination()];
    const stop = new AbortController();
    const stuck: RowDestination = {
      async open(table) {
        const session = await destination.open(table);
        return { ...session, finish: () => new Promise<void>(() => stop.abort()) };
      },
    };
    const first = start(fileSystem, destination, { signal: stop.signal, destinations: { memory: stuck } }, 'replace');
    expect(await first.done).toMatchObject({ outcome: 'interrupted', because: 'it was stopped' });
    expect((await start(fileSystem, destination, {}, 'replace').done).outcome).toBe('complete');
    expect(loaded(destination)).toEqual(onDisk(fileSystem));
  });

  it('gives up after a while at its end, and the same command loads the rest and requests nothing twice', async () => {
    const [fileSystem, destination] = [new MemoryFileSystem(), memoryDestination()];
    destination.hold();
    const first = start(fileSystem, destination, { loadWaitMs: 300 });
    expect(await first.done).toMatchObject({
      outcome: 'interrupted',
      because: expect.stringMatching(/^rows wait for memory:reviews, which takes nothing\. .* Running it again loads the rest/) as string,
    });
    expect(loaded(destination)).toEqual([]);
    expect(first.client.asked.length).toBe(requests);
    destination.letGo();
    const second = start(fileSystem, destination);
    expect((await second.done).outcome).toBe('complete');
    expect(first.client.asked.length + second.client.asked.length).toBe(requests);
    expect(loaded(destination)).toEqual(onDisk(fileSystem));
  });
});

async function until(isSo: () => boolean): Promise<void> {
  const from = performance.now();
  while (!isSo() && performance.now() - from < 30_000) await new Promise((resolve) => setTimeout(resolve, 2));
}
