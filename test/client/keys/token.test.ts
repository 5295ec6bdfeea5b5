import { readFile, mkdtemp, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { expandCursor, items } from '../../../operators/index.ts';
import type { TokenSpec } from '../../../src/contract/index.ts';
import { systemClock } from '../../../src/client/Clock.ts';
import { createClient } from '../../../src/createClient.ts';
import { bodyOf, startServer } from '../startServer.ts';
import { all, canary, closeAfter, expectNone, library, removeAfter, type Secret, serviceOf, walked } from './library.ts';

const key = `app+1:${canary}`;
const basic = Buffer.from(key).toString('base64');
const password = 'pass word/ö+9';
const plain: TokenSpec = { post: '/login', body: { word: '${key}' }, at: 'token' };

interface Came {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
interface LoginRules {
  /** What it says in place of `{ token }`. */
  readonly says?: (token: string, n: number) => unknown;
  /** The header that has the token. */
  readonly header?: string;
  readonly status?: number;
}

/** Gives a token for each request, and refuses all others. */
async function loginServer({ says = (token) => ({ token }), header, status = 200 }: LoginRules = {}) {
  const requests: Came[] = [];
  const given: string[] = [];
  const server = await startServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { method, url, headers } = request;
      requests.push({ method: method!, url: url!, headers, body });
      given.push(`session-${requests.length}-${Math.random().toString(36).slice(2)}`);
      const said = says(given.at(-1)!, requests.length);
      response
        .writeHead(status, header === undefined ? {} : { [header]: given.at(-1)! })
        .end(typeof said === 'string' ? said : JSON.stringify(said));
    });
  });
  closeAfter(server);
  return { url: `${server.url}/login`, origin: server.url, requests, given, valid: () => given.at(-1)! };
}
type LoginServer = Awaited<ReturnType<typeof loginServer>>;

const header = (tokens: LoginServer, more: Partial<TokenSpec> = {}): Secret => ({
  headers: { 'x-session': 'Session ${token}' },
  token: { ...plain, post: tokens.url, ...more },
});
const knownTo = (tokens: LoginServer) => library(({ headers }) => (headers['x-session'] === `Session ${tokens.valid()}` ? undefined : 401));

describe('a token', () => {
  it.each<[string, (url: string) => Partial<TokenSpec>, Partial<Came>, object?]>([
    [
      'JSON',
      () => ({ body: { auth: { app: 'app', word: '${key}', days: 3 } } }),
      { method: 'POST', body: `{"auth":{"app":"app","word":"${key}","days":3}}` },
    ],
    [
      'a form',
      () => ({ body: undefined, form: { user: '${secret.user}', password: '${secret.password}' } }),
      { body: `user=jo&password=pass+word%2F%C3%B6%2B9` },
      { user: 'jo', password },
    ],
    [
      'parameters of a GET',
      (url) => ({ post: undefined, get: url, body: undefined, query: { apikey: '${key}' } }),
      { method: 'GET', body: '', url: `/login?apikey=${new URLSearchParams([['', key]]).toString().slice(1)}` },
    ],
    ['a header', (url) => ({ post: url, body: undefined, headers: { Authorization: 'Basic ${basic}' } }), { method: 'POST', body: '' }],
  ])('is requested with %s, and nothing of it is shown or kept', async (_, moreOf, wanted, secrets = {}) => {
    const tokens = await loginServer();
    const server = await knownTo(tokens);
    const more = moreOf(tokens.url);
    const { rows, text, error } = await walked(header(tokens, more), server, key, { secrets: secrets as { [name: string]: string } });
    expect(error).toBeUndefined();
    expect([rows, server.requests.length, tokens.requests.length]).toEqual([all, 3, 1]);
    expect(tokens.requests[0]).toMatchObject(wanted);
    const { headers } = tokens.requests[0]!;
    expect(headers.authorization).toBe(more.headers === undefined ? undefined : `Basic ${basic}`);
    expectNone(text, canary, key, password, basic, ...tokens.given);
    // The key goes to the address of tokens alone.
    expectNone(JSON.stringify(server.requests.map((one) => [one.headers, one.url])), canary, key, password);
  });

  it.each<[string, Partial<TokenSpec>, (token: string) => unknown]>([
    ['deep in the response', { at: 'data.0.access.id' }, (token) => ({ data: [{ access: { id: token } }] })],
    ['the whole response as JSON', { at: '' }, (token) => JSON.stringify(token)],
    ['the whole response as text', { at: '' }, (token) => `${token}\n`],
  ])('may stand %s', async (_, more, says) => {
    const tokens = await loginServer({ says });
    const server = await knownTo(tokens);
    expect((await walked(header(tokens, more), server, key)).rows).toEqual(all);
  });

  it('may stand in a header of the response', async () => {
    const tokens = await loginServer({ header: 'x-subject-token', says: () => ({}) });
    const server = await knownTo(tokens);
    const { rows, text } = await walked(header(tokens, { at: 'header:X-Subject-Token' }), server, key);
    expect(rows).toEqual(all);
    expectNone(text, canary, ...tokens.given);
  });

  it('may go along as a parameter, also of next pages', async () => {
    const tokens = await loginServer();
    const server = await library(({ url }) =>
      new URL(url!, 'http://a').searchParams.getAll('sid').join() === tokens.valid() ? undefined : 401,
    );
    const { rows, text } = await walked({ query: { sid: '${token}' }, token: { ...plain, post: tokens.url } }, server, key);
    expect(rows).toEqual(all);
    expectNone(text, canary, ...tokens.given);
  });

  it('is at the address of the service itself where the path says so, and a login needs no apiKey', async () => {
    const seen: string[] = [];
    const server = await startServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${String(request.headers['x-session'] ?? '')}`);
      response.end(JSON.stringify(request.url === '/login' ? { token: 'here-it-is' } : { rows: [{ id: '1' }], next: null }));
    });
    closeAfter(server);
    const service = serviceOf({
      headers: { 'x-session': '${token}' },
      token: { ...plain, body: { user: '${secret.user}', password: '${secret.password}' } },
    });
    expect(() => createClient({ service, baseUrl: server.url })).toThrow(
      'secrets.user is missing; give it as an option or set TRAWLER_USER',
    );
    vi.stubEnv('TRAWLER_USER', 'jo');
    vi.stubEnv('TRAWLER_PASSWORD', password);
    await using client = createClient({ service, baseUrl: server.url });
    expect((await lastValueFrom(client.books({ q: 'sea' }))).items).toEqual([{ id: '1' }]);
    expect(seen).toEqual(['POST /login ', 'GET /v1/books?q=sea here-it-is']);
    vi.unstubAllEnvs();
  });

  const hourMs = 3_600_000;
  it.each<[string, Partial<TokenSpec>, unknown]>([
    ['seconds', { expires: 'life' }, 3600],
    ['seconds as text', { expires: 'life' }, '3600'],
    ['a date', { expires: 'life' }, new Date(Date.now() + hourMs).toISOString()],
    ['seconds since 1970', { expires: 'life' }, Math.round((Date.now() + hourMs) / 1000)],
    ['milliseconds since 1970', { expires: 'life' }, Date.now() + hourMs],
    ['a number of the description', { expires: 3600 }, undefined],
  ])('is renewed a minute before its end, which is said as %s', async (_, more, life) => {
    const tokens = await loginServer({ says: (token) => ({ token, life }) });
    const server = await knownTo(tokens);
    let passedMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
    await using client = createClient({
      service: serviceOf(header(tokens, more)),
      baseUrl: server.url,
      apiKey: key,
      clock,
      rate: 'unlimited',
    });
    const rows = () => lastValueFrom(of({ q: 'a' }).pipe(expandCursor(client.books), items(), toArray()));
    for (const [afterMs, wanted] of [
      [0, 1],
      [hourMs - 120_000, 1],
      [hourMs - 30_000, 2],
    ] as const) {
      passedMs = afterMs;
      expect([(await rows()).length, tokens.requests.length]).toEqual([6, wanted]);
    }
  });

  it.each([0, '0', -1, null, ''])('is used until it is refused, if its end is said as %j', async (life) => {
    const tokens = await loginServer({ says: (token) => ({ token, life }) });
    let isRefused = false;
    const server = await library(({ headers }) => {
      const isRight = headers['x-session'] === `Session ${tokens.valid()}` && !isRefused;
      isRefused = false;
      return isRight ? undefined : 401;
    });
    await using client = createClient({
      service: serviceOf(header(tokens, { expires: 'life' })),
      baseUrl: server.url,
      apiKey: key,
      rate: 'unlimited',
    });
    const rows = () => lastValueFrom(of({ q: 'a' }).pipe(expandCursor(client.books), items(), toArray()));
    expect([(await rows()).length, tokens.requests.length]).toEqual([6, 1]);
    isRefused = true;
    expect([(await rows()).length, tokens.requests.length]).toEqual([6, 2]);
  });

  it('that is refused is requested once more, and then all rows come', async () => {
    const tokens = await loginServer();
    let left = 2; // requests that a token is good for
    const server = await library(({ headers }) => {
      if (headers['x-session'] === `Session ${tokens.valid()}` && left-- > 0) return undefined;
      left = 2;
      return 401;
    });
    const { rows, error } = await walked(header(tokens), server, key);
    expect([error, rows, tokens.requests.length, server.requests.length]).toEqual([undefined, all, 2, 4]);
  });

  it('is renewed with a refresh token that rotates, by the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-token-'));
    removeAfter(folder);
    const file = join(folder, 'token');
    await writeFile(file, 'refresh-0\n');
    const tokens = await loginServer({ says: (token, n) => ({ token, again: `refresh-${n}` }) });
    const server = await knownTo(tokens);
    const more: Partial<TokenSpec> = { body: { refresh: '${refresh}' }, refresh: { file, at: 'again' } };
    for (const _ of [1, 2]) expect((await walked(header(tokens, more), server, key)).rows).toEqual(all);
    expect(tokens.requests.map(({ body }) => body)).toEqual(['{"refresh":"refresh-0"}', '{"refresh":"refresh-1"}']);
    expect(await readFile(file, 'utf8')).toBe('refresh-2\n');
  });

  it.each<[string, LoginRules, object]>([
    [
      'refuses',
      { status: 401, says: () => ({ error: `no ${canary}` }) },
      {
        name: 'AuthError',
        message: expect.stringMatching(/HTTP 401; the service says "no \[key\]"; check apiKey and the token of the service/) as string,
      },
    ],
    [
      'gives no token',
      { says: () => ({ tokens: 'half-a-token' }) },
      {
        name: 'PayloadError',
        message: expect.stringMatching(/HTTP 200, but not JSON with token.*check the token of the service/) as string,
      },
    ],
  ])('is missing where the service %s, and no key is shown', async (_, rules, wanted) => {
    const tokens = await loginServer(rules);
    const server = await library(() => 500);
    const { error, text } = await walked(header(tokens), server, key, { retry: { baseMs: 1 } });
    expect(error).toMatchObject(wanted);
    expect(server.requests).toHaveLength(0);
    expectNone(text, canary, 'half-a-token');
  });

  it('is not requested over plain http elsewhere', () => {
    const service = serviceOf({ headers: { 'x-session': '${token}' }, token: { ...plain, post: 'http://tokens.example/login' } });
    expect(() => createClient({ service, baseUrl: 'http://127.0.0.1', apiKey: key })).toThrow(
      'the address of the token is http on tokens.example',
    );
  });

  it.each<[Partial<TokenSpec>, string]>([
    [{ body: { user: '${usr}' } }, 'token.body.user has ${usr}, and there is ${key}'],
    [{ body: { user: '${kye}' } }, 'token.body.user has ${kye}, did you mean ${key}?'],
    [{ body: { user: '${token}${key}' } }, 'token.body.user has ${token}, which is what it requests'],
    [{ form: { word: '${key}' } }, 'token has a body and a form; a request has one body'],
    [{ post: undefined, get: '/login' }, 'token has get, which has no body; use query, or post'],
    [{ get: '/login' }, 'token must have one of get and post: where tokens are requested'],
    [{ body: { user: 'jo' } }, 'token sends no secret: write ${key}, ${basic} or ${secret.name} where it belongs'],
    [{ body: { refresh: '${refresh}' } }, 'token.refresh is missing: the file with the refresh token'],
    [{ refresh: { file: 'x' } }, "token.refresh is for '${refresh}', which is nowhere sent"],
    [{ post: '//elsewhere.example/login' }, 'token.post must be a path that starts with a slash, or an https address'],
    [{ expres: 60 } as never, "there is no field 'token.expres'; did you mean 'token.expires'?"],
    [{ at: 'a[0]' }, "token.at must be a dotted path, '', or header:name, not 'a[0]'"],
    [{ at: 'header:a b' }, "token.at must be a dotted path, '', or header:name, not 'header:a b'"],
  ])('is refused as %j', (more, message) => {
    expect(() => serviceOf({ headers: { 'x-session': '${token}' }, token: { ...plain, ...more } })).toThrow(message);
  });

  it('is refused where no text has it, and missing where one does', () => {
    expect(() => serviceOf({ token: plain })).toThrow('token is requested, and no text has ${token}');
    expect(() => serviceOf({ headers: { 'x-session': '${token}' } })).toThrow('token is missing: how the token is requested');
    expect(() => serviceOf({ headers: { 'x-session': '${refresh}' } })).toThrow('headers.x-session has ${refresh}, which only');
  });
});
