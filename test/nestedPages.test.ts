import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, items, offsetPages } from '../operators/index.ts';
import { defineOperation, defineService } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import { type FlowDefinition, runFlow } from '../src/flow/index.ts';
import { MemoryFileSystem } from './disk/MemoryFileSystem.ts';
import { startServer } from './client/startServer.ts';

/** Emails, of which those on the second page have no activity. */
const pages = [
  [2, 3],
  [0, 0],
  [4, 0],
  [0, 5],
].map((counts, page) =>
  counts.map((count, at) => ({ email: `${page}${at}`, activity: Array.from({ length: count }, (_, n) => ({ id: `${page}${at}${n}` })) })),
);
const ids = pages.flat().flatMap(({ activity }) => activity.map(({ id }) => id));

const ways = {
  'page numbers': { words: { query: { page: '${page}' } }, from: (search) => Number(search.get('page') ?? 0) },
  'an offset of entries': {
    words: { query: { offset: '${offset}' } },
    from: (search) => Number(search.get('offset') ?? 0) / 2,
  },
  'a token': { words: { query: { after: '${cursor}' }, next: 'next' }, from: (search) => Number(search.get('after') ?? 0) },
} as const satisfies { readonly [way: string]: { readonly words: object; readonly from: (search: URLSearchParams) => number } };

describe.each(Object.entries(ways))('pages whose entries have lists of rows, by %s', (_, { words, from }) => {
  const isToken = 'next' in words;
  const service = defineService({
    name: 'mail',
    operations: {
      activity: defineOperation({
        get: '/activity',
        response: { emails: [{ email: 'string', activity: [{ id: 'string' }] }], 'next?': 'string' },
        rows: 'emails[].activity',
        id: 'id',
        ...words,
      }),
    },
  });
  const serve = () => {
    const requests: string[] = [];
    return startServer((request, response) => {
      requests.push(request.url!);
      const page = from(new URL(request.url!, 'http://mail').searchParams);
      const next = page + 1 < pages.length ? { next: String(page + 1) } : {};
      response.end(JSON.stringify({ emails: pages[page] ?? [], ...next }));
    }).then((server) => ({ server, requests }));
  };

  it('are walked to their end, also over a page without rows', async () => {
    const { server, requests } = await serve();
    await using _server = server;
    await using client = createClient({ service, baseUrl: server.url });
    const walk = isToken ? expandCursor : offsetPages;
    const rows = await lastValueFrom(of({}).pipe((walk as typeof offsetPages)(client.activity as never), items(), toArray()));
    expect(rows.map((row) => (row as { readonly id: string }).id)).toEqual(ids);
    expect(requests).toHaveLength(isToken ? 4 : 5);
  });

  it('are walked in a flow, too', async () => {
    const { server } = await serve();
    await using _server = server;
    await using client = createClient({ service, baseUrl: server.url });
    const fileSystem = new MemoryFileSystem();
    const flow = { name: 'mail', service, stages: { rows: { call: 'activity', pages: 'all', to: 'rows.jsonl' } } } as FlowDefinition;
    expect(await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem }))).toMatchObject({ outcome: 'complete' });
    const lines = String(fileSystem.disk.read('/out/rows.jsonl')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly id: string }).id)).toEqual(ids);
  });
});

describe('a service that repeats a page whose entries have no rows', () => {
  it('is not walked for ever', async () => {
    let requests = 0;
    await using server = await startServer((_, response) => {
      requests += 1;
      response.end(JSON.stringify({ emails: pages[1] }));
    });
    const activity = defineOperation({
      get: '/activity',
      response: { emails: [{ email: 'string', activity: [{ id: 'string' }] }] },
      rows: 'emails[].activity',
      query: { page: '${page}' },
    });
    await using client = createClient({ service: defineService({ name: 'mail', operations: { activity } }), baseUrl: server.url });
    await expect(lastValueFrom(of({}).pipe(offsetPages(client.activity, { maxPages: 50 })))).rejects.toThrow(
      'brings the rows of one before',
    );
    expect(requests).toBe(2);
  });
});

describe('a service that has an entry for each query', () => {
  const found = 25;
  const serve = async (empty: 'an entry' | 'none') => {
    let requests = 0;
    const server = await startServer((request, response) => {
      requests += 1;
      const { searchParams } = new URL(request.url!, 'http://search');
      const from = Number(searchParams.get('skip') ?? searchParams.get('last') ?? -1) + (searchParams.has('last') ? 1 : 0);
      const rows = Array.from({ length: found }, (_, id) => ({ id: String(id) })).slice(Math.max(0, from), Math.max(0, from) + 10);
      response.end(JSON.stringify({ id: String(requests), data: rows.length > 0 || empty === 'an entry' ? [{ query: 'tea', rows }] : [] }));
    });
    return { server, count: () => requests };
  };
  const response = { data: [{ query: 'string', rows: [{ id: 'string' }] }], id: 'string' } as const;
  const searchBy = (words: object) => defineOperation({ get: '/search', response, ...words } as never);
  const walked = async (operation: ReturnType<typeof searchBy>, url: string, walk: unknown): Promise<readonly unknown[]> => {
    await using client = createClient({ service: defineService({ name: 'search', operations: { search: operation } }), baseUrl: url });
    return await lastValueFrom(of({}).pipe((walk as typeof offsetPages)(client.search as never), items(), toArray()));
  };

  it('is not walked for ever where its entries are taken for what is paged', async () => {
    const { server, count } = await serve('an entry');
    await using _server = server;
    const search = searchBy({ query: { skip: '${offset}' }, rows: 'data[].rows', size: 10 });
    await expect(walked(search, server.url, offsetPages)).rejects.toThrow(/20 pages in a row have no row.*data\.0\.rows/);
    expect(count()).toBe(23);
  });

  it.each(['an entry', 'none'] as const)('ends where its description says which list is paged (the last page has %s)', async (empty) => {
    const { server, count } = await serve(empty);
    await using _server = server;
    const search = searchBy({ query: { skip: '${offset}' }, rows: 'data.0.rows', size: 10 });
    expect(await walked(search, server.url, offsetPages)).toHaveLength(found);
    expect(count()).toBe(4);
  });

  it.each(['data[].rows', 'data.0.rows'])('ends with a page without a row to go on from (%s)', async (rows) => {
    const { server, count } = await serve('an entry');
    await using _server = server;
    const search = searchBy({ query: { last: '${last.id}' }, rows });
    expect(await walked(search, server.url, expandCursor)).toHaveLength(found);
    expect(count()).toBe(4);
  });
});
