import { readFile } from 'node:fs/promises';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { defineOperation, defineService, needsOf } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { type FlowDefinition, runFlow } from '../../src/flow/index.ts';
import { bodyOf, startServer } from '../client/startServer.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

/** What a service makes of a request. undefined: it refuses it. */
type Answer = (sent: {
  readonly url: URL;
  readonly method: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: string;
}) => { readonly body: object; readonly headers?: { readonly [name: string]: string } } | undefined;

interface Guided {
  /** What the guide must say for it, as it says it. */
  readonly says: readonly string[];
  readonly service?: object;
  readonly operation: object;
  readonly stage?: object;
  readonly answer: Answer;
}

const size = 20;
const total = 50;
const ids = Array.from({ length: total }, (_, nth) => `r${nth}`);
const page = (from: number): readonly { readonly id: string }[] => ids.slice(from, from + size).map((id) => ({ id }));
const row = { id: 'string' };
const key = 'guided-secret-key';

/** Services that stand in no page of ours, each described from the guide alone. */
const services: { readonly [name: string]: Guided } = {
  'page numbers in a body': {
    says: ["`query: { page: '${page:1}' }`", 'or the same in `body`', "`pages: 'nbPages'`"],
    service: { headers: { authorization: 'Bearer ${key}' } },
    operation: {
      post: '/v1/items/list',
      body: { paging: { number: '${page:1}', size }, order: 'id' },
      rows: 'data.items',
      row,
      pages: 'data.pages',
    },
    answer({ url, method, headers, body }) {
      if (method !== 'POST' || url.pathname !== '/v1/items/list' || headers['authorization'] !== `Bearer ${key}`) return undefined;
      const { paging, order } = JSON.parse(body) as { paging: { number: unknown; size: number }; order: string };
      if (typeof paging.number !== 'number' || paging.number < 1 || order !== 'id') return undefined;
      return { body: { data: { items: page((paging.number - 1) * size), pages: Math.ceil(total / size) } } };
    },
  },
  'a cursor in a header': {
    says: ["`headers: { 'x-continue': '${cursor}' }, next: 'header:x-continue'`"],
    service: { headers: { 'x-api-key': '${key}' } },
    operation: { get: '/entries', headers: { 'x-continuation': '${cursor}' }, rows: '', row, next: 'header:x-next' },
    answer({ url, headers }) {
      if (url.pathname !== '/entries' || url.search !== '' || headers['x-api-key'] !== key) return undefined;
      const from = Number(String(headers['x-continuation'] ?? 'c0').slice(1));
      return { body: page(from), ...(from + size < total && { headers: { 'x-next': `c${from + size}` } }) };
    },
  },
  'page numbers in the path, with the number of rows in a header': {
    says: ['the number of rows, or of pages', "`total: 'header:x-total-count'`"],
    service: { headers: { 'x-reader': '${key}' } },
    operation: { get: '/shelf/${page:1}', rows: 'books', row, total: 'header:X-Result-Count' },
    answer({ url, headers }) {
      const number = Number(/^\/shelf\/(\d+)$/.exec(url.pathname)?.[1]);
      // A page after the end would be an error.
      if (headers['x-reader'] !== key || !(number >= 1 && (number - 1) * size < total)) return undefined;
      return { body: { books: page((number - 1) * size) }, headers: { 'x-result-count': String(total) } };
    },
  },
  'a cursor, with the number of rows in a header': {
    says: ["`total: 'header:x-total-count'`"],
    operation: { get: '/list', query: { after: '${cursor}' }, rows: 'rows', row, next: 'next', total: 'header:x-rows' },
    answer({ url }) {
      const from = Number((url.searchParams.get('after') ?? 'c0').slice(1));
      const next = from + size < total ? `c${from + size}` : null;
      return { body: { rows: page(from), next }, headers: { 'x-rows': String(total) } };
    },
  },
  'a login with a form': {
    says: ["token: { post: '/login', form: { user: '${secret.user}', password: '${secret.password}' }, at: 'token' }"],
    service: {
      headers: { 'x-session': '${token}' },
      token: { post: '/session', form: { user: '${secret.user}', password: '${secret.password}' }, at: 'session.id' },
    },
    operation: { get: '/list', query: { offset: '${offset}', limit: size }, rows: 'rows', row, total: 'count' },
    answer({ url, method, headers, body }) {
      if (url.pathname === '/session') {
        const form = new URLSearchParams(body);
        const isRight = method === 'POST' && form.get('user') === 'jo' && form.get('password') === 'pass word/ö+9';
        return isRight ? { body: { session: { id: 'a-session-of-today' } } } : undefined;
      }
      if (url.pathname !== '/list' || headers['x-session'] !== 'a-session-of-today') return undefined;
      return { body: { count: total, rows: page(Number(url.searchParams.get('offset') ?? 0)) } };
    },
  },
  'bounds in a path': {
    says: ['``get: `/sales/${from}/${to}` ``', "most: '31d'", '`"split": { "from": "2020-01-01" }`'],
    service: { headers: { authorization: 'Basic ${basic}' } },
    operation: {
      get: '/reports/${from}/${to}/sales.json',
      most: '31d',
      rows: 'sales',
      row: { id: 'string', sold: 'string' },
      id: 'id',
      time: 'sold',
    },
    stage: { split: { from: '2025-01-01', to: '2025-04-10' } },
    answer({ url, headers }) {
      if (headers['authorization'] !== `Basic ${Buffer.from(`${key}:`).toString('base64')}`) return undefined;
      const [, first, last] = /^\/reports\/(\d{4}-\d\d-\d\d)\/(\d{4}-\d\d-\d\d)\/sales\.json$/.exec(url.pathname) ?? [];
      if (first === undefined || (Date.parse(last!) - Date.parse(first)) / 86_400_000 > 31) return undefined;
      const sales = ids.map((id, nth) => ({ id, sold: new Date(Date.UTC(2025, 0, 1 + 2 * nth, 9)).toISOString() }));
      return { body: { sales: sales.filter(({ sold }) => sold.slice(0, 10) >= first && sold.slice(0, 10) <= last!) } };
    },
  },
  'a flag that means the end': {
    says: ["`done: 'is_last'`"],
    service: { query: { token: '${key}' } },
    operation: { get: '/feed', query: { p: '${page}' }, rows: 'result.hits', row, done: 'result.complete' },
    answer({ url }) {
      if (url.pathname !== '/feed' || url.searchParams.get('token') !== key) return undefined;
      const number = Number(url.searchParams.get('p') ?? 0);
      // A page after the end would be an error.
      if (number * size >= total) return undefined;
      return { body: { result: { hits: page(number * size), complete: (number + 1) * size >= total } } };
    },
  },
};

describe('a service that is described from the guide alone', async () => {
  const guide = await readFile(new URL('../../docs/your-own-service.md', import.meta.url), 'utf8');

  it.each(Object.entries(services))('%s: all rows, and what it takes stands in the guide', async (_, one) => {
    const { says, service: words, operation, stage, answer } = one;
    expect(says.filter((text) => !guide.includes(text))).toEqual([]);
    let refused = 0;
    await using server = await startServer((request, response) => {
      void bodyOf(request).then((body) => {
        const reply = answer({ url: new URL(request.url!, server.url), method: request.method!, headers: request.headers, body });
        if (reply === undefined) refused++;
        response.writeHead(reply === undefined ? 400 : 200, reply?.headers).end(JSON.stringify(reply?.body ?? { message: 'refused' }));
      });
    });
    const service = defineService({
      name: 'guided',
      ...words,
      operations: { rows: defineOperation({ name: 'rows', ...operation } as never) },
    });
    const client = createClient({
      service,
      baseUrl: server.url,
      apiKey: key,
      ...(needsOf(service).secrets.length > 0 && { secrets: { user: 'jo', password: 'pass word/ö+9' } }),
      rate: 'unlimited',
    });
    const fileSystem = new MemoryFileSystem();
    const flow = { name: 'guided', service, stages: { rows: { call: 'rows', ...stage, to: 'rows.jsonl' } } } as unknown as FlowDefinition;
    const last = await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem }));
    await client.close();
    expect(last).toMatchObject({ outcome: 'complete' });
    const lines = fileSystem.disk.read('/out/rows.jsonl')!.toString().trim().split('\n');
    const found = lines.map((line) => (JSON.parse(line) as { readonly id: string }).id);
    expect(found.toSorted()).toEqual(ids.toSorted());
    expect(refused).toBe(0);
  });
});
