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
