import { concatMap, lastValueFrom, of, toArray } from 'rxjs';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { expandCursor, items } from '../../../operators/index.ts';
import { defineOperation, defineService, type KeySpec } from '../../../src/contract/index.ts';
import { version } from '../../../src/client/version.ts';
import { startServer } from '../startServer.ts';
import { createClient } from '../../../src/createClient.ts';
import { all, canary, expectNone, library, serviceOf, walked } from './library.ts';

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
    [`user:${canary} and wörds`, `user:${canary} and wörds`],
  ])('%s is sent as %s, and is shown and kept nowhere', async (key, sent) => {
    const header = `Basic ${Buffer.from(sent).toString('base64')}`;
    const server = await library(({ headers }) => (headers.authorization === header ? undefined : 401));
    const { rows, text } = await walked({ basic: true }, server, key);
    expect([rows, server.requests.length]).toEqual([all, 3]);
    expectNone(text, canary, sent, header);
  });
});

describe('a key that can not be sent', () => {
  it.each<[string, KeySpec, string, string]>([
    ['a blank in a header', { header: 'x-key' }, 'a b', "a blank or another character that its header can't carry"],
    ['a letter that is no ASCII in a header', { header: 'x-key' }, 'ö', "a blank or another character that its header can't carry"],
    ['a line break in HTTP Basic', { basic: true }, 'user:a\nb', 'a line break or another control character'],
    ['a line break in an address', { param: 'key' }, 'a\nb', 'a line break or another control character'],
  ])('is refused before anything is sent: %s', (_, spec, apiKey, why) =>
    expect(() => createClient({ service: serviceOf(spec), baseUrl: 'http://127.0.0.1:1', apiKey })).toThrow(
      `createClient: apiKey contains ${why}`,
    ),
  );
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

describe('a header that a parameter gives', () => {
  it('takes the place of ours, and of one of its operation', async () => {
    const sent: string[][] = [];
    await using server = await startServer((request, response) => {
      sent.push(request.rawHeaders.map((text) => text.toLowerCase()));
      response.end('{"rows":[]}');
    });
    const header = (name: string) => ({ type: 'string', in: 'header', name }) as const;
    const books = defineOperation({
      path: '/books',
      headers: { 'x-version': '1' },
      params: { accept: header('Accept'), agent: header('user-agent'), version: header('X-Version') },
      response: { rows: [{ id: 'string' }] },
      list: 'rows',
      paging: { kind: 'none' },
    });
    const service = defineService({ name: 'library', operations: { books } });
    await using client = createClient({ service, baseUrl: server.url });
    await lastValueFrom(of({ accept: 'text/a', agent: 'me', version: '2' }, {}).pipe(concatMap((query) => client.books(query))));
    const valuesOf = (request: string[], name: string) => request.filter((_, at) => at % 2 === 1 && request[at - 1] === name);
    const values = sent.map((request) => ['accept', 'user-agent', 'x-version'].map((name) => valuesOf(request, name)));
    expect(values).toEqual([[['text/a'], ['me'], ['2']], [['application/json'], [`trawler/${version}`], ['1']]]); // prettier-ignore
  });
});

const oauth2 = { address: '/token', grant: 'client_credentials' };

describe('defineService', () => {
  it.each([
    [{}, 'key must have one of header, param, basic, oauth2, sign, and it has none of them'],
    [{ header: 'x', param: 'y' }, 'key must have one of header, param, basic, oauth2, sign, and it has header and param'],
    [{ header: 'a b' }, "key.header must be a header's name, not 'a b'"],
    [{ header: 'x', value: 'Bearer' }, "key.value must be a function, not 'Bearer'"],
    [{ header: 'x', valeu: String }, "there is no field 'key.valeu'; did you mean 'key.value'?"],
    [{ param: '' }, "key.param must be a parameter's name, not ''"],
    [{ param: 'q' }, 'operations.books.params.q is the parameter that the key has; leave it out'],
    [{ basic: 'yes' }, "key.basic must be true, not 'yes'"],
    [{ sign: 'hmac' }, "key.sign must be a function, not 'hmac'"],
    [{ oauth2: true }, 'key.oauth2 must be an object, not true'],
    [{ oauth2: { ...oauth2, adress: '/token' } }, "there is no field 'key.oauth2.adress'; did you mean 'key.oauth2.address'?"],
    [
      { oauth2: { ...oauth2, address: 'token' } },
      "key.oauth2.address must be a path that starts with a slash, or an https address, not 'token'",
    ],
    [{ oauth2: { ...oauth2, address: 'https://a:b@x.example/' } }, 'key.oauth2.address must be a path'],
    [
      { oauth2: { ...oauth2, grant: 'client_credential' } },
      "key.oauth2.grant must be 'client_credentials', 'refresh_token' or 'password', not 'client_credential'; did you mean 'client_credentials'?",
    ],
    [{ oauth2: { ...oauth2, send: 'header' } }, "key.oauth2.send must be 'basic' or 'body', not 'header'"],
    [{ oauth2: { ...oauth2, scope: ['a'] } }, 'key.oauth2.scope must be a text that is not empty, not ["a"]'],
    [{ oauth2: { ...oauth2, file: 'token' } }, "key.oauth2.file is for the grant 'refresh_token', not 'client_credentials'"],
    [{ oauth2: { ...oauth2, grant: 'refresh_token' } }, 'key.oauth2.file is missing: the file with the refresh token'],
  ])('refuses the key %j', (key, message) =>
    expect(() => serviceOf(key as unknown as KeySpec)).toThrow(`defineService(library): ${message}`),
  );
});

describe('a parameter of the name that the key has in the address', () => {
  const operation = (more: object) =>
    defineOperation({
      path: '/books',
      params: {},
      response: { rows: [{ id: 'string' }] },
      list: 'rows',
      paging: { kind: 'none' },
      ...more,
    });
  const define = (more: object, ofService: object = {}) =>
    defineService({ name: 'library', key: { param: 'key' }, operations: { books: operation(more) }, ...ofService });

  it.each([
    ['a fixed one of the operation', { fixed: { key: '1' } }, {}, 'operations.books.fixed.key'],
    ['a fixed one of the service', {}, { fixed: { key: '1' } }, 'operations.books.fixed.key'],
    ['a name in the request', { params: { k: { type: 'string', name: 'key' } } }, {}, 'operations.books.params.k'],
  ])('is refused: %s', (_, more, ofService, place) =>
    expect(() => define(more, ofService)).toThrow(`${place} is the parameter that the key has; leave it out`),
  );

  it('may be in a body', () => {
    expect(define({ method: 'POST', params: { key: { type: 'string' } } }).name).toBe('library');
  });
});
