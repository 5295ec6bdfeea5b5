import { readFileSync } from 'node:fs';
import { readFile, readdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { expandCursor, items } from '../../../operators/index.ts';
import type { ClientOptions } from '../../../src/client/ClientOptions.ts';
import { systemClock } from '../../../src/client/Clock.ts';
import { createClient } from '../../../src/createClient.ts';
import { errorOf } from '../testClient.ts';
import { startServer } from '../startServer.ts';
import { all, canary, closeAfter, expectNone, library, removeAfter, type Secret, serviceOf, walked } from './library.ts';
import { basic, firstRefresh, id, key, password, tokenServer, type TokenServer } from './tokenServer.ts';

interface OAuth2 {
  readonly address?: string;
  readonly grant?: 'client_credentials' | 'password' | 'refresh_token';
  /** How id and secret are sent. */
  readonly send?: 'basic' | 'body' | undefined;
  readonly scope?: string;
  readonly file?: string | undefined;
}

const ofGrant = {
  client_credentials: {},
  password: { username: '${secret.user}', password: '${secret.password}' },
  refresh_token: { refresh_token: '${refresh}' },
} as const;

/** OAuth 2 as a description says it. */
const keyOf = (
  tokens: TokenServer,
  { address = tokens.url, grant = 'client_credentials', send = 'basic', scope, file }: OAuth2 = {},
): Secret => ({
  headers: { authorization: 'Bearer ${token}' },
  token: {
    post: address,
    ...(send === 'basic' && { headers: { authorization: 'Basic ${basic}' } }),
    form: {
      grant_type: grant,
      ...(scope === undefined ? {} : { scope }),
      ...(send === 'body' && { client_id: '${secret.clientId}', client_secret: '${secret.clientSecret}' }),
      ...ofGrant[grant],
    },
    at: 'access_token',
    expires: 'expires_in',
    refresh: file === undefined ? undefined : { file, at: 'refresh_token' },
  },
});
const application = { clientId: id, clientSecret: canary };
const account = { user: 'jo', password };
const knownTo = (tokens: TokenServer) => library((request) => (tokens.knows(request) ? undefined : 401));

async function tokenFile(text = `${firstRefresh}\n`): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-oauth-'));
  removeAfter(folder);
  const path = join(folder, 'token');
  await writeFile(path, text);
  return path;
}

function open(tokens: TokenServer, baseUrl: string, more: OAuth2 = {}, options: ClientOptions = {}) {
  const retry = { baseMs: 1, ...options.retry };
  return createClient({ service: serviceOf(keyOf(tokens, more)), baseUrl, apiKey: key, rate: 'unlimited', ...options, retry });
}

describe('a key of OAuth 2', () => {
  it.each<[NonNullable<OAuth2['grant']>, OAuth2['send']]>([
    ['client_credentials', 'basic'],
    ['client_credentials', 'body'],
    ['password', undefined],
    ['password', 'body'],
    ['refresh_token', 'basic'],
    ['refresh_token', 'body'],
  ])('gets a token by %s (%s), and nothing of it is shown or kept', async (grant, send) => {
    const tokens = await tokenServer();
    const server = await knownTo(tokens);
    const file = grant === 'refresh_token' ? await tokenFile() : undefined;
    const secrets = { ...(send === 'body' && application), ...(grant === 'password' && account) };
    const { rows, text, error } = await walked(keyOf(tokens, { grant, send, file, scope: 'read all' }), server, key, { secrets });
    expect(error).toBeUndefined();
    expect([rows, server.requests.length, tokens.requests.length]).toEqual([all, 3, 1]);
    const { form, headers } = tokens.requests[0]!;
    expect(form).toEqual({
      grant_type: grant,
      scope: 'read all',
      ...(send === 'body' && { client_id: id, client_secret: canary }),
      ...(grant === 'password' && { username: 'jo', password }),
      ...(grant === 'refresh_token' && { refresh_token: firstRefresh }),
    });
    expect(headers.authorization).toBe(send === 'body' ? undefined : basic);
    expectNone(text, canary, key, password, firstRefresh, ...tokens.given);
  });

  it('takes user and password from the environment, and says what is missing', async () => {
    const tokens = await tokenServer();
    const grant = 'password' as const;
    expect(() => open(tokens, tokens.url, { grant })).toThrow('secrets.user is missing; give it as an option or set TRAWLER_USER');
    expect(() => open(tokens, 'http://127.0.0.1', { grant }, { secrets: { user: 'jo' } })).toThrow(
      'secrets.password is missing; give it as an option or set TRAWLER_PASSWORD',
    );
    vi.stubEnv('TRAWLER_USER', 'jo');
    vi.stubEnv('TRAWLER_PASSWORD', password);
    const server = await knownTo(tokens);
    await using client = open(tokens, server.url, { grant });
    expect((await lastValueFrom(client.books({ q: 'sea' }))).items).toHaveLength(2);
    vi.unstubAllEnvs();
    const insecure = { address: 'http://tokens.example/token' };
    expect(() => open(tokens, 'http://127.0.0.1', insecure)).toThrow('the address of the token is http on tokens.example');
  });

  it('may be at the address of the service itself', async () => {
    const server = await startServer((request, response) => {
      const knows = request.headers.authorization === 'Bearer here-is-a-token';
      if (request.url === '/oauth/token?tenant=1') response.end('{"access_token":"here-is-a-token","expires_in":"3600"}');
      else response.writeHead(knows ? 200 : 401).end(JSON.stringify({ rows: [{ id: request.url }], next: null }));
    });
    closeAfter(server);
    const service = serviceOf(keyOf({} as TokenServer, { address: '/oauth/token?tenant=1' }));
    await using client = createClient({ service, baseUrl: server.url, apiKey: key });
    const [page] = await lastValueFrom(client.books({ q: 'sea' }).pipe(toArray()));
    expect(page!.items).toEqual([{ id: '/v1/books?q=sea' }]);
  });

  it('is renewed once for all requests in flight, before it expires, and once after a 401', async () => {
    const tokens = await tokenServer({ expires: 3600 });
    const server = await knownTo(tokens);
    let passedMs = 0; // a token of an hour: no loaded machine is that slow
    const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
    await using client = open(tokens, server.url, {}, { clock });
    const queries = of(...['a', 'b', 'c', 'd', 'e', 'f'].map((q) => ({ q })));
    const rows = () => lastValueFrom(queries.pipe(expandCursor(client.books, { concurrency: 6 }), items(), toArray()));
    expect([(await rows()).length, tokens.requests.length, server.requests.length]).toEqual([36, 1, 18]);
    passedMs = 3_000_000;
    expect([(await rows()).length, tokens.requests.length, server.requests.length]).toEqual([36, 1, 36]);
    passedMs = 3_540_000; // a minute before its end
    expect([(await rows()).length, tokens.requests.length, server.requests.length]).toEqual([36, 2, 54]);
    tokens.revoke();
    expect([(await rows()).length, tokens.requests.length]).toEqual([36, 3]);
    expect(server.requests.length).toBeLessThanOrEqual(72 + 6);
  });

  it('that is refused right after its renewal ends the client', async () => {
    const tokens = await tokenServer();
    const server = await library(() => 401);
    const { error } = await walked(keyOf(tokens), server, key);
    expect(error).toMatchObject({ name: 'AuthError', status: 401 });
    expect([server.requests.length, tokens.requests.length]).toEqual([2, 2]);
  });

  it('goes to the host of the tokens alone, and tokens go to the service alone', async () => {
    const tokens = await tokenServer();
    const server = await knownTo(tokens);
    await walked(keyOf(tokens, { send: 'body' }), server, key, { secrets: application });
    expectNone(JSON.stringify(tokens.requests), ...tokens.given);
    expect(tokens.requests[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expectNone(JSON.stringify(server.requests.map(({ headers, url }) => [headers, url])), canary, key);
  });
});

describe('an address of tokens that fails', () => {
  it.each([
    [
      'by 401',
      { status: 401, body: '{"error":"invalid_client","error_description":"no app app+1:c4n+ary/S3cret="}' },
      /HTTP 401; the service says "invalid_client: no app \[key\]"; check apiKey and the token of the service/,
    ],
    ['by HTTP 200', { status: 200, body: '{"error":"bad_verification_code"}' }, /HTTP 200; the service says "bad_verification_code"/],
    ['by a redirect', { status: 302, body: '', headers: { location: 'https://elsewhere.example/' } }, /HTTP 302/],
  ])('%s ends the client with what it says, and nothing is sent', async (_, said, message) => {
    const tokens = await tokenServer({ says: () => said });
    const server = await knownTo(tokens);
    const { error, text, requests } = await walked(keyOf(tokens), server, key, { maxRequests: 1 });
    expect(error).toMatchObject({ name: 'AuthError', message: expect.stringMatching(message) as string });
    expect([requests, server.requests.length, tokens.requests.length]).toEqual([0, 0, 1]);
    expectNone(text, canary, key);
  });

  it('for a moment is tried again, and costs no request', async () => {
    const says = (n: number) => (n <= 2 ? { status: 503, body: 'busy' } : undefined);
    const tokens = await tokenServer({ says });
    const server = await knownTo(tokens);
    const { rows, requests } = await walked(keyOf(tokens), server, key, { maxRequests: 3, retry: { baseMs: 1 } });
    expect([rows, requests, server.requests.length, tokens.requests.length]).toEqual([all, 3, 3, 3]);
  });

  it('for good ends each call after retry.maxAttempts, with the status', async () => {
    const tokens = await tokenServer({ says: () => ({ status: 503, body: 'busy' }) });
    const server = await knownTo(tokens);
    await using client = open(tokens, server.url, {}, { retry: { maxAttempts: 3, baseMs: 20 } });
    const errors = await Promise.all(['a', 'b', 'c', 'd'].map((q) => errorOf(client.books({ q }))));
    for (const error of errors)
      expect(error).toMatchObject({
        name: 'HttpError',
        status: 503,
        attempts: 3,
        message: expect.stringMatching(/no access token from http.*HTTP 503.*"busy", 3 times/) as string,
      });
    expect(tokens.requests.length).toBeLessThanOrEqual(8);
    expect([client.stats().requests, server.requests.length]).toEqual([0, 0]);
  });

  it('says nothing of a body that may hold a token', async () => {
    const tokens = await tokenServer({ says: () => ({ status: 200, body: '{"access_token":"half-a-token' }) });
    const server = await knownTo(tokens);
    const { error, text } = await walked(keyOf(tokens), server, key, { retry: { baseMs: 1 } });
    expect(error).toMatchObject({ name: 'PayloadError', message: expect.stringContaining('not JSON with access_token') as string });
    expectNone(text, 'half-a-token');
  });
});

describe('a refresh token', () => {
  const grant = 'refresh_token' as const;

  it('that is rotated is in the file, for its owner only, before the access token is used', async () => {
    const tokens = await tokenServer({ rotates: true });
    const file = await tokenFile();
    const seen: string[] = [];
    const server = await startServer((request, response) => {
      seen.push(readFileSync(file, 'utf8'));
      response.writeHead(tokens.knows(request) ? 200 : 401).end(JSON.stringify({ rows: [{ id: '1' }], next: null }));
    });
    closeAfter(server);
    for (const q of ['a', 'b']) {
      await using client = open(tokens, server.url, { grant, file });
      await lastValueFrom(client.books({ q }));
    }
    expect(seen).toEqual([`${firstRefresh}-1\n`, `${firstRefresh}-2\n`]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(file, '..'))).toEqual(['token']);
  });

  it('is used by one client after the other', async () => {
    const tokens = await tokenServer({ rotates: true });
    const file = await tokenFile();
    const server = await knownTo(tokens);
    const clients = [1, 2, 3, 4].map(() => open(tokens, server.url, { grant, file }));
    const pages = await Promise.all(clients.map((client) => lastValueFrom(client.books({ q: 'a' }))));
    await Promise.all(clients.map((client) => client.close()));
    expect([pages.length, tokens.requests.length]).toEqual([4, 4]);
    expect(await readFile(file, 'utf8')).toBe(`${firstRefresh}-4\n`);
  });

  it('is used although a process died with its lock', async () => {
    const tokens = await tokenServer({ rotates: true });
    const file = await tokenFile();
    await writeFile(`${file}.lock`, JSON.stringify({ host: 'elsewhere', pid: 1, beat: Date.now() - 120_000 }));
    const server = await knownTo(tokens);
    await using client = open(tokens, server.url, { grant, file });
    expect((await lastValueFrom(client.books({ q: 'a' }))).items).toHaveLength(2);
    expect(await readdir(join(file, '..'))).toEqual(['token']);
  });

  it.each([
    [
      'is missing',
      undefined,
      /the refresh token in .*token can't be read: there is no such file or folder; write the first refresh token into that file/,
    ],
    ['is empty', '\n', /can't be used: the file must hold one token and nothing else/],
  ])('whose file %s is an error that says what to do', async (_, text, message) => {
    const tokens = await tokenServer();
    const file = text === undefined ? `${await tokenFile()}/../other-token` : await tokenFile(text);
    const server = await knownTo(tokens);
    await using client = open(tokens, server.url, { grant, file });
    expect(await errorOf(client.books({ q: 'a' }))).toMatchObject({ name: 'AuthError', message: expect.stringMatching(message) as string });
    expect(tokens.requests).toHaveLength(0);
  });
});
