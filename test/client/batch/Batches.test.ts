import type { ServerResponse } from 'node:http';
import { firstValueFrom, from, lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expandCursor, fanOut, items, offsetPages } from '../../../operators/index.ts';
import { defineOperation, defineService } from '../../../src/contract/index.ts';
import { createClient } from '../../../src/createClient.ts';
import { readyFanOut } from '../../../src/fanouts/readyFanOut.ts';
import { startServer, type TestServer } from '../startServer.ts';

const videos = defineService({
  name: 'videos',
  operations: {
    search: defineOperation({
      get: '/search',
      params: { q: { type: 'string', required: true } },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
      query: { page: '${page:1}' },
    }),
    videos: defineOperation({
      get: '/videos',
      query: { ids: '${ids:comma}' },
      params: { ids: { type: 'strings', batch: 50, required: true }, part: { type: 'string' } },
      response: { rows: [{ id: 'string', title: 'string' }] },
      rows: 'rows',
      id: 'id',
    }),
    comments: defineOperation({
      get: '/comments',
      query: { of: '${of:comma}', token: '${cursor}' },
      params: { of: { type: 'strings', batch: { size: 5, id: 'video.id' } } },
      response: { rows: [{ id: 'string', video: { id: 'string' } }], next: 'string|null' },
      rows: 'rows',
      id: 'id',
      next: 'next',
    }),
    reviews: defineOperation({
      get: '/reviews',
      query: { of: '${of:comma}', page: '${page:1}' },
      params: { of: { type: 'strings', batch: { size: 5, id: 'video' } } },
      response: { rows: [{ id: 'string', video: 'string' }] },
      rows: 'rows',
      id: 'id',
    }),
  },
  fanOuts: { searchVideos: { call: 'videos', with: { ids: '$.id' }, about: 'each video' } },
});

/** 200 videos in pages of 20. Those that end in 7 don't exist, and each has three comments, two to a page for all that are asked for. */
describe('queries whose ids go in one request', () => {
  let server: TestServer;
  let seen: string[] = [];
  let bad: string | undefined;
  let stray = false;
  let slowMs = 0;

  const answer = (url: URL): object | undefined => {
    const ids = (url.searchParams.get('ids') ?? url.searchParams.get('of') ?? '').split(',');
    if (bad !== undefined && ids.includes(bad)) return undefined;
    if (url.pathname === '/search') {
      const page = Number(url.searchParams.get('page') ?? 1);
      return { rows: page > 10 ? [] : Array.from({ length: 20 }, (_, i) => ({ id: `v${(page - 1) * 20 + i}` })) };
    }
    if (url.pathname === '/videos') {
      const found = ids.filter((id) => !id.endsWith('7')).toReversed();
      return { rows: found.map((id) => ({ id: stray ? id.toUpperCase() : id, title: `Video ${id}` })) };
    }
    if (url.pathname === '/reviews') {
      const from = (Number(url.searchParams.get('page') ?? 1) - 1) * 4;
      return { rows: [0, 1, 2].flatMap((n) => ids.map((id) => ({ id: `${id}-${n}`, video: id }))).slice(from, from + 4) };
    }
    const all = ids.flatMap((id) => [0, 1, 2].map((n) => ({ id: `${id}-${n}`, video: { id } })));
    const [given, at] = (url.searchParams.get('token') ?? `${ids.join('+')}:0`).split(':') as [string, string];
    if (given !== ids.join('+')) return undefined;
    const next = Number(at) + 4;
    return { rows: all.slice(Number(at), next), next: next < all.length ? `${given}:${next}` : null };
  };
  const reply = (response: ServerResponse, body: object | undefined): void => {
    response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: 'no such id' }));
  };

  beforeAll(async () => {
    server = await startServer((request, response) => {
      seen.push(request.url!);
      const body = answer(new URL(request.url!, 'http://videos'));
      if (slowMs === 0) reply(response, body);
      else setTimeout(() => reply(response, body), slowMs);
    });
  });
  beforeEach(() => {
    [seen, bad, stray, slowMs] = [[], undefined, false, 0];
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const open = (options: object = {}) => createClient({ service: videos, baseUrl: server.url, rate: 'unlimited', ...options });
  const sent = (path: string): number => seen.filter((url) => url.startsWith(path)).length;
  const all = Array.from({ length: 200 }, (_, i) => `v${i}`);

  it('are one request for the ids that a page of a fan-out leads to, each row at its parent', async () => {
    slowMs = 5;
    await using client = open();
    const rows = of({ q: 'sea' }).pipe(
      offsetPages(client.search),
      items(),
      fanOut((parent: { readonly id: string }) => fanOutOf(client, parent.id)),
      toArray(),
    );
    const found = await lastValueFrom(rows);
    expect(sent('/videos')).toBe(10);
    expect(
      found.every(({ parent, rows: own }) => own.length === (parent.endsWith('7') ? 0 : 1) && own.every(({ id }) => id === parent)),
    ).toBe(true);
    expect(found.map(({ parent }) => parent).toSorted()).toEqual(all.toSorted());
  });

  const fanOutOf = (client: ReturnType<typeof open>, id: string) =>
    from(firstValueFrom(client.videos({ ids: [id] })).then(({ items: own }) => ({ parent: id, rows: own })));

  it('are made by a ready fan-out, too, which knows the parent', async () => {
    await using client = open();
    const pages$ = of({ q: 'sea' }).pipe(
      offsetPages(client.search),
      items(),
      readyFanOut(videos.fanOuts.searchVideos, client.videos),
      toArray(),
    );
    const pages = await lastValueFrom(pages$);
    expect(sent('/videos')).toBe(10);
    expect(pages).toHaveLength(200);
    for (const { parent, items: own } of pages) {
      const { id } = parent as { readonly id: string };
      expect(own.map((row) => row.id)).toEqual(id.endsWith('7') ? [] : [id]);
    }
  });

  it('go at the end of the turn where no pipe made them', async () => {
    await using client = open();
    const asked = ['v1', 'v2', 'v2', 'v3'].map((id) => firstValueFrom(client.videos({ ids: [id] })));
    const titles = (await Promise.all(asked)).map(({ items: [row] }) => row?.title);
    expect(titles).toEqual(['Video v1', 'Video v2', 'Video v2', 'Video v3']);
    expect(seen).toEqual(['/videos?ids=v1%2Cv2%2Cv3']);
  });

  it('share a request only if nothing else differs', async () => {
    await using client = open();
    await Promise.all([{ ids: ['v1'] }, { ids: ['v2'], part: 'x' }].map((query) => firstValueFrom(client.videos(query))));
    expect(seen).toHaveLength(2);
  });

  it('are sent one by one when they are refused, so that only the bad id fails', async () => {
    bad = 'v13';
    await using client = open();
    const asked = all.slice(0, 50).map((id) => firstValueFrom(client.videos({ ids: [id] })));
    const ends = await Promise.allSettled(asked);
    expect(ends.flatMap(({ status }, i) => (status === 'rejected' ? [`v${i}`] : []))).toEqual(['v13']);
    expect(ends[13]).toMatchObject({ reason: { name: 'HttpError', status: 400, query: { ids: ['v13'] } } });
    expect(seen).toHaveLength(1 + 50);
  });

  it('are sent one by one where a rule says that the response has no rows', async () => {
    bad = 'v3';
    const service = defineService({ ...videos, failures: [{ status: 400, means: 'empty' }] });
    await using client = createClient({ service, baseUrl: server.url, rate: 'unlimited' });
    const pages = await Promise.all(['v1', 'v2', 'v3', 'v4'].map((id) => firstValueFrom(client.videos({ ids: [id] }))));
    expect(pages.map(({ items: rows }) => rows.length)).toEqual([1, 1, 0, 1]);
    expect(seen).toHaveLength(1 + 4);
  });

  it('are walked with the same ids on every page', async () => {
    await using client = open();
    const found = await lastValueFrom(
      from(['a', 'b', 'c', 'd', 'e']).pipe(
        fanOut((id) => of({ of: [id] }).pipe(expandCursor(client.comments), items(), toArray())),
        toArray(),
      ),
    );
    expect(found.map((rows) => rows.map(({ id }) => id).join(' ')).toSorted()).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((id) => [0, 1, 2].map((n) => `${id}-${n}`).join(' ')),
    );
    expect(seen).toHaveLength(4);
  });

  it('are sent alone where no row has an id that was asked for', async () => {
    stray = true;
    await using client = open();
    const asked = ['v1', 'v2', 'v3'].map((id) => firstValueFrom(client.videos({ ids: [id] })));
    expect((await Promise.all(asked)).map(({ items: [row] }) => row?.title)).toEqual(['Video v1', 'Video v2', 'Video v3']);
    expect(seen).toHaveLength(4);
    expect((await firstValueFrom(client.videos({ ids: ['v4'] }))).items).toHaveLength(1);
  });

  it('are dropped when nobody wants them', async () => {
    slowMs = 50;
    await using client = open();
    const first = client.videos({ ids: ['v1'] }).subscribe();
    const kept = firstValueFrom(client.videos({ ids: ['v2'] }));
    first.unsubscribe();
    expect((await kept).items).toHaveLength(1);
    expect(seen).toEqual(['/videos?ids=v2']);
  });

  // The last test: what it cancels may reach the server late.
  it.each([1, 2, 3, 8])('are walked with the same ids on every page, also %i pages at a time', async (lookahead) => {
    slowMs = 5;
    await using client = open();
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const found = await lastValueFrom(
      from(ids).pipe(
        fanOut((id) => of({ of: [id] }).pipe(offsetPages(client.reviews, { lookahead }), items(), toArray())),
        toArray(),
      ),
    );
    expect(found.map((rows) => rows.map(({ id }) => id).join(' ')).toSorted()).toEqual(
      ids.map((id) => [0, 1, 2].map((n) => `${id}-${n}`).join(' ')),
    );
    expect(new Set(seen.map((url) => new URL(url, 'http://videos').searchParams.get('of')))).toEqual(new Set([ids.join(',')]));
  });
});
