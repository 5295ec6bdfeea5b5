import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { expandCursor, items, offsetPages, type PageFactory, type PageLike } from '../operators/index.ts';
import { loadService, pagingKindOf, type Service } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import { openStore } from '../src/store/index.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { until } from './client/testClient.ts';

/** A service as its documentation says it pages: what describes it, and what it responds. undefined: it refuses the request. */
interface PagedService {
  readonly params: readonly string[];
  readonly response: object;
  readonly list: string;
  readonly paging: { readonly [field: string]: unknown };
  readonly reply: (query: URLSearchParams, rows: readonly Row[]) => object | undefined;
}
interface Row {
  readonly id: string;
}

const total = 25;
const size = 10;
const rowsOf = (q: string): readonly Row[] => Array.from({ length: total }, (_, i) => ({ id: `${q}-${i}` }));
const names = (query: URLSearchParams): string => [...query.keys()].toSorted().join();

const services: { readonly [name: string]: PagedService } = {
  // Crossref, OpenAlex: without cursor=* there is no token at all.
  'a first token': {
    params: ['cursor'],
    response: { items: [{ id: 'string' }], 'next?': 'string|null' },
    list: 'items',
    paging: { kind: 'cursor', param: 'cursor', at: ['next'], first: '*' },
    reply(query, rows) {
      const cursor = query.get('cursor');
      const from = cursor === '*' ? 0 : Number(cursor);
      if (names(query) !== 'cursor,q') return undefined;
      return { items: rows.slice(from, from + size), next: from + size < total ? String(from + size) : null };
    },
  },
  // Notion, Slack: the last page has a token too, or the flag is the only sign of an end.
  'a token beside a flag': {
    params: ['start'],
    response: { results: [{ id: 'string' }], next: 'string', has_more: 'boolean' },
    list: 'results',
    paging: { kind: 'cursor', param: 'start', at: ['next'], more: 'has_more' },
    reply(query, rows) {
      const from = Number(query.get('start') ?? 0);
      if (from >= total) return undefined;
      return { results: rows.slice(from, from + size), next: String(from + size), has_more: from + size < total };
    },
  },
  // OAI-PMH: a resumption token is an exclusive argument.
  'a token that stands alone': {
    params: ['token', 'limit'],
    response: { records: [{ id: 'string' }], 'token?': 'string' },
    list: 'records',
    paging: { kind: 'cursor', param: 'token', at: ['token'], alone: true },
    reply(query, rows) {
      const token = query.get('token');
      if (names(query) !== (token === null ? 'limit,q' : 'token')) return undefined;
      const [q, from] = token === null ? [query.get('q')!, 0] : [token.split(':')[0]!, Number(token.split(':')[1])];
      const records = token === null ? rows : rowsOf(q);
      return { records: records.slice(from, from + size), ...(from + size < total ? { token: `${q}:${from + size}` } : {}) };
    },
  },
  'a token that stands alone with the size of a page': {
    params: ['token', 'limit'],
    response: { records: [{ id: 'string' }], 'token?': 'string' },
    list: 'records',
    paging: { kind: 'cursor', param: 'token', at: ['token'], alone: ['limit'] },
    reply(query, rows) {
      const token = query.get('token');
      if (names(query) !== (token === null ? 'limit,q' : 'limit,token')) return undefined;
      const [q, from] = token === null ? [query.get('q')!, 0] : [token.split(':')[0]!, Number(token.split(':')[1])];
      const records = token === null ? rows : rowsOf(q);
      return { records: records.slice(from, from + size), ...(from + size < total ? { token: `${q}:${from + size}` } : {}) };
    },
  },
};

const moduleOf = (dist: string, { params, response, list, paging }: PagedService): string => `
import { defineOperation, defineService } from '${dist}/bundle/index.js';
const text = (name) => [name, { type: 'string', about: name }];
export default defineService({
  name: 'paged',
  basePath: '/api',
  envelope: {},
  operations: {
    things: defineOperation({
      name: 'things', about: 'Things.', path: '/things', list: '${list}',
      params: { q: { type: 'string', required: true, about: 'what' }, ...Object.fromEntries(${JSON.stringify(params)}.map(text)) },
      response: ${JSON.stringify(response)},
      paging: ${JSON.stringify(paging)},
    }),
  },
});
`;

describe.each(Object.keys(services))('paging with %s', (name) => {
  const paged = services[name]!;
  const given = paged.params.includes('limit') ? { limit: '10' } : {};
  let server: Server;
  let url: string;
  let requests: string[] = [];
  let refused: string[] = [];
  let folder: string;
  let service: Service;

  beforeAll(async () => {
    const modules = await mkdtemp(join(inject('dist'), 'paged-'));
    await writeFile(join(modules, 'paged.mjs'), moduleOf(inject('dist'), paged));
    service = await loadService(join(modules, 'paged.mjs'));
    return () => rm(modules, { recursive: true, force: true });
  });
  beforeEach(async () => {
    [requests, refused] = [[], []];
    server = createServer((request, response) => {
      requests.push(request.url!);
      const query = new URL(request.url!, 'http://paged').searchParams;
      const body = paged.reply(query, rowsOf(query.get('q') ?? ''));
      if (body === undefined) refused.push(request.url!);
      response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // Below the bundle, which the description imports.
    folder = await mkdtemp(join(inject('dist'), 'paged-'));
    await writeFile(join(folder, 'paged.mjs'), moduleOf(inject('dist'), paged));
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const walk = async (query: object, store?: string): Promise<string[]> => {
    await using client = createClient({
      service,
      baseUrl: url,
      rate: 'unlimited',
      ...(store === undefined ? {} : { store: openStore(store, { mode: 'reuse' }) }),
    });
    const things = (client as unknown as { readonly things: PageFactory<object, PageLike, never> }).things;
    const { paging } = service.operations['things']!.spec;
    const pages = pagingKindOf(paging).operator === 'expandCursor' ? expandCursor(things) : offsetPages(things);
    const rows = await lastValueFrom(of(query).pipe(pages, items(), toArray()));
    return rows.map((row) => (row as Row).id);
  };
  const wanted = rowsOf('a').map(({ id }) => id);
  const fewRequests = (walks: number): void => {
    expect(refused).toEqual([]);
    expect(requests.length).toBeGreaterThanOrEqual(3 * walks);
    expect(requests.length).toBeLessThanOrEqual(5 * walks);
  };

  it('brings every row once in a pipe', async () => {
    expect(await walk({ q: 'a', ...given })).toEqual(wanted);
    fewRequests(1);
  });

  it('brings every row once from a store, without a request', async () => {
    const store = join(folder, 'store');
    expect(await walk({ q: 'a', ...given }, store)).toEqual(wanted);
    fewRequests(1);
    requests = [];
    expect(await walk({ q: 'a', ...given }, store)).toEqual(wanted);
    expect(requests).toEqual([]);
  });

  it('brings every row once on the command line', async () => {
    const options = Object.entries({ q: 'a', ...given }).flatMap(([param, value]) => [`--${param}`, value]);
    const args = ['call', 'things', '--service', join(folder, 'paged.mjs'), ...options, '--pages', 'all', '--format', 'jsonl'];
    const { code, stdout } = await runInProcess(args, { env: { TRAWLER_BASE_URL: url } });
    expect([code, stdout.trim().split('\n').length]).toEqual([0, total]);
    fewRequests(1);
  });

  it('brings every row once in a flow that is killed and resumed', async () => {
    const out = join(folder, 'out');
    const q = ['a', 'b', 'c', 'd', 'e', 'f'];
    const stages = { things: { call: 'things', with: { q, ...given }, pages: 'all', to: 'things.jsonl' } };
    await writeFile(join(folder, 'flow.json'), JSON.stringify({ name: 'paged', service: './paged.mjs', stages }));
    const args = [join(inject('dist'), 'bundle/cli.js'), 'run', join(folder, 'flow.json'), '--out', out, '--quiet'];
    const run = () =>
      spawn(process.execPath, [...args, '--rate', '50', '--concurrency', '2'], { env: { ...process.env, TRAWLER_BASE_URL: url } });
    const first = run();
    await until(() => requests.length > 7, 'the run');
    first.kill('SIGKILL');
    await once(first, 'exit');
    const [code] = (await once(run(), 'exit')) as [number];
    const rows = (await readFile(join(out, 'things.jsonl'), 'utf8')).trim().split('\n');
    expect([code, rows.length, new Set(rows).size]).toEqual([0, total * q.length, total * q.length]);
    fewRequests(q.length);
  });
});
