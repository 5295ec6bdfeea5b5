import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { lastValueFrom, of, toArray } from 'rxjs';
import { expect, onTestFinished } from 'vitest';
import { expandCursor } from '../../../operators/index.ts';
import { defineOperation, defineService, type Service } from '../../../src/contract/index.ts';
import { createClient } from '../../../src/createClient.ts';
import type { ClientOptions } from '../../../src/client/ClientOptions.ts';
import { openStore } from '../../../src/store/index.ts';
import { startServer, type TestServer } from '../startServer.ts';

export const canary = 'c4n+ary/S3cret=';

const booksOf = (link: boolean) =>
  defineOperation({
    name: 'books',
    about: 'Books.',
    get: '/books',
    params: { q: { type: 'string', about: 'what' } },
    response: { rows: [{ id: 'string' }], next: 'string|null' },
    rows: 'rows',
    next: link ? 'header:link' : 'next',
  });
/** Where a service's texts have secrets. */
export type Secret = Pick<Service, 'headers' | 'query' | 'token' | 'sign'>;
export const serviceOf = (secret: Secret, link = false) =>
  defineService({ name: 'library', baseUrl: '/v1', ...secret, operations: { books: booksOf(link) } });

/** Closes a server after the test. */
export function closeAfter(server: TestServer): void {
  onTestFinished(() => server[Symbol.asyncDispose]());
}

/** Removes a folder after the test. */
export function removeAfter(folder: string): void {
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
}

export interface Library {
  readonly url: string;
  /** What came, with the rights of each request. */
  readonly requests: IncomingMessage[];
  readonly link: boolean;
}

/** Three pages of two books, whose next addresses repeat the request's own, key included. `refuses`: the status of a request. */
export async function library(refuses: (request: IncomingMessage) => number | undefined, link = false): Promise<Library> {
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
  closeAfter(server);
  return { url: server.url, requests, link };
}

/** All that a client shows and keeps of a walk. */
export async function walked(secret: Secret, { url, link }: Library, apiKey = canary, more: ClientOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-keys-'));
  removeAfter(folder);
  const store = openStore(folder, { mode: 'reuse' });
  const client = createClient({ service: serviceOf(secret, link), baseUrl: url, apiKey, rate: 'unlimited', store, ...more });
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

export const all = ['00', '01', '10', '11', '20', '21'];
const spellings = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams([['', secret]]).toString().slice(1),
  Buffer.from(secret).toString('base64'),
];
export const expectNone = (text: string, ...secrets: string[]): void => {
  for (const secret of secrets.flatMap(spellings)) expect(text.includes(secret), secret).toBe(false);
};
