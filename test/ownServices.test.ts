import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastValueFrom, of, toArray, type Observable } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandCursor, items, type CursorPaging, type PageFactory, type PageLike } from '../operators/index.ts';
import { createClient } from '../src/createClient.ts';
import { readyFanOut } from '../src/fanouts/readyFanOut.ts';
import { loadFlow, planFlow, type FlowDefinition } from '../src/flow/index.ts';
import { PaginationError } from '../src/errors/index.ts';
import { hasRedis, startRedis } from './bullmq/startRedis.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { startServer, type TestServer } from './client/startServer.ts';
import { killAndResume, rowsOn } from './flowInMemory.ts';
import { ownService } from './ownService.ts';

/** A service of another shape: how it wraps rows, and how it says where the next page is. */
interface ServiceShape {
  readonly envelope: object;
  readonly response: string;
  readonly rows: string;
  readonly words: string;
  readonly param: string;
  readonly key: string;
  readonly reply: (
    rows: readonly object[],
    next: string | undefined,
    token: string | undefined,
  ) => { readonly body: unknown; readonly link?: string };
}

const shapes: { readonly [name: string]: ServiceShape } = {
  'a bare list with a Link header': {
    envelope: {},
    response: "[{ id: 'string' }]",
    rows: '',
    words: "next: 'header:link'",
    param: 'next',
    key: "{ authorization: 'Bearer ${key}' }",
    reply: (rows, next) => ({ body: rows, ...(next === undefined ? {} : { link: `</x?page=9>; rel="last", <${next}>; rel="next"` }) }),
  },
  'results and the address of the next page': {
    envelope: { message: 'error' },
    response: "{ results: [{ id: 'string' }], next: 'string|null' }",
    rows: 'results',
    words: "next: 'next'",
    param: 'next',
    key: "{ 'x-token': '${key}' }",
    reply: (rows, next) => ({ body: { results: rows, next: next ?? null } }),
  },
  'a token in meta': {
    envelope: { data: 'payload', code: { at: 'status', is: 'ok' }, requestId: 'meta.id' },
    response: "{ rows: [{ id: 'string' }], meta: { token: 'string|null' } }",
    rows: 'rows',
    words: "query: { token: '${cursor}' }, next: 'meta.token'",
    param: 'token',
    key: "{ authorization: 'Token ${key}' }",
    reply: (rows, _, token) => ({ body: { status: 'ok', meta: { id: 'r1' }, payload: { rows, meta: { token: token ?? null } } } }),
  },
};
const headers: { readonly [name: string]: readonly [header: string, value: string] } = {
  'a bare list with a Link header': ['authorization', 'Bearer secret'],
  'results and the address of the next page': ['x-token', 'secret'],
  'a token in meta': ['authorization', 'Token secret'],
};

const codeOf = ({ envelope, response, rows, words, key }: ServiceShape): string => `
const shared = { response: ${response}, rows: '${rows}', ${words} };
export default defineService({
  name: 'shop',
  baseUrl: '/api',
  headers: ${key},
  envelope: ${JSON.stringify(envelope)},
  operations: {
    things: defineOperation({ ...shared, name: 'things', about: 'Things.', get: '/things', params: { q: { type: 'string', required: true, about: 'what' } } }),
    parts: defineOperation({ ...shared, name: 'parts', about: 'Parts.', get: '/things/\${id}/parts', params: { id: { type: 'string', required: true, about: 'whose' } } }),
  },
  fanOuts: { thingParts: { call: 'parts', with: { id: '$.id' }, walks: true, about: 'parts of each thing' } },
});
`;
const flow = {
  name: 'shop',
  stages: {
    things: { call: 'things', with: { q: ['a', 'b'] }, pages: 'all', to: 'things.jsonl' },
    parts: { call: 'thingParts', each: 'things', pages: 'all', keep: { of: '$.id' }, to: 'parts.jsonl' },
  },
};

type AnyFactory = PageFactory<object, PageLike, CursorPaging>;

describe.each(Object.keys(shapes))('a service with %s', (name) => {
  const shape = shapes[name]!;
  const own = ownService(`shop-${shape.param}-${shape.rows}`, codeOf(shape), flow);
  let server: TestServer;
  let requests: string[] = [];

  beforeAll(async () => {
    server = await startServer((request, response) => {
      requests.push(request.url!);
      const [header, value] = headers[name]!;
      if (request.headers[header] !== value) {
        response.writeHead(401).end('{}');
        return;
      }
      const at = new URL(request.url!, 'http://shop');
      const page = Number(at.searchParams.get('page') ?? at.searchParams.get('token') ?? 0);
      const whose = at.pathname.endsWith('/parts') ? at.pathname.split('/').at(-2)! : at.searchParams.get('q')!;
      const rows = [0, 1].map((i) => ({ id: `${whose}-${page}${i}` }));
      const last = page === 2;
      at.searchParams.set('page', String(page + 1));
      const { body, link } = shape.reply(rows, last ? undefined : at.pathname + at.search, last ? undefined : String(page + 1));
      response.writeHead(200, { 'content-type': 'application/json', ...(link === undefined ? {} : { link }) }).end(JSON.stringify(body));
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const open = () => createClient({ service: own.service, baseUrl: server.url, apiKey: 'secret', rate: 'unlimited' });
  const factory = (client: object, operation: string): AnyFactory => (client as { readonly [name: string]: AnyFactory })[operation]!;
  const ids = async (rows$: Observable<unknown>): Promise<string[]> =>
    (await lastValueFrom(rows$.pipe(toArray()))).map((row) => (row as { readonly id: string }).id);

  it('is walked to its last page', async () => {
    await using client = open();
    const drift: unknown[] = [];
    client.events$.subscribe((event) => event.type === 'drift' && drift.push(event));
    expect(await ids(of({ q: 'a' }).pipe(expandCursor(factory(client, 'things')), items()))).toEqual([
      'a-00',
      'a-01',
      'a-10',
      'a-11',
      'a-20',
      'a-21',
    ]);
    expect(drift).toEqual([]);
  });

  it('fans out, with each page knowing its row', async () => {
    await using client = open();
    const parts$ = of({ id: 'x' }).pipe(readyFanOut(own.service.fanOuts['thingParts']!, factory(client, 'parts')));
    expect(await ids(parts$.pipe(items()))).toHaveLength(6);
    expect(await lastValueFrom(parts$)).toMatchObject({ parent: { id: 'x' } });
  });

  it('refuses a wrong query before it is sent', async () => {
    await using client = open();
    await expect(lastValueFrom(factory(client, 'things')({ quer: 'a' }))).rejects.toThrow(/did you mean q\?|q is required/);
    await expect(lastValueFrom(factory(client, 'parts')({ id: '..' }))).rejects.toThrow(/id is part of a path/);
  });

  it('is planned, and called from the command line', async () => {
    const plan = await planFlow(await loadFlow(own.flow));
    expect(plan).toMatchObject({ requests: { atLeast: 2 }, stages: [{ name: 'things' }, { name: 'parts' }] });
    const env = { TRAWLER_BASE_URL: server.url, TRAWLER_API_KEY: 'secret' };
    const { file } = own;
    const { code, stdout } = await runInProcess(['call', 'things', '--service', file, '--q', 'b', '--pages', 'all'], { env });
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 6]);
    const { stdout: listed } = await runInProcess(['operations', '--service', file]);
    expect(listed).toMatch(/parts +\/things\/\$\{id\}\/parts/);
  });

  it('gives every row once in a flow that is killed and resumed', async () => {
    requests = [];
    const disk = await killAndResume({ ...flow, service: own.service } as FlowDefinition, open, () => requests.length > 12);
    expect(rowsOn(disk, 'things.jsonl')).toHaveLength(12);
    const parts = rowsOn(disk, 'parts.jsonl');
    expect([parts.length, new Set(parts.map(({ id }) => id)).size]).toEqual([12 * 6, 12 * 6]);
  });

  // One shape is enough for the queue: the one whose next page is in a header, which has to come across.
  it.skipIf(!hasRedis()).each(name.endsWith('Link header') ? ['--service'] : [])(
    'is crawled by a worker over a queue, named by %s',
    async (option) => {
      const redis = await startRedis({ persistent: false });
      const file = join(own.folder, 'unnamed.json');
      await writeFile(file, JSON.stringify({ ...flow, service: undefined }));
      const more = [option, own.file, '--queue', redis.url];
      const end = new AbortController();
      requests = [];
      const env = { TRAWLER_BASE_URL: server.url, TRAWLER_API_KEY: 'secret' };
      const worker = runInProcess(['worker', file, ...more], { env, signal: end.signal });
      const out = join(own.folder, 'queued');
      const { code } = await runInProcess(['run', file, '--out', out, ...more]); // without the key
      end.abort('SIGTERM');
      await worker;
      await redis.close();
      const parts = (await readFile(join(out, 'parts.jsonl'), 'utf8')).trim().split('\n');
      expect([code, parts.length, new Set(parts).size, requests.length]).toEqual([0, 72, 72, 42]);
    },
  );
});

describe('a next address', () => {
  const own = ownService('leaving', codeOf(shapes['results and the address of the next page']!));
  it.each([
    'https://elsewhere.example/page',
    '//elsewhere.example/page',
    'http://127.0.0.1:1/page',
    '\\\\elsewhere.example\\page',
    '/admin/delete',
    '../../admin/delete',
    '/api/%2e%2e/admin/delete',
    '/api/..%2fadmin/delete',
  ])('to %s leads outside of the service, and is refused with the pages so far', async (next) => {
    const seen: (string | undefined)[] = [];
    await using server = await startServer((request, response) => {
      seen.push(request.headers['x-token'] as string | undefined);
      response.end(JSON.stringify({ results: [{ id: 'a' }], next }));
    });
    await using client = createClient({ service: own.service, baseUrl: server.url, apiKey: 'secret' });
    const things = (client as unknown as { readonly things: AnyFactory }).things;
    const pages: unknown[] = [];
    const error: unknown = await new Promise((ended) => {
      of({ q: 'a' })
        .pipe(expandCursor(things))
        .subscribe({ next: (page) => pages.push(page), error: ended, complete: () => ended(undefined) });
    });
    expect(error).toBeInstanceOf(PaginationError);
    expect(error).toMatchObject({ message: expect.stringContaining('points outside of the service') as string, attempts: 1 });
    expect([pages.length, seen.length]).toEqual([1, 1]);
  });
});
