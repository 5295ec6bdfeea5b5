import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { items, type PageFactory, type PageLike } from '../../operators/index.ts';
import { walkPages } from '../../operators/walk/walkPages.ts';
import { defineOperation, defineService, loadService, type Service } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { startSandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { gallery, placeForTest } from '../services/gallery.ts';
import { more } from './moreFaults/more.ts';

const row = { id: 'string', 'n?': 'integer|null', at: 'string', tags: ['string'] } as const;

/** A service of one operation. */
function serviceOf(operation: object, more: object = {}): Service {
  const params = { q: { type: 'string', required: true }, ...(operation as { readonly params?: object }).params };
  const at = 'post' in operation || 'get' in operation ? {} : { get: '/things' };
  const spec = { ...at, response: { rows: [row] }, rows: 'rows', id: 'id', ...operation, params };
  return defineService({ name: 'things', ...more, operations: { things: defineOperation(spec as never) } } as never);
}

const cursor = (words: object, response: object = { rows: [row], next: 'string|null' }, more: object = {}) =>
  serviceOf({ response, query: { token: '${cursor}' }, next: 'next', ...words, ...more });
const byAddress = (words: object, response: object = { rows: [row], next: 'string|null' }) =>
  serviceOf({ response, next: 'next', ...words });
const counted = (place: string, words: object, response: object = { rows: [row] }) =>
  serviceOf({ response, query: { p: place }, ...words });

const services: { readonly [name: string]: Service } = {
  tokens: cursor({}),
  'tokens in a POST': cursor({}, undefined, {
    post: '/things',
    query: {},
    body: { size: 10, page: { after: '${cursor}' } },
  }),
  'tokens in a form': cursor({}, undefined, { post: '/things', query: {}, form: { token: '${cursor}' } }),
  'tokens that begin with a word': cursor({ query: { token: '${cursor:*}' } }),
  'tokens that stand alone': cursor({ alone: true }),
  'tokens with a path of their own': cursor({ alone: true, nextPath: '/things/more' }),
  'tokens with a path of their own, without what the first path has': cursor({ alone: true, nextPath: '/more' }, undefined, {
    get: '/things/${q}/list',
  }),
  'tokens beside a flag': cursor({ more: 'more' }, { rows: [row], next: 'string|null', more: 'boolean' }),
  addresses: byAddress({}),
  'addresses among others': byAddress(
    { next: 'link[relation=next].url' },
    { rows: [row], link: [{ relation: '=self|next', url: 'string' }] },
  ),
  'Link headers': byAddress({ next: 'header:link' }, { rows: [row] }),
  'a header of its own': cursor({ next: 'header:X-Continuation' }, { rows: [row] }),
  'the last row': serviceOf({ query: { after: '${last.id}' } }),
  'the last row, in a POST': serviceOf({
    post: '/things',
    response: { rows: [{ ...row, sort: ['number|string'] }] },
    body: { after: '${last.sort}' },
  }),
  'parameters in the response': serviceOf({ response: { rows: [row], 'continue?': 'object' }, merge: 'continue' }),
  'parameters in the response, for a POST': serviceOf({
    post: '/things',
    response: { rows: [row], 'continue?': 'object' },
    merge: 'continue',
  }),
  'a number of pages': counted('${page:1}', { pages: 'pages' }, { rows: [row], pages: 'integer' }),
  'page numbers': counted('${page:1}', {}),
  offsets: counted('${offset}', { size: 10 }),
  'offsets of rows so far': counted('${offset}', {}),
  'page numbers and a total': counted('${page:1}', { total: 'meta.total' }, { rows: [row], meta: { total: 'integer' } }),
  'page numbers, with both numbers in headers': counted('${page:1}', { total: 'header:X-Rows', pages: 'header:X-Pages' }),
  'page numbers and a flag': counted('${page}', { more: 'more' }, { rows: [row], more: 'boolean' }),
  'parameters in the path and in headers': cursor({}, undefined, {
    get: '/things/${q}/list',
    query: {},
    headers: { 'x-token': '${cursor}' },
  }),
  'rows inside entries': serviceOf({ response: { rows: [{ row }] }, rows: 'rows[].row' }),
  'rows that are members': serviceOf({ response: { rows: { $map: { n: 'integer' } } }, rows: 'rows', keyed: 'id' }),
  'plain values': cursor({}, { rows: ['string'], next: 'string|null' }, { id: 'value' }),
  'columns of the outer entry': serviceOf({
    response: { edges: [{ cursor: 'string', node: row }], more: 'boolean' },
    rows: 'edges[].node',
    outer: ['cursor'],
    query: { after: '${last.cursor}' },
    more: 'more',
  }),
  'a list, or one object': serviceOf({ response: { rows: { $oneOf: [[row], row] } } }),
  'a bare list': serviceOf({ response: [row], rows: '' }),
  'a JSON object on each line': serviceOf({ format: 'ndjson', response: [row], rows: '' }),
  'a table as CSV, page by page': serviceOf({
    format: 'csv',
    response: [{ id: 'string', n: 'integer', at: 'string', good: 'boolean' }],
    rows: '',
    query: { p: '${page}' },
  }),
  XML: serviceOf({ format: 'xml', response: { feed: { '@at': 'string', entry: [{ ...row, '@n': 'integer' }] } }, rows: 'feed.entry' }),
  'a job': serviceOf({ job: {} }),
  'a job that is told of in bodies': serviceOf({
    post: '/things',
    response: { 'rows?': [row], state: 'string' },
    job: { at: 'url', until: { at: 'state', is: ['done'] } },
  }),
  'an envelope': serviceOf({}, { envelope: { data: 'result.data', code: { at: 'ok', is: true }, message: 'why' } }),
  'a key in a header': serviceOf({}, { headers: { 'x-key': '${key}' } }),
  'a key in the address': serviceOf({}, { query: { api_key: '${key}' } }),
  'OAuth 2': serviceOf(
    {},
    {
      headers: { authorization: 'Bearer ${token}' },
      token: {
        post: '/oauth/token',
        headers: { authorization: 'Basic ${basic}' },
        form: { grant_type: 'client_credentials' },
        at: 'access_token',
      },
    },
  ),
  'a login': serviceOf(
    {},
    { headers: { 'x-key': '${token}' }, token: { post: '/login', body: { a: ['${key}'] }, at: 'a.b', expires: 'a.c' } },
  ),
  'a login whose token is in a header': serviceOf(
    {},
    { query: { sid: '${token}' }, token: { post: '/login', form: { a: '${key}' }, at: 'header:x-token' } },
  ),
  'a signature': serviceOf({}, { sign: () => ({ 'x-signature': 'signed' }) }),
  'HTTP Basic': serviceOf({}, { headers: { authorization: 'Basic ${basic}' } }),
};

const idOf = (row: unknown): unknown => {
  const { id, value } = row as { readonly id?: string; readonly value?: string };
  return id ?? value;
};

async function walk(service: Service, operation: string, query: object, options: SandboxOptions = {}) {
  await using sandbox = await startSandbox({ service, rows: 25, apiKey: 'id:secret', ...options });
  await using client = createClient({
    service,
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    validate: 'strict',
    rate: 'unlimited',
    retry: { baseMs: 1 },
  });
  const factory = (client as unknown as { readonly [name: string]: PageFactory<object, PageLike> })[operation]!;
  const rows = await lastValueFrom(walkPages(factory, {})(query).pipe(items(), toArray()));
  return { rows, requests: sandbox.count(), log: [...sandbox.requests] };
}

describe('the sandbox imitates a described service', () => {
  it('with a key of its own kind, where none is given', async () => {
    const { rows } = await walk(services['OAuth 2']!, 'things', { q: 'sea' }, { apiKey: undefined });
    expect(rows).toHaveLength(25);
  });

  it.each(Object.entries(services))('with %s', async (_, service) => {
    const { rows, requests, log } = await walk(service, 'things', { q: 'sea & sky' });
    expect(new Set(rows.map(idOf)).size).toBe(25);
    expect(rows).toHaveLength(25);
    const { paging, job } = service.operations['things']!.spec;
    expect(log.map(({ status }) => status).filter((status) => status !== 200)).toEqual(job === undefined ? [] : [202, 202]);
    expect(requests).toBeLessThanOrEqual(paging.kind === 'none' && job === undefined ? 2 : 4); // a token of the key may come first
  });

  it('the same for the same seed, others for another query or seed', async () => {
    const service = services['tokens']!;
    const { rows } = await walk(service, 'things', { q: 'a' });
    expect((await walk(service, 'things', { q: 'a' })).rows).toEqual(rows);
    expect((await walk(service, 'things', { q: 'b' })).rows).not.toEqual(rows);
    expect((await walk(service, 'things', { q: 'a' }, { seed: 2 })).rows).not.toEqual(rows);
  });

  it('refuses what the service would: the key, the method, the query, the token', async () => {
    const service = cursor({}, undefined, { post: '/things', query: {}, body: { token: '${cursor}' } });
    await using sandbox = await startSandbox({ service: defineService({ ...service, headers: { 'x-key': '${key}' } }) });
    const post = async (body: object, headers: Record<string, string> = { 'x-key': sandbox.apiKey }, method = 'POST') => {
      const response = await fetch(`${sandbox.url}/things`, { method, headers, ...(method === 'POST' && { body: JSON.stringify(body) }) });
      await response.text();
      return response.status;
    };
    expect(await post({ q: 'a' })).toBe(200);
    expect(await post({ q: 'a' }, {})).toBe(401);
    expect(await post({ q: 'a' }, { 'x-key': sandbox.apiKey }, 'DELETE')).toBe(405);
    expect(await post({})).toBe(400);
    expect(await post({ q: 'a', token: 'made up' })).toBe(400);
  });

  it('plays faults on it', async () => {
    const { rows, log } = await walk(
      services['tokens in a POST']!,
      'things',
      { q: 'a' },
      { faults: [{ fault: 'status', status: 503, operation: 'things', nth: 2 }] },
    );
    expect(rows).toHaveLength(25);
    expect(log.map(({ status }) => status)).toEqual([200, 503, 200, 200]);
  });

  it('plays the failures that it declares', async () => {
    const failures = [
      { status: 403, at: 'header:x-left', is: '0', means: 'throttled', until: 'header:x-reset' },
      { at: 'error.code', is: ['slow', 'slower'], means: 'throttled' },
      { at: 'error.code', is: 'none', means: 'empty' },
      { at: 'errors[].extensions.code', is: 'slow', means: 'throttled' },
    ];
    const service = serviceOf({}, { failures, envelope: { error: 'error', message: 'error.why' } });
    const fault = (rule: number) => more({ fault: 'failure', rule, untilMs: 10, nth: 1 });
    const now = (): number => Date.now() - 1000; // else the client waits for the next second
    for (const rule of [0, 1, 3]) {
      const { rows, log } = await walk(service, 'things', { q: 'a' }, { now, faults: [fault(rule)] });
      expect([rule, rows.length, log.map(({ status }) => status)]).toEqual([rule, 25, [rule === 0 ? 403 : 200, 200]]);
    }
    expect(await walk(service, 'things', { q: 'a' }, { faults: [fault(2)] })).toMatchObject({ rows: [], requests: 1 });
  });

  it.each(gallery)('as in the gallery: %s', async (name) => {
    const service = await loadService(await placeForTest(name, ''));
    for (const [operation, { params }] of Object.entries(service.operations)) {
      const values = { string: 'a', integer: 1, number: 1, boolean: true, strings: ['a'], object: {}, array: [] };
      const query = Object.fromEntries(
        Object.entries(params).flatMap(([param, { required, type }]) => (required === true ? [[param, values[type]]] : [])),
      );
      const { rows, requests } = await walk(service, operation, query);
      expect([operation, rows.length > 0, requests <= 5]).toEqual([operation, true, true]);
    }
  });
});
