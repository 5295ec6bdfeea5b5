import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { expandCursor, items } from '../../../operators/index.ts';
import { defineOperation, defineService, type KeySpec } from '../../../src/contract/index.ts';
import { createClient } from '../../../src/createClient.ts';
import type { ClientOptions } from '../../../src/client/ClientOptions.ts';
import { openStore } from '../../../src/store/index.ts';
import { startServer, type TestServer } from '../startServer.ts';

const canary = 'c4n+ary/S3cret=';

const booksOf = (link: boolean) =>
  defineOperation({
    name: 'books',
    about: 'Books.',
    path: '/books',
    params: { q: { type: 'string', about: 'what' }, next: { type: 'string', about: 'the next page' } },
    response: { rows: [{ id: 'string' }], next: 'string|null' },
    list: 'rows',
    paging: { kind: 'cursor', param: 'next', at: ['next'], address: true, ...(link ? { link } : {}) },
  });
const serviceOf = (key: KeySpec, link = false) =>
  defineService({ name: 'library', basePath: '/v1', key, operations: { books: booksOf(link) } });

const servers: TestServer[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface Library {
  readonly url: string;
  /** What came, with the rights of each request. */
  readonly requests: IncomingMessage[];
  readonly link: boolean;
}

/** Three pages of two books, whose next addresses repeat the request's own, key included. `refuses`: the status of a request. */
async function library(refuses: (request: IncomingMessage) => number | undefined, link = false): Promise<Library> {
  const requests: IncomingMessage[] = [];
  const server = await startServer((request: IncomingMessage, response: ServerResponse) => {
    requests.push(request);
    const status = refuses(request);
    const said = `you sent ${request.headers.authorization ?? ''} to ${request.url}`;
    if (status !== undefined) {
      response.writeHead(status, { 'x-echo': said }).end(JSON.stringify({ said }));
      return;
    }
    const at = new URL(request.url!, 'http://library');
    const page = Number(at.searchParams.get('page') ?? 0);
    at.searchParams.set('page', String(page + 1));
    const next = page < 2 ? at.pathname + at.search : null;
    const rows = [0, 1].map((i) => ({ id: `${page}${i}` }));
    if (link && next !== null) response.setHeader('link', `<${next}>; rel="next"`);
    response.setHeader('x-echo', said);
    response.end(JSON.stringify({ rows, next: link ? null : next, said }));
  });
  servers.push(server);
  return { url: server.url, requests, link };
}

/** All that a client shows and keeps of a walk. */
async function walked(key: KeySpec, { url, link }: Library, apiKey = canary, more: ClientOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-keys-'));
  folders.push(folder);
  const store = openStore(folder, { mode: 'reuse' });
  const client = createClient({ service: serviceOf(key, link), baseUrl: url, apiKey, rate: 'unlimited', store, ...more });
  const shown: unknown[] = [client];
  client.events$.subscribe((event) => shown.push(event));
  let rows: unknown[] = [];
  let error: unknown;
  try {
    const pages = await lastValueFrom(of({ q: 'sea' }).pipe(expandCursor(client.books), toArray()));
    shown.push(pages, client.explain(), client.stats());
    rows = pages.flatMap(({ items: page }) => page.map(({ id }) => id));
  } catch (thrown) {
    error = thrown;
    shown.push(thrown, JSON.stringify(thrown), (thrown as Error).stack);
  }
  const { requests } = client.stats();
  await client.close();
  await store.close();
  const kept: string[] = [];
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name));
    kept.push(file.name.endsWith('.gz') ? gunzipSync(bytes).toString('latin1') : bytes.toString('latin1'));
  }
  return {
    rows,
    error,
    requests,
    text: [inspect(shown, { depth: 20, maxStringLength: null, maxArrayLength: null }), ...kept].join('\n'),
    kept,
  };
}

const all = ['00', '01', '10', '11', '20', '21'];
const spellings = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams([['', secret]]).toString().slice(1),
  Buffer.from(secret).toString('base64'),
];
const expectNone = (text: string, ...secrets: string[]): void => {
  for (const secret of secrets.flatMap(spellings)) expect(text.includes(secret), secret).toBe(false);
};

describe('a key in the address', () => {
  const inAddress = (name: string, value: string) => (request: IncomingMessage) => {
    const values = new URL(request.url!, 'http://library').searchParams.getAll(name);
    return values.length === 1 && values[0] === value ? undefined : 401;
  };

  it.each([
    [canary, false],
    [canary, true],
    ['a+0', false],
    ['a+0', true],
  ])('%s goes along with each page, once, and is shown and kept nowhere (Link header: %s)', async (key, link) => {
    const server = await library(inAddress('api key', key), link);
    const { rows, text, kept, error } = await walked({ param: 'api key' }, server, key);
    expect(error).toBeUndefined();
    expect([rows, server.requests.length]).toEqual([all, 3]);
    expect(kept.length).toBeGreaterThan(0);
    expect(text).toContain('/v1/books');
    expectNone(text, key);
  });

  it('is in no error', async () => {
    const server = await library(() => 404);
    const { text, error } = await walked({ param: 'api_key' }, server);
    expect(error).toMatchObject({ name: 'HttpError', status: 404 });
    expectNone(text, canary);
  });
});

describe('a key for HTTP Basic', () => {
  it.each([
    [`user:${canary}`, `user:${canary}`],
    [canary, `${canary}:`],
  ])('%s is sent as %s, and is shown and kept nowhere', async (key, sent) => {
    const header = `Basic ${Buffer.from(sent).toString('base64')}`;
    const server = await library(({ headers }) => (headers.authorization === header ? undefined : 401));
    const { rows, text } = await walked({ basic: true }, server, key);
    expect([rows, server.requests.length]).toEqual([all, 3]);
    expectNone(text, canary, sent, header);
  });
});

describe('a header that is made asynchronously', () => {
  const header = 'authorization';

  it('is made once for all requests', async () => {
    let made = 0;
    const value = async (key: string): Promise<string> => {
      made++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return `Bearer made-of-${key.length}`;
    };
    const server = await library(({ headers }) => (headers.authorization === `Bearer made-of-${canary.length}` ? undefined : 401));
    await using client = createClient({ service: serviceOf({ header, value }), baseUrl: server.url, apiKey: canary, rate: 'unlimited' });
    const rows = await lastValueFrom(of({ q: 'a' }, { q: 'b' }, { q: 'c' }).pipe(expandCursor(client.books), items(), toArray()));
    expect([rows.length, server.requests.length, made]).toEqual([18, 9, 1]);
  });

  it('is made once more for all requests that were refused, and shown nowhere', async () => {
    let made = 0;
    const value = (): Promise<string> => Promise.resolve(`Bearer made-of-secrets-${++made}`);
    const server = await library(({ headers }) => (headers.authorization === 'Bearer made-of-secrets-1' ? undefined : 401));
    const { rows, text } = await walked({ header, value }, server);
    expect([rows, made]).toEqual([all, 1]);
    const again = await library(({ headers }) => (headers.authorization === 'Bearer made-of-secrets-3' ? undefined : 401));
    const second = await walked({ header, value }, again);
    expect([second.rows, made, again.requests.length]).toEqual([all, 3, 4]);
    expectNone(text + second.text, 'made-of-secrets-1', 'made-of-secrets-2', 'made-of-secrets-3');
  });

  it('that is refused again ends the client', async () => {
    const server = await library(() => 401);
    const { error } = await walked({ header, value: () => Promise.resolve('Bearer wrong-one') }, server);
    expect(error).toMatchObject({ name: 'AuthError', status: 401, attempts: 2 });
    expect(server.requests.length).toBe(2);
  });

  it.each([
    ['asynchronously', () => Promise.reject(new Error(canary))],
    ['at once', () => { throw new Error(canary); }], // prettier-ignore
    ['with no text', () => Promise.resolve(5 as unknown as string)],
  ])('that fails %s sends nothing, and the error has none of its words', async (_, value) => {
    const server = await library(() => undefined);
    const { error, text } = await walked({ header, value }, server);
    expect(error).toMatchObject({ name: 'AuthError', message: expect.stringMatching(/key\.value failed with \w*Error/) as string });
    expect(server.requests.length).toBe(0);
    expectNone(text, canary);
  });
});

describe('defineService', () => {
  it.each([
    [{}, 'key must be an object with one of header, param, basic'],
    [{ header: 'x', param: 'y' }, 'key must be an object with one of header, param, basic'],
    [{ header: 'a b' }, "key.header must be a header's name, not 'a b'"],
    [{ header: 'x', value: 'Bearer' }, "key.value must be a function, not 'Bearer'"],
    [{ header: 'x', valeu: String }, "there is no field 'key.valeu'; did you mean 'key.value'?"],
    [{ param: '' }, "key.param must be a parameter's name, not ''"],
    [{ param: 'q' }, "key.param is 'q', which is also a parameter of books; leave it out there"],
    [{ basic: 'yes' }, "key.basic must be true, not 'yes'"],
  ])('refuses the key %j', (key, message) =>
    expect(() => serviceOf(key as unknown as KeySpec)).toThrow(`defineService(library): ${message}`),
  );
});
