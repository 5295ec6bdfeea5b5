import { from, lastValueFrom, of, toArray, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { DriftError } from '../../src/errors/index.ts';
import { expandCursor, hotelDetails, items, offsetPages, placeReviews } from '../../src/operators.ts';
import { envelope, reply, startServer } from './startServer.ts';
import { errorOf, eventsOf, testClient } from './testClient.ts';

const stay = { query: 'Oslo', check_in_date: '2030-05-01', check_out_date: '2030-05-04' };
const suggestions = { suggestions: [{ value: 'a', relevance: 1, type: 'QUERY' }], verbatim_relevance: 1 };

describe('a half-documented service', () => {
  it('is walked to its end in spite of unusable rows', async () => {
    const pages = [20, 19, 20].map((count, page) => Array.from({ length: count }, (_, i) => (i === 3 ? 5 : { data_id: `${page}-${i}` })));
    await using server = await startServer((request, response) => {
      const at = Number(new URL(request.url!, server.url).searchParams.get('page') ?? 0) / 20;
      reply(response, { search_results: pages[at] ?? [] });
    });
    await using client = testClient(server.url);
    const rows = await lastValueFrom(of({ query: 'x', ll: '@1,2,14z' }).pipe(offsetPages(client.mapsSearch), items(), toArray()));
    expect(rows).toHaveLength(56);
    expect(client.stats().requests).toBe(5); // the last page was full, so the empty one is requested again
  });

  it('counts all sellers received, skipped ones included', async () => {
    const offsets: (string | null)[] = [];
    await using server = await startServer((request, response) => {
      const sori = new URL(request.url!, server.url).searchParams.get('sori');
      offsets.push(sori);
      reply(response, { stores: sori === null ? [{ name: 'a' }, 'bad', { name: 'c' }] : [] });
    });
    await using client = testClient(server.url, { maxDriftShare: 1 });
    await lastValueFrom(of({ page_token: 't' }).pipe(offsetPages(client.immersiveProduct)));
    expect(offsets).toEqual([null, '3']);
  });

  it.each([
    ['the same advertised hotels on every page', () => [{ title: 'ad' }]],
    ['advertised hotels on the first page only', (page: number) => (page === 0 ? [{ title: 'ad' }] : [])],
    ['no advertised hotels at all', () => undefined],
  ])('walks hotels by their tokens with %s', async (_, ads) => {
    await using server = await startServer((request, response) => {
      const page = Number(new URL(request.url!, server.url).searchParams.get('next_page_token') ?? 0);
      const list = ads(page);
      reply(response, {
        ...(list && { ads: list }),
        properties: [{ name: `p${page}` }],
        ...(page < 5 ? { next_page_token: String(page + 1) } : {}),
      });
    });
    await using client = testClient(server.url);
    const pages = await lastValueFrom(of(stay).pipe(expandCursor(client.hotelSearch), toArray()));
    expect(pages).toHaveLength(6);
  });

  it.each([
    ['the same hotels', { ads: [{ title: 'ad' }], properties: [{ name: 'Inn' }] }, 'brings the rows of one before it again', 2],
    ['the same hotels that are not advertised', { properties: [{ name: 'Inn' }] }, 'brings the rows of one before it again', 2],
    ['no list', { search: { city: 'Oslo' } }, '3 empty pages in a row', 3],
    ['empty lists', { ads: [], properties: [] }, '3 empty pages in a row', 3],
  ])('ends a walk of hotels whose tokens never end, with %s on every page', async (_, data, message, requests) => {
    await using server = await startServer((request, response) => {
      const page = Number(new URL(request.url!, server.url).searchParams.get('next_page_token') ?? 0);
      reply(response, { ...data, next_page_token: String(page + 1) });
    });
    await using client = testClient(server.url);
    const error = await errorOf(of(stay).pipe(expandCursor(client.hotelSearch, { maxPages: 20 })));
    expect([error, client.stats().requests]).toEqual([
      expect.objectContaining({ name: 'PaginationError', message: expect.stringContaining(message) }),
      requests,
    ]);
  });

  it('confirms the end of a walk of hotels after a full list of advertised ones', async () => {
    await using server = await startServer((request, response) => {
      const isFirst = new URL(request.url!, server.url).searchParams.get('next_page_token') === null;
      const ads = Array.from({ length: isFirst ? 10 : 0 }, (_, ad) => ({ title: `ad ${ad}` }));
      reply(response, { ads, properties: [{ name: isFirst ? 'Inn' : 'Hotel' }], ...(isFirst ? { next_page_token: '1' } : {}) });
    });
    await using client = testClient(server.url);
    expect(await lastValueFrom(of(stay).pipe(expandCursor(client.hotelSearch), toArray()))).toHaveLength(2);
  });

  it('gives the details of a property in a shape of their own, which is not checked', async () => {
    await using server = await startServer((_, response) => reply(response, { name: 'Inn', rooms: 5 }));
    await using client = testClient(server.url, { validate: 'strict' });
    const details$ = from([{ property_token: 't', name: 'Inn' }]).pipe(hotelDetails(client, { with: stay }), items(), toArray());
    expect(await lastValueFrom(details$)).toEqual([{ name: 'Inn', rooms: 5 }]);
  });

  it.each(['webSearch', 'mobileSearch'] as const)('does not check the rows of %s, which are not documented', async (name) => {
    await using server = await startServer((_, response) => reply(response, { organic_results: [{ title: 5, rank: 'first' }, 'text'] }));
    await using client = testClient(server.url);
    const events = eventsOf(client);
    const page$: Observable<{ readonly items: readonly unknown[] }> = client[name]({ query: 'x' });
    const { items: rows } = await lastValueFrom(page$);
    expect(rows).toHaveLength(2);
    expect(events.flatMap((event) => (event.type === 'drift' ? event.issues.map(({ path }) => path) : []))).not.toContainEqual(
      expect.stringContaining('organic'),
    );
  });

  it('takes text blocks of another type, and an overview address that is no URL', async () => {
    const blocks = [
      { type: 'table', rows: [] },
      { type: 'paragraph', snippet: 's', snippet_highlighted_words: [] },
    ];
    await using server = await startServer((_, response) => reply(response, { ai_overview: { text_blocks: blocks, references: [] } }));
    await using client = testClient(server.url, { validate: 'strict' });
    expect((await lastValueFrom(client.aiOverview({ url: 'a token' }))).data.ai_overview.text_blocks).toEqual(blocks);
  });

  it('says a drift once and then counts it', async () => {
    await using server = await startServer((_, response) => reply(response, { suggestions: [] }));
    await using client = testClient(server.url);
    const events = eventsOf(client);
    for (let i = 0; i < 50; i++) await lastValueFrom(client.autocomplete({ query: 'x' }));
    expect(events.filter(({ type }) => type === 'drift')).toHaveLength(1);
    expect(client.drift()).toMatchObject([{ operation: 'autocomplete', path: 'verbatim_relevance', responses: 20, looked: 20 }]);
  });

  it('keeps what the envelope has beside the data', async () => {
    await using server = await startServer((_, response) => response.end(envelope(suggestions, { html: '<p>', credits: 7 })));
    await using client = testClient(server.url);
    const page = await lastValueFrom(client.autocomplete({ query: 'x' }));
    expect(page.beside).toEqual({ html: '<p>', credits: 7 });
    expect(JSON.parse(JSON.stringify(page))).toMatchObject({ beside: { html: '<p>' } });
  });

  it.each(['requestId', 'timestamp'])('says in strict when the envelope has no %s', async (field) => {
    const body = JSON.parse(envelope(suggestions)) as { [field: string]: unknown };
    delete body[field];
    await using server = await startServer((_, response) => response.end(JSON.stringify(body)));
    await using strict = testClient(server.url, { validate: 'strict' });
    const error = await errorOf(strict.autocomplete({ query: 'x' }));
    expect(error).toBeInstanceOf(DriftError);
    expect((error as Error).message).toContain(`${field}: expected beside the data, got nothing`);
    await using client = testClient(server.url);
    await lastValueFrom(client.autocomplete({ query: 'x' }));
    expect(client.drift()).toMatchObject([{ path: field, responses: 1 }]);
  });

  it('says when a fan-out could make no query from any of its rows', async () => {
    await using client = testClient('http://127.0.0.1:1');
    const events = eventsOf(client);
    await lastValueFrom(from([{ data_id: '' }, { data_id: null }]).pipe(placeReviews(client)), { defaultValue: undefined });
    expect(events).toMatchObject([{ type: 'unused', operation: 'mapsReviews', rows: 2 }]);
  });
});
