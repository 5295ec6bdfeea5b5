import { lastValueFrom, of, toArray } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { expandCursor, items } from '../../operators/index.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { failWith, fakeClient as fakeServiceClient, type FakeRequest } from '../../src/testing/fakeClient.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { createClient } from '../../src/createClient.ts';
import { openStore } from '../../src/store/index.ts';
import { startServer } from '../client/startServer.ts';
import { fakeClient, type Asked } from './fakeClient.ts';

const outDir = '/out';
let fileSystem: MemoryFileSystem;
beforeEach(() => void (fileSystem = new MemoryFileSystem()));

describe('a walk that is resumed after each page', () => {
  it('still notices a page that repeats', async () => {
    const flow: FlowDefinition = {
      name: 'repeats',
      stages: { results: { call: 'webSearch', with: { query: 'x' }, pages: 'all', to: 'results.jsonl' } },
    };
    const repeats = ({ query }: Asked): unknown => {
      const page = Math.min(Number(query['page'] ?? 0), 2);
      return { organic_results: [{ position: page, title: `page ${page}`, link: 'https://example.com' }] };
    };
    let requests = 0;
    for (let runs = 1; runs <= 12; runs++) {
      const client = fakeClient(repeats);
      const summary = await lastValueFrom(runFlow(flow, { client, outDir, fileSystem, maxRequests: 1 }));
      requests += client.asked.length;
      if (summary.type === 'summary' && summary.outcome !== 'interrupted') break;
    }
    expect(requests).toBe(4);
    expect(linesOf('/out/results.jsonl')).toHaveLength(3);
  });

  /** A service that counts the pages of a token itself. Of each page, one response at most is lost: `cut` ends the run before it arrives. */
  const scroller = (pages: number) => {
    const walks: number[] = [];
    return (cut?: AbortController, at?: number) =>
      ({ query }: FakeRequest): object => {
        const [, token = walks.push(0)] = /(\d+)/.exec(String(query['next'])) ?? [];
        const page = walks[Number(token) - 1]!++;
        if (page === at) cut!.abort();
        return { photos: page < pages ? [{ image: `p${page}` }] : [], next: `scroll ${token}` };
      };
  };

  describe.each(['with ids', 'without ids'])('whose pages the service counts, rows %s', (ids) => {
    const service = albumWith({ repeats: true }, ids === 'with ids' ? { id: 'image' } : {});

    it.each([2, 3, 4])('loses no page of %i, and takes none twice, though two runs were killed', async (pages) => {
      const served = scroller(pages);
      for (const at of [1, 2]) {
        const stop = new AbortController();
        const { client } = fakeServiceClient(service, served(stop, at));
        await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem, signal: stop.signal }));
      }
      const { client, requests } = fakeServiceClient(service, served());
      expect(await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem }))).toMatchObject({ outcome: 'complete' });
      expect(imagesIn(outDir)).toEqual(Array.from({ length: pages }, (_, page) => `p${page}`));
      expect(requests.map(({ query }) => query['next'] === undefined)).toEqual([true, ...Array.from({ length: pages }, () => false)]);
    });

    it('takes its pages from a store only where nothing can be requested', async () => {
      const served = scroller(3);
      let requests = 0;
      await using server = await startServer((request, response) => {
        requests += 1;
        const next = new URL(request.url!, 'http://album').searchParams.get('next') ?? undefined;
        response.end(JSON.stringify(served()({ query: { next } } as never)));
      });
      const run = async (folder: string, mode: 'reuse' | 'replay'): Promise<void> => {
        await using store = openStore('/store', { fileSystem, mode });
        await using client = createClient({ service, baseUrl: server.url, rate: 'unlimited', store });
        await lastValueFrom(runFlow(scroll, { client, outDir: `/${folder}`, fileSystem }));
        expect(imagesIn(`/${folder}`)).toEqual(['p0', 'p1', 'p2']);
      };
      await run('first', 'reuse');
      await run('second', 'reuse');
      expect(requests).toBe(8);
      await run('third', 'replay');
      expect(requests).toBe(8);
    });
  });

  it('fails with its rows so far, and says what to declare, where nothing says that the service counts', async () => {
    const { client } = fakeServiceClient(album, scroller(4)());
    const summary = await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem }));
    expect(summary).toMatchObject({ stages: [{ failed: 1, rows: 2 }] });
    expect(linesOf('/out/failures.jsonl').join()).toContain('say repeats: true in its paging');
  });

  it.each([2, 3])('requests no page again of six walks of %i pages whose tokens are of one page each', async (pages) => {
    const stop = new AbortController();
    const naming =
      (cut?: AbortController) =>
      ({ query }: FakeRequest): object => {
        const page = Number(/\d+/.exec(String(query['next'] ?? '0'))![0]);
        if (page === 1) cut?.abort(); // all others wait for their second page
        const id = String(query['of']);
        return { photos: [{ image: `${id}${page}` }], ...(page < pages - 1 && { next: `${id} ${page + 1}` }) };
      };
    const many: FlowDefinition = {
      name: 'many',
      stages: { photos: { call: 'photos', with: { of: 'abcdef'.split('') }, pages: 'all', to: 'photos.jsonl' } },
    };
    const cut = { client: fakeServiceClient(album, naming(stop)).client, outDir, fileSystem, concurrency: 6, signal: stop.signal };
    expect(await lastValueFrom(runFlow(many, cut))).toMatchObject({ stages: [{ pages: 6, rows: 6 }] });
    const { client, requests } = fakeServiceClient(album, naming());
    await lastValueFrom(runFlow(many, { client, outDir, fileSystem, concurrency: 6 }));
    expect(imagesIn(outDir)).toHaveLength(6 * pages);
    expect(requests).toHaveLength(6 * (pages - 1));
  });
});

describe('a recheck that is refused', () => {
  /** A scroll whose token is gone once its last page is sent. `pages` of ten rows. */
  const scrolling = (pages: number) => {
    let sent = 0;
    return (): object => {
      const page = sent++;
      if (page >= pages) throw failWith(404);
      const photos = Array.from({ length: 10 }, (_, nth) => ({ image: `${page}-${nth}` }));
      return { photos, ...(page < pages - 1 && { next: 'scroll' }) };
    };
  };

  it('leaves the walk as it was, with all of its rows, in a flow', async () => {
    const { client, requests } = fakeServiceClient(album, scrolling(2));
    const summary = await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem }));
    expect(summary).toMatchObject({ outcome: 'complete', stages: [{ rows: 20, failed: 0, fullEnds: 1 }] });
    expect([imagesIn(outDir).length, requests.length]).toEqual([20, 3]);
  });

  it('does so after the flow was stopped before it', async () => {
    const service = scrolling(2);
    await lastValueFrom(runFlow(scroll, { client: fakeServiceClient(album, service).client, outDir, fileSystem, maxRequests: 2 }));
    const { client, requests } = fakeServiceClient(album, service);
    const summary = await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem }));
    expect(summary).toMatchObject({ outcome: 'complete', stages: [{ rows: 20, failed: 0 }] });
    expect([imagesIn(outDir).length, requests.length]).toEqual([20, 1]);
  });

  it('does so in a pipe, and says that the end is not confirmed', async () => {
    const { client, requests } = fakeServiceClient(album, scrolling(2));
    const events: string[] = [];
    client.events$.subscribe(({ type }) => events.push(type));
    const rows = await lastValueFrom(of({ of: 'x' }).pipe(expandCursor(client.photos), items(), toArray()));
    expect([rows.length, requests.length, events.includes('fullEnd')]).toEqual([20, 3, true]);
  });

  it.each(['pipe', 'flow'])('leaves a store with all pages, for a replay of the %s', async (way) => {
    let requests = 0;
    const page = (nth: number): object => ({
      photos: Array.from({ length: 10 }, (_, row) => ({ image: `${nth}-${row}` })),
      ...(nth === 1 && { next: '2' }),
    });
    await using server = await startServer((_, response) => {
      const nth = ++requests;
      response.writeHead(nth > 2 ? 404 : 200).end(JSON.stringify(page(nth)));
    });
    const rowsOf = async (mode: 'reuse' | 'replay'): Promise<number> => {
      await using client = createClient({ service: album, baseUrl: server.url, store: openStore('/store', { mode, fileSystem }) });
      if (way === 'pipe') return (await lastValueFrom(of({ of: 'x' }).pipe(expandCursor(client.photos), items(), toArray()))).length;
      const folder = `/${mode}`;
      await lastValueFrom(runFlow(scroll, { client, outDir: folder, fileSystem }));
      return imagesIn(folder).length;
    };
    expect([await rowsOf('reuse'), requests]).toEqual([20, 3]);
    expect([await rowsOf('replay'), requests]).toEqual([20, 3]);
  });

  it('fails the walk where rows are missing: an empty page led on', async () => {
    let sent = 0;
    const { client } = fakeServiceClient(album, () => {
      if (++sent === 3) throw failWith(404);
      return sent === 1 ? { photos: [{ image: 'a' }], next: '1' } : { photos: [], next: '2' };
    });
    await expect(lastValueFrom(of({ of: 'x' }).pipe(expandCursor(client.photos)))).rejects.toThrow('404');
  });
});

const albumWith = (paging: { readonly repeats?: true }, more: { readonly id?: 'image' } = {}) =>
  defineService({
    name: 'album',
    operations: {
      photos: defineOperation({
        get: '/photos',
        params: { of: { type: 'string', required: true }, next: { type: 'string' } },
        response: { photos: [{ image: 'string' }], 'next?': 'string' },
        rows: 'photos',
        query: { next: '${cursor}' },
        next: 'next',
        ...paging,
        ...more,
      }),
    },
  });
const album = albumWith({});

const scroll: FlowDefinition = {
  name: 'scroll',
  stages: { photos: { call: 'photos', with: { of: 'x' }, pages: 'all', to: 'photos.jsonl' } },
};

function linesOf(path: string): string[] {
  return fileSystem.disk.read(path)!.toString().trim().split('\n');
}

function imagesIn(folder: string): string[] {
  return linesOf(`${folder}/photos.jsonl`).map((row) => (JSON.parse(row) as { readonly image: string }).image);
}
