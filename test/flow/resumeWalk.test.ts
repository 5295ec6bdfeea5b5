import { lastValueFrom, of, toArray } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { expandCursor, items } from '../../operators/index.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { failWith, fakeClient as fakeServiceClient, type FakeRequest } from '../../src/testing/fakeClient.ts';
import { MemoryFileSystem } from '../../src/testing/index.ts';
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

  it('continues in one direction only', async () => {
    const flow: FlowDefinition = {
      name: 'people',
      stages: { people: { call: 'scholarProfiles', with: { mauthors: 'x', before_author: 'start' }, pages: 'all', to: 'people.jsonl' } },
    };
    const asked: Asked[] = [];
    for (let runs = 0; runs < 4; runs++) {
      const client = fakeClient(({ query }) => {
        const page = Number(query['after_author'] ?? 0);
        return { profiles: [{ author_id: String(page) }], pagination: page < 2 ? { next_page_token: String(page + 1) } : {} };
      });
      await lastValueFrom(runFlow(flow, { client, outDir, fileSystem, maxRequests: 1 }));
      asked.push(...client.asked);
    }
    expect(asked.map(({ query }) => query)).toEqual([
      { mauthors: 'x', before_author: 'start' },
      { mauthors: 'x', after_author: '1' },
      { mauthors: 'x', after_author: '2' },
    ]);
  });

  it.each([2, 3, 4])(
    'loses no page of %i whose token stays the same, though the service counted a request that was cut off',
    async (pages) => {
      const flow: FlowDefinition = {
        name: 'scroll',
        stages: { photos: { call: 'mapsPhotos', with: { data_id: 'x' }, pages: 'all', to: 'photos.jsonl' } },
      };
      const walks: number[] = [];
      const stop = new AbortController();
      const scroll = ({ query }: Asked): unknown => {
        const [, token = walks.push(0)] = /(\d+)/.exec(String(query['next_page_token'])) ?? [];
        const page = walks[Number(token) - 1]!++;
        if (walks.length === 1 && page === 1) stop.abort(); // its response never arrives
        const photos = page < pages ? [{ image: `p${page}` }] : [];
        return { photos, pagination: { next_page_token: `scroll ${token}` } };
      };
      await lastValueFrom(runFlow(flow, { client: fakeClient(scroll), outDir, fileSystem, signal: stop.signal }));
      const client = fakeClient(scroll);
      await lastValueFrom(runFlow(flow, { client, outDir, fileSystem }));
      expect(imagesIn(outDir)).toEqual(Array.from({ length: pages }, (_, page) => `p${page}`));
      // One page tells that its token stays. The walk that begins anew ends with an empty page.
      expect(client.asked).toHaveLength(1 + pages + 1);
    },
  );

  /** A service that counts the pages of a token itself, and leaves the token out in the end. The second request is cut off. */
  const counting = (pages: number, cut: AbortController) => {
    const walks: number[] = [];
    return ({ query }: FakeRequest): object => {
      const [, token = walks.push(0)] = /(\d+)/.exec(String(query['next'])) ?? [];
      const page = walks[Number(token) - 1]!++;
      if (walks.length === 1 && page === 1) cut.abort(); // its response never arrives
      if (page >= pages) throw failWith(404);
      return { photos: [{ image: `p${page}` }], ...(page < pages - 1 && { next: `scroll ${token}` }) };
    };
  };

  it.each([
    [2, 1],
    [3, 2], // the last page is requested twice, because that is what a service does that doesn't count
    [4, 1],
  ])('loses no page of %i whose token stays the same and is left out in the end, by requests more: %i', async (pages, more) => {
    const stop = new AbortController();
    const service = counting(pages, stop);
    await lastValueFrom(runFlow(scroll, { client: fakeServiceClient(album, service).client, outDir, fileSystem, signal: stop.signal }));
    const { client, requests } = fakeServiceClient(album, service);
    const summary = await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem }));
    expect(summary).toMatchObject({ outcome: 'complete' });
    expect(imagesIn(outDir)).toEqual(Array.from({ length: pages }, (_, page) => `p${page}`));
    expect(requests).toHaveLength(pages + more);
  });

  it('loses no page of such a service where the first one comes from a store, and requests none that are all there', async () => {
    const walks: number[] = [];
    let requests = 0;
    const stop = new AbortController();
    await using server = await startServer((request, response) => {
      requests += 1;
      const [, token = walks.push(0)] = /next=scroll\D*(\d+)/.exec(request.url!) ?? [];
      const page = walks[Number(token) - 1]!++;
      if (walks.length === 1 && page === 1) return stop.abort(); // its response never arrives
      response.end(JSON.stringify({ photos: page < 4 ? [{ image: `p${page}` }] : [], ...(page < 4 && { next: `scroll ${token}` }) }));
    });
    const run = async (folder: string, signal?: AbortSignal): Promise<void> => {
      await using store = openStore('/store', { fileSystem });
      await using client = createClient({ service: album, baseUrl: server.url, rate: 'unlimited', store });
      await lastValueFrom(runFlow(scroll, { client, outDir: `/${folder}`, fileSystem, signal }));
    };
    await run('first', stop.signal);
    await run('second');
    expect(imagesIn('/second')).toEqual(['p0', 'p1', 'p2', 'p3']);
    const paid = requests;
    await run('third');
    expect(imagesIn('/third')).toEqual(['p0', 'p1', 'p2', 'p3']);
    expect(requests).toBe(paid);
  });

  /** A service whose tokens name a page each. */
  const naming =
    (pages: number, cut?: AbortController) =>
    ({ query }: FakeRequest): object => {
      const page = Number(
        String(query['next'] ?? '0')
          .split(' ')
          .at(-1),
      );
      if (page === 1) cut?.abort(); // all others wait for their second page
      const id = String(query['of']);
      return { photos: [{ image: `${id}${page}` }], ...(page < pages - 1 && { next: `${id} ${page + 1}` }) };
    };
  const many: FlowDefinition = {
    name: 'many',
    stages: { photos: { call: 'photos', with: { of: 'abcdef'.split('') }, pages: 'all', to: 'photos.jsonl' } },
  };
  const imagesOf = (pages: number): string[] =>
    'abcdef'.split('').flatMap((id) => Array.from({ length: pages }, (_, page) => `${id}${page}`));

  it.each([
    [2, 1],
    [3, 0],
  ])('sends few requests more where six walks of %i pages are taken up, and each token is of one page: %i', async (pages, more) => {
    const stop = new AbortController();
    const cut = runFlow(many, {
      client: fakeServiceClient(album, naming(pages, stop)).client,
      outDir,
      fileSystem,
      concurrency: 6,
      signal: stop.signal,
    });
    expect(await lastValueFrom(cut)).toMatchObject({ stages: [{ pages: 6, rows: 6 }] });
    const { client, requests } = fakeServiceClient(album, naming(pages));
    await lastValueFrom(runFlow(many, { client, outDir, fileSystem, concurrency: 6 }));
    expect(imagesIn(outDir).toSorted()).toEqual(imagesOf(pages));
    expect(requests.length - 6 * (pages - 1)).toBe(more);
  });

  it('requests a last page twice at most, though it is full', async () => {
    const stop = new AbortController();
    const full =
      (cut?: AbortController) =>
      ({ query }: FakeRequest): object => {
        const page = Number(query['next'] ?? 0);
        if (page === 1) cut?.abort();
        const photos = Array.from({ length: 10 }, (_, nth) => ({ image: `${page}-${nth}` }));
        return { photos, ...(page === 0 && { next: '1' }) };
      };
    await lastValueFrom(runFlow(scroll, { client: fakeServiceClient(album, full(stop)).client, outDir, fileSystem, signal: stop.signal }));
    const { client, requests } = fakeServiceClient(album, full());
    const summary = await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem }));
    expect(summary).toMatchObject({ outcome: 'complete', stages: [{ rows: 20 }] });
    expect(JSON.stringify(summary)).not.toContain('unconfirmed');
    expect(requests.map(({ query }) => query['next'])).toEqual(['1', '1']);
  });

  it.each([2, 3])('sends no request more where runs of one request end by their budget, and walks have %i pages', async (pages) => {
    const { client, requests } = fakeServiceClient(album, naming(pages));
    for (let runs = 1; runs <= 6 * pages; runs++) await lastValueFrom(runFlow(many, { client, outDir, fileSystem, maxRequests: 1 }));
    expect(imagesIn(outDir).toSorted()).toEqual(imagesOf(pages));
    expect(requests).toHaveLength(6 * pages);
  });

  it('starts a walk over that ends with an empty page, because a service that counts has no other after its last', async () => {
    const stop = new AbortController();
    const walks: number[] = [];
    const service =
      (cut?: AbortController) =>
      ({ query }: FakeRequest): object => {
        const next = query['next'] === undefined ? walks.push(0) : Number(query['next']);
        const page = walks[next - 1]!++;
        if (page === 1) cut?.abort();
        return { photos: page < 2 ? [{ image: `p${page}` }] : [], ...(page < 1 && { next: String(next) }) };
      };
    await lastValueFrom(
      runFlow(scroll, { client: fakeServiceClient(album, service(stop)).client, outDir, fileSystem, signal: stop.signal }),
    );
    const { client, requests } = fakeServiceClient(album, service());
    await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem }));
    expect([imagesIn(outDir), requests.length]).toEqual([['p0', 'p1'], 3]);
  });

  it('rechecks a last page whose recheck was cut off, and nothing before it', async () => {
    const stop = new AbortController();
    let last = 0;
    const full =
      (cut?: AbortController) =>
      ({ query }: FakeRequest): object => {
        if (query['next'] === '1' && ++last === 2) cut?.abort();
        const photos = Array.from({ length: 10 }, (_, nth) => ({ image: `${String(query['next'])}-${nth}` }));
        return { photos, ...(query['next'] === undefined && { next: '1' }) };
      };
    await lastValueFrom(runFlow(scroll, { client: fakeServiceClient(album, full(stop)).client, outDir, fileSystem, signal: stop.signal }));
    const { client, requests } = fakeServiceClient(album, full());
    const summary = await lastValueFrom(runFlow(scroll, { client, outDir, fileSystem }));
    expect(summary).toMatchObject({ outcome: 'complete', stages: [{ rows: 20 }] });
    expect(requests.map(({ query }) => query['next'])).toEqual(['1']);
  });

  it('starts walks over, each with one request more, once one of them shows that the service counts', async () => {
    const stop = new AbortController();
    const walks = new Map<string, number>();
    const service =
      (pages: number, cut?: AbortController) =>
      ({ query }: FakeRequest): object => {
        const id = String(query['of']);
        const page = query['next'] === undefined ? 0 : walks.get(id)! + 1;
        walks.set(id, page);
        if (page === 1) cut?.abort();
        return { photos: [{ image: `${id}${page}` }], ...(page < pages - 1 && { next: id }) };
      };
    await lastValueFrom(
      runFlow(many, { client: fakeServiceClient(album, service(5, stop)).client, outDir, fileSystem, concurrency: 6, signal: stop.signal }),
    );
    const { client, requests } = fakeServiceClient(album, service(5));
    await lastValueFrom(runFlow(many, { client, outDir, fileSystem, concurrency: 6 }));
    expect(imagesIn(outDir).toSorted()).toEqual(imagesOf(5));
    expect(requests).toHaveLength(6 * 5 + 1);
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
    expect(summary).toMatchObject({ outcome: 'complete', stages: [{ rows: 20, failed: 0, unconfirmed: 1 }] });
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
    expect([rows.length, requests.length, events.includes('unconfirmed')]).toEqual([20, 3, true]);
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

const album = defineService({
  name: 'album',
  operations: {
    photos: defineOperation({
      path: '/photos',
      params: { of: { type: 'string', required: true }, next: { type: 'string' } },
      response: { photos: [{ image: 'string' }], 'next?': 'string' },
      list: 'photos',
      paging: { kind: 'cursor', param: 'next', at: ['next'] },
    }),
  },
});

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
