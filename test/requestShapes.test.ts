import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expandCursor, items, type CursorPaging, type PageFactory, type PageLike } from '../operators/index.ts';
import { defineOperation, requestBody, requestHeaders, requestPath } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import type { FlowDefinition } from '../src/flow/index.ts';
import { openStore } from '../src/store/index.ts';
import type { MemoryDisk } from './disk/MemoryDisk.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { remoteClient } from './bullmq/remoteClient.ts';
import { bodyOf, startServer, type TestServer } from './client/startServer.ts';
import { ownService } from './ownService.ts';
import { killAndResume, rowsOn, runInMemory } from './flowInMemory.ts';

const code = `
export default defineService({
  name: 'graph',
  baseUrl: '/v1',
  headers: { authorization: 'Bearer \${key}', 'Notion-Version': '2022-06-28' },
  query: { format: 'json' },
  operations: {
    search: defineOperation({
      post: '/graphql',
      query: { rows: '\${rows}' },
      headers: { 'x-client': 'test', 'X-Field-Mask': '\${mask}' },
      body: {
        query: 'query($q: String!) { … }',
        variables: { first: 2, q: '\${q}', tags: '\${tags}', filter: '\${filter}', exact: '\${exact}', after: '\${cursor}' },
      },
      params: {
        q: { type: 'string', required: true },
        tags: { type: 'strings' },
        filter: { type: 'object' },
        mask: { type: 'string' },
        rows: { type: 'integer' },
        exact: { type: 'boolean' },
      },
      response: { search: { nodes: [{ id: 'string' }], next: 'string|null' } },
      rows: 'search.nodes',
      next: 'search.next',
    }),
  },
});
`;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
interface Variables {
  readonly q: string;
  readonly first: number;
  readonly after?: string;
  readonly filter?: object;
  readonly tags?: readonly string[];
}

/** A GraphQL server: three pages of two nodes. It refuses everything that isn't as described. */
describe('a service that is queried by POST', () => {
  const own = ownService('graph', code);
  let server: TestServer;
  let seen: Seen[] = [];
  let busy = 0;

  beforeAll(async () => {
    server = await startServer((request, response) => {
      void bodyOf(request).then((body) => {
        seen.push({ method: request.method!, url: request.url!, headers: request.headers, body });
        if (busy > 0) {
          busy--;
          response.writeHead(503).end('{}');
          return;
        }
        const isRight =
          request.method === 'POST' &&
          request.url!.startsWith('/v1/graphql?format=json') &&
          request.headers.authorization === 'Bearer secret-key' &&
          request.headers['content-type'] === 'application/json' &&
          request.headers['notion-version'] === '2022-06-28';
        if (!isRight) {
          response.writeHead(400).end('{}');
          return;
        }
        const { variables } = JSON.parse(body) as { readonly variables: Variables };
        const page = Number(variables.after ?? 0);
        const { tags, filter } = variables;
        const mark = `${variables.q}${tags === undefined ? '' : `+${tags.join('+')}`}${filter === undefined ? '' : JSON.stringify(filter)}`;
        const nodes = [0, 1].map((i) => ({ id: `${mark}-${page}${i}` }));
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ search: { nodes, next: page < 2 ? String(page + 1) : null } }));
      });
    });
  });
  beforeEach(() => {
    seen = [];
    busy = 0;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const open = (options: object = {}) =>
    createClient({ service: own.service, baseUrl: server.url, apiKey: 'secret-key', rate: 'unlimited', ...options });
  const search = (client: object) => (client as { readonly search: PageFactory<object, PageLike, CursorPaging> }).search;
  const idsOf = async (client: object, ...queries: object[]): Promise<string[]> => {
    const rows = await lastValueFrom(of(...queries).pipe(expandCursor(search(client), { concurrency: 1 }), items(), toArray()));
    return rows.map((row) => (row as { readonly id: string }).id);
  };
  const six = (mark: string): string[] => ['00', '01', '10', '11', '20', '21'].map((place) => `${mark}-${place}`);

  it('is walked, each parameter in its place', async () => {
    await using client = open();
    expect(await idsOf(client, { q: 'sea', tags: ['a', 'b'], mask: 'id,name', rows: 20 })).toEqual(six('sea+a+b'));
    expect(seen).toHaveLength(3);
    const [, second] = seen;
    expect(second!.url).toBe('/v1/graphql?format=json&rows=20');
    expect(JSON.parse(second!.body)).toEqual({
      query: 'query($q: String!) { … }',
      variables: { first: 2, q: 'sea', tags: ['a', 'b'], after: '1' },
    });
    expect(second!.headers).toMatchObject({ 'x-field-mask': 'id,name', 'x-client': 'test', accept: 'application/json' });
    expect(second!.headers['user-agent']).toMatch(/^trawler\/\d/);
  });

  it('is retried like a GET', async () => {
    await using client = open({ retry: { baseMs: 1 } });
    busy = 1;
    expect(await idsOf(client, { q: 'sea' })).toEqual(six('sea'));
    expect(seen).toHaveLength(4);
  });

  it('is found in a store by its body', async () => {
    const kept = join(own.folder, 'kept');
    {
      await using client = open({ store: openStore(kept) });
      expect(await idsOf(client, { q: 'sea', filter: { a: 1, b: 2 } })).toEqual(six('sea{"a":1,"b":2}'));
    }
    await using client = open({ store: openStore(kept) });
    expect(await idsOf(client, { q: 'sea', filter: { b: 2, a: 1 } })).toEqual(six('sea{"a":1,"b":2}'));
    expect(seen).toHaveLength(3);
    expect(await idsOf(client, { q: 'sea', filter: { a: 1, b: 3 } })).toEqual(six('sea{"a":1,"b":3}'));
    expect(seen).toHaveLength(6);
  });

  it('is called from the command line, also where an option has the name of a parameter', async () => {
    const env = { TRAWLER_BASE_URL: server.url, TRAWLER_API_KEY: 'secret-key' };
    const query = ['--q', 'sea', '--tags', 'a', '--tags', 'b', '--filter', '{"n":1}', '--query.rows', '20', '--exact', 'false'];
    const run = await runInProcess(['call', 'search', '--service', own.file, ...query, '--pages', 'all'], { env });
    expect([run.code, run.stdout.trim().split('\n')]).toEqual([0, six('sea+a+b{"n":1}').map((id) => JSON.stringify({ id }))]);
    expect(seen[0]!.url).toBe('/v1/graphql?format=json&rows=20');
    expect(JSON.parse(seen[0]!.body)).toMatchObject({ variables: { exact: false } });
    expect(run.stdout + run.stderr).not.toContain('secret-key');
  });

  const stages = {
    first: { call: 'search', with: { q: ['a', 'b'], tags: [['x', 'y'], ['z']] }, to: 'first.jsonl' },
    second: {
      call: 'search',
      each: 'first',
      with: { q: 'of', filter: { id: { equals: '$.id' } }, tags: ['t', '$.id'] },
      pages: 1,
      to: 'second.jsonl',
      provenance: true,
    },
  };
  const flow = (): FlowDefinition => ({ name: 'graph', service: own.service, stages }) as FlowDefinition;
  const firstRows = ['a+x+y', 'a+z', 'b+x+y', 'b+z'].flatMap(six);
  const secondRows = firstRows.flatMap((id) => ['00', '01'].map((place) => `of+t+${id}{"id":{"equals":"${id}"}}-${place}`));
  const idsIn = (disk: MemoryDisk, file: string): readonly string[] => rowsOn(disk, file).map(({ id }) => id).toSorted(); // prettier-ignore

  it('gives every row once in a flow that is killed and resumed', async () => {
    const disk = await killAndResume(flow(), open, () => seen.length > 15);
    expect(idsIn(disk, 'first.jsonl')).toEqual(firstRows.toSorted());
    expect(idsIn(disk, 'second.jsonl')).toEqual(secondRows.toSorted());
    expect(String(disk.read('/out/second.jsonl'))).toContain('"query":{"q":"of","filter":{"id":{"equals":');
  });

  it('gives every row once where workers send the requests', async () => {
    await using worker = open();
    await using client = remoteClient(worker);
    expect(idsIn(await runInMemory(flow(), client), 'second.jsonl')).toEqual(secondRows.toSorted());
    expect(seen).toHaveLength(12 + 24);
  });
});

const operationOf = (more: object) =>
  defineOperation({
    post: '/${shelf}/scroll',
    body: { scroll: { id: '${cursor}' } },
    headers: { 'x-mask': '${mask}' },
    query: { format: 'json', size: '${size}' },
    params: {
      shelf: { type: 'string', required: true },
      q: { type: 'string' },
      lang: { type: 'string' },
      size: { type: 'integer' },
      mask: { type: 'string' },
    },
    response: { rows: [{ id: 'string' }], token: 'string|null' },
    rows: 'rows',
    next: 'token',
    alone: ['size'],
    ...more,
  });

describe('a token that stands alone in a body', () => {
  const sent = (query: object): unknown[] => {
    const operation = operationOf({});
    return [requestPath(operation, query), JSON.parse(requestBody(operation, query)!), requestHeaders(operation, query)];
  };
  const query = { shelf: 'a', q: 'sea', lang: 'de', size: 5, mask: 'id' };

  it('leaves the first request as it is', () => {
    expect(sent(query)).toEqual(['/a/scroll?format=json&size=5', { scroll: {}, q: 'sea', lang: 'de' }, ['x-mask', 'id']]);
  });

  it('goes with the path, what is fixed and what alone names', () => {
    expect(sent({ ...query, cursor: 't' })).toEqual(['/a/scroll?format=json&size=5', { scroll: { id: 't' } }, []]);
  });
});
