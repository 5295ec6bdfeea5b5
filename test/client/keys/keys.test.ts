import { concatMap, lastValueFrom, of } from 'rxjs';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { defineOperation, defineService } from '../../../src/contract/index.ts';
import { version } from '../../../src/client/version.ts';
import { inspect } from 'node:util';
import { bodyOf, startServer } from '../startServer.ts';
import { createClient } from '../../../src/createClient.ts';
import { all, canary, expectNone, library, type Secret, serviceOf, walked } from './library.ts';

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
    [`${canary} and wörds`, false],
    [`${canary} and wörds`, true],
  ])('%s goes along with each page, once, and is shown and kept nowhere (Link header: %s)', async (key, link) => {
    const server = await library(inAddress('api key', key), link);
    const { rows, text, kept, error } = await walked({ query: { 'api key': '${key}' } }, server, key);
    expect(error).toBeUndefined();
    expect([rows, server.requests.length]).toEqual([all, 3]);
    expect(kept.length).toBeGreaterThan(0);
    expect(text).toContain('/v1/books');
    expectNone(text, key);
  });

  it('is in no error', async () => {
    const server = await library(() => 404);
    const { text, error } = await walked({ query: { api_key: '${key}' } }, server);
    expect(error).toMatchObject({ name: 'HttpError', status: 404 });
    expectNone(text, canary);
  });
});

describe('a key for HTTP Basic', () => {
  it.each([
    [`user:${canary}`, `user:${canary}`],
    [canary, `${canary}:`],
    [`user:${canary} and wörds`, `user:${canary} and wörds`],
  ])('%s is sent as %s, and is shown and kept nowhere', async (key, sent) => {
    const header = `Basic ${Buffer.from(sent).toString('base64')}`;
    const server = await library(({ headers }) => (headers.authorization === header ? undefined : 401));
    const { rows, text } = await walked({ headers: { authorization: 'Basic ${basic}' } }, server, key);
    expect([rows, server.requests.length]).toEqual([all, 3]);
    expectNone(text, canary, sent, header);
  });
});

describe('a key that can not be sent', () => {
  it.each<[string, Secret, string, string]>([
    ['a blank in a header', { headers: { 'x-key': '${key}' } }, 'a b', "a blank or another character that its header can't carry"],
    [
      'a letter that is no ASCII in a header',
      { headers: { 'x-key': '${key}' } },
      'ö',
      "a blank or another character that its header can't carry",
    ],
    [
      'a line break in HTTP Basic',
      { headers: { authorization: 'Basic ${basic}' } },
      'user:a\nb',
      'a line break or another control character',
    ],
    ['a line break in an address', { query: { key: '${key}' } }, 'a\nb', 'a line break or another control character'],
  ])('is refused before anything is sent: %s', (_, spec, apiKey, why) =>
    expect(() => createClient({ service: serviceOf(spec), baseUrl: 'http://127.0.0.1:1', apiKey })).toThrow(
      `createClient: apiKey contains ${why}`,
    ),
  );
});

describe('a key in a path, and in a body', () => {
  const open = (url: string, more: object) =>
    createClient({
      service: defineService({
        name: 'library',
        baseUrl: '/v1',
        operations: {
          books: defineOperation({
            post: '/${key}/books',
            body: { q: '${q}', auth: { key: '${key}', word: '${secret.word}' } },
            params: { q: { type: 'string', required: true } },
            response: { rows: [{ id: 'string' }] },
            rows: 'rows',
          }),
        },
      }),
      baseUrl: url,
      apiKey: canary,
      secrets: { word: 'another-s3cret/word' },
      ...more,
    });

  it('is sent where it belongs, and shown nowhere', async () => {
    const came: unknown[] = [];
    await using server = await startServer((request, response) => {
      void bodyOf(request).then((body) => {
        came.push([request.url, JSON.parse(body)]);
        response.writeHead(came.length === 1 ? 200 : 404).end(JSON.stringify({ rows: [], said: request.url }));
      });
    });
    await using client = open(server.url, {});
    const shown: unknown[] = [client];
    client.events$.subscribe((event) => shown.push(event));
    // A value that looks like the place of a key is none.
    shown.push(await lastValueFrom(client.books({ q: '[key] ${key}' })), client.explain());
    await expect(lastValueFrom(client.books({ q: 'b' }))).rejects.toSatisfy((error) => shown.push(error, (error as Error).stack) > 0);
    const [path, auth] = [`/v1/${encodeURIComponent(canary)}/books`, { key: canary, word: 'another-s3cret/word' }];
    expect(came).toEqual([[path, { q: '[key] ${key}', auth }], [path, { q: 'b', auth }]]); // prettier-ignore
    expectNone(inspect(shown, { depth: 20, maxStringLength: null }), canary, 'another-s3cret/word');
  });
});

describe('a header that a parameter gives', () => {
  it('takes the place of ours', async () => {
    const sent: string[][] = [];
    await using server = await startServer((request, response) => {
      sent.push(request.rawHeaders.map((text) => text.toLowerCase()));
      response.end('{"rows":[]}');
    });
    const books = defineOperation({
      get: '/books',
      headers: { Accept: '${accept}', 'user-agent': '${agent}', 'x-version': 'v${version}' },
      params: { accept: { type: 'string' }, agent: { type: 'string' }, version: { type: 'string' } },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
    });
    const service = defineService({ name: 'library', operations: { books } });
    await using client = createClient({ service, baseUrl: server.url });
    await lastValueFrom(of({ accept: 'text/a', agent: 'me', version: '2' }, {}).pipe(concatMap((query) => client.books(query))));
    const valuesOf = (request: string[], name: string) => request.filter((_, at) => at % 2 === 1 && request[at - 1] === name);
    const values = sent.map((request) => ['accept', 'user-agent', 'x-version'].map((name) => valuesOf(request, name)));
    expect(values).toEqual([[['text/a'], ['me'], ['v2']], [['application/json'], [`trawler/${version}`], []]]); // prettier-ignore
  });
});

describe('a parameter of the name that the key has in the address', () => {
  const define = (more: object) => {
    const operation = {
      params: { key: { type: 'string' } },
      response: { rows: ['string'] },
      rows: 'rows',
      ...more,
    };
    return defineService({ name: 'library', query: { key: '${key}' }, operations: { books: defineOperation(operation as never) } });
  };

  it('is refused', () =>
    expect(() => define({ get: '/books' })).toThrow('operations.books.params.key has the name that a secret has in the address'));

  it('may be in a body', () => {
    expect(define({ post: '/books' }).name).toBe('library');
  });
});
