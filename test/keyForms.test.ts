import { createHmac } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { constants, gunzipSync } from 'node:zlib';
import { catchError, lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { expandCursor, type CursorPaging, type PageFactory, type PageLike } from '../operators/index.ts';
import { loadService } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import { hasRedis, startRedis } from './bullmq/startRedis.ts';
import { bodyOf, startServer, type TestServer } from './client/startServer.ts';
import { until } from './client/testClient.ts';
import { ofTheDay } from './ofTheDay.ts';
import { runInProcess } from './cli/runInProcess.ts';

const secret = 'c4n+ary/S3cret=';
const password = 'pass+word/9=ö';
const refresh = 'refresh-token-of-the-user';
const pairs = `app:${secret}`;
/** Of the application, beside the key. */
const other = { TRAWLER_APP_KEY: 'second-s3cret/of=app', TRAWLER_APP_ID: 'third+s3cret of-app' };
const basic = `Basic ${Buffer.from(pairs).toString('base64')}`;
const signed = (url: string, time: string): string =>
  createHmac('sha256', secret)
    .update(time + url)
    .digest('hex');

interface Form {
  /** The key of the description, as code. */
  readonly code: string;
  readonly apiKey?: string;
  /** Whether a request says who sent it. */
  readonly knows: (request: IncomingMessage, tokens: ReadonlySet<string>) => boolean;
}
const bearer: Form['knows'] = ({ headers }, tokens) => tokens.has(headers.authorization?.slice('Bearer '.length) ?? '');
const inHeader = (text: string): string => `headers: { 'x-key': '${text}' }`;
const oauth2 = (form: string, more = ''): Form => ({
  code: `headers: { authorization: 'Bearer \${token}' }, token: { post: '/token', ${form}, at: 'access_token', expires: 'expires_in'${more} }`,
  apiKey: pairs,
  knows: bearer,
});
const byBasic = "headers: { authorization: 'Basic ${basic}' }";
const forms: { readonly [name: string]: Form } = {
  header: { code: inHeader('${key}'), knows: ({ headers }) => headers['x-key'] === secret },
  'a word before it': { code: inHeader('Token ${key}'), knows: ({ headers }) => headers['x-key'] === `Token ${secret}` },
  param: {
    code: "query: { key: '${key}' }",
    knows: ({ url }) => new URL(url!, 'http://a').searchParams.getAll('key').join() === secret,
  },
  'three keys': {
    code: "query: { app_id: '${secret.appId}' }, headers: { 'x-key': '${key}', 'x-app': 'App ${secret.appKey}' }",
    knows: ({ headers, url }) =>
      headers['x-key'] === secret &&
      headers['x-app'] === `App ${other.TRAWLER_APP_KEY}` &&
      new URL(url!, 'http://a').searchParams.getAll('app_id').join() === other.TRAWLER_APP_ID,
  },
  basic: { code: byBasic, apiKey: pairs, knows: ({ headers }) => headers.authorization === basic },
  'client credentials': oauth2(`${byBasic}, form: { grant_type: 'client_credentials' }`),
  'password grant': oauth2(`${byBasic}, form: { grant_type: 'password', username: '\${secret.user}', password: '\${secret.password}' }`),
  'refresh token': oauth2(
    `${byBasic}, form: { grant_type: 'refresh_token', refresh_token: '\${refresh}' }`,
    ", refresh: { file: process.env.TOKEN_FILE, at: 'refresh_token' }",
  ),
  login: {
    code: "headers: { 'x-session': 'Session ${token}' }, token: { post: '/login', body: { auth: { word: '${key}' } }, at: 'session.token', expires: 'session.until' }",
    apiKey: pairs,
    knows: ({ headers }, tokens) => tokens.has(String(headers['x-session']).slice('Session '.length)),
  },
  'token in the address': {
    code: "query: { sid: '${token}' }, token: { get: '/login', query: { word: '${key}', pass: '${secret.password}' }, at: 'session.token' }",
    apiKey: pairs,
    knows: ({ url }, tokens) => tokens.has(new URL(url!, 'http://a').searchParams.getAll('sid').join()),
  },
  signature: {
    code: `sign: async ({ url }, key) => {
      const time = String(Date.now());
      return { 'x-time': time, authorization: 'HMAC ' + createHmac('sha256', key).update(time + url).digest('hex') };
    }`,
    knows: ({ headers, url }) => headers.authorization === `HMAC ${signed(`http://${headers.host}${url}`, String(headers['x-time']))}`,
  },
};

const moduleOf = (code: string): string => `
import { createHmac } from 'node:crypto';
import { defineOperation, defineService } from '${inject('dist')}/bundle/index.js';
export default defineService({
  name: 'library',
  baseUrl: '/v1',
  ${code},
  operations: {
    books: defineOperation({
      post: '/books',
      params: { q: { type: 'string', required: true } },
      response: { rows: [{ id: 'string', said: 'string' }], next: 'string|null' },
      rows: 'rows',
      next: 'next',
    }),
  },
});
void createHmac;
`;
const flow = {
  name: 'library',
  service: './service.mjs',
  stages: {
    books: {
      call: 'books',
      with: { q: ['a', 'b', 'c', 'd', 'e', 'bad'] },
      pages: 'all',
      to: ['books.jsonl', 'books.csv'],
      provenance: true,
    },
  },
};
const idsOf = (...queries: string[]): string[] =>
  queries.flatMap((q) => [0, 1, 2].flatMap((page) => [0, 1].map((row) => `${q}${page}${row}`)));

/** A server that repeats all that it was sent: in rows, errors, headers and next addresses. `a` fails once, `bad` always. */
async function echoServer(knows: Form['knows']) {
  const secrets = new Set([...Object.values(other), secret, password, refresh, pairs, basic]);
  const tokens = new Set<string>();
  const failed = new Set<string>();
  let valid = refresh;
  let requests = 0;
  const server = await startServer((request, response) => {
    void bodyOf(request).then((body) => {
      const said = `${request.url} ${JSON.stringify(request.headers)} ${body} ${decodeURIComponent(request.url!)}`;
      const send = (status: number, value: object): void => {
        response.writeHead(status, { 'content-type': 'application/json', 'x-echo': Buffer.from(said).toString('latin1') });
        response.end(JSON.stringify({ ...value, said }));
      };
      if (request.url === '/token') {
        const form = new URLSearchParams(body);
        const knowsApp = request.headers.authorization === basic;
        if (!knowsApp) return send(400, { error: 'invalid_client' });
        if (form.has('refresh_token') && form.get('refresh_token') !== valid) return send(400, { error: 'invalid_grant' });
        const access_token = `access-token-${Math.random().toString(36).slice(2)}`;
        if (form.has('refresh_token')) valid = `${refresh}-${Math.random().toString(36).slice(2)}`;
        for (const each of [access_token, valid]) secrets.add(each);
        tokens.add(access_token);
        return send(200, { access_token, expires_in: 3600, refresh_token: valid });
      }
      if (request.url!.startsWith('/login')) {
        const search = new URL(request.url!, server.url).searchParams;
        const sent = body === '' ? { word: search.get('word') } : (JSON.parse(body) as { readonly auth: object }).auth;
        const knowsUser = body !== '' || search.get('pass') === password;
        if (!knowsUser || JSON.stringify(sent) !== JSON.stringify({ word: pairs })) return send(401, { error: 'wrong' });
        const token = `session-token-${Math.random().toString(36).slice(2)}`;
        secrets.add(token);
        tokens.add(token);
        return send(200, { session: { token, until: new Date(Date.now() + 3_600_000).toISOString() } });
      }
      requests++;
      if (!knows(request, tokens)) return send(401, { message: said });
      for (const value of [request.headers.authorization ?? '']) if (value.startsWith('HMAC ')) secrets.add(value.slice(5));
      const at = new URL(request.url!, server.url);
      const q = at.searchParams.get('q') ?? (JSON.parse(body) as { readonly q: string }).q;
      if (q === 'bad') return send(404, { message: said });
      if (q === 'a' && !failed.has(q)) {
        failed.add(q);
        return send(503, { message: said });
      }
      const page = Number(at.searchParams.get('page') ?? 0);
      at.searchParams.set('q', q);
      at.searchParams.set('page', String(page + 1));
      at.searchParams.set('echo', request.headers.authorization ?? String(request.headers['x-key']));
      const rows = [0, 1].map((row) => ({ id: `${q}${page}${row}`, said }));
      return send(200, { rows, next: page < 2 ? at.pathname + at.search : null });
    });
  });
  return { server, secrets, count: () => requests, forget: () => failed.clear() };
}

const spelled = (text: string): string[] => [
  text,
  encodeURIComponent(text),
  new URLSearchParams([['', text]]).toString().slice(1),
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('/', String.raw`\/`),
  Buffer.from(text).toString('latin1'),
];

async function writtenIn(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files.map(async (file) => {
    if (!file.isFile()) return '';
    const bytes = await readFile(join(file.parentPath, file.name));
    return `${file.name}\n${bytes.toString('latin1')}\n${file.name.endsWith('.gz') ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1') : ''}`;
  });
  return (await Promise.all(texts)).join('\n');
}

/** A form with a server and folders of its own. */
interface Running {
  readonly apiKey: string;
  readonly echo: Awaited<ReturnType<typeof echoServer>>;
  readonly folder: string;
  readonly modules: string;
}
const running = new Map<string, Running>();
/** What the process printed that was killed. */
let printed = '';

async function startForm({ code, knows, apiKey = secret }: Form, name: string): Promise<Running> {
  const modules = join(inject('dist'), `key-forms-${name.replaceAll(' ', '-')}`);
  await mkdir(modules, { recursive: true });
  await writeFile(join(modules, 'service.mjs'), moduleOf(code));
  await writeFile(join(modules, 'flow.json'), JSON.stringify(flow));
  return { apiKey, echo: await echoServer(knows), folder: await mkdtemp(join(tmpdir(), 'trawler-forms-')), modules };
}

/** All of them are in a pipe. What runs flows, the command, and the first of them a queue, has these. */
const today = ofTheDay(Object.keys(forms), 3);

/** Runs the flows of some forms in one process, each with a store, and kills it half-way. */
async function killedRun(tokenFile: string): Promise<void> {
  const some = today.map((name) => running.get(name)!);
  const flows = some.map(({ apiKey, echo, folder, modules }) => ({ apiKey, url: echo.server.url, folder, modules }));
  const script = join(inject('dist'), 'key-forms.mjs');
  await writeFile(
    script,
    `
import { createClient } from '${inject('dist')}/bundle/index.js';
import { loadFlow, runFlow } from '${inject('dist')}/bundle/flow.js';
import { openStore } from '${inject('dist')}/bundle/store.js';
for (const { apiKey, url, folder, modules } of ${JSON.stringify(flows)}) {
  const flow = await loadFlow(modules + '/flow.json');
  const more = { store: openStore(folder + '/store') };
  const client = createClient({ service: flow.service, baseUrl: url, apiKey, rate: { requests: 60, perMs: 1000 }, retry: { baseMs: 1 }, ...more });
  client.events$.subscribe((event) => console.log(event));
  runFlow(flow, { client, outDir: folder + '/out', commitMs: 0 }).subscribe({ next: (progress) => console.log(progress), error: console.error });
}
`,
  );
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, TOKEN_FILE: tokenFile, TRAWLER_USER: 'jo', TRAWLER_PASSWORD: password, ...other },
  });
  for (const output of [child.stdout, child.stderr]) output.on('data', (text: Buffer) => (printed += text.toString('latin1')));
  await until(() => some.every(({ echo }) => echo.count() > 8), 'the runs');
  child.kill('SIGKILL');
  await once(child, 'close');
  await rm(script);
}

beforeAll(async () => {
  const tokenFile = join(inject('dist'), 'key-forms-token');
  await writeFile(tokenFile, refresh);
  for (const [variable, value] of Object.entries(other)) vi.stubEnv(variable, value);
  vi.stubEnv('TRAWLER_USER', 'jo');
  vi.stubEnv('TRAWLER_PASSWORD', password);
  vi.stubEnv('TOKEN_FILE', tokenFile); // read when the description is loaded
  for (const [name, form] of Object.entries(forms)) running.set(name, await startForm(form, name));
  await killedRun(tokenFile);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const { echo, folder, modules } of running.values()) {
    await (echo.server as TestServer)[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
    await rm(modules, { recursive: true, force: true });
  }
});

// The forms at the same time, because most of a run waits.
describe.concurrent.for(Object.keys(forms))('a key as %s', (name) => {
  let folder: string;
  let modules: string;
  let echo: Running['echo'];
  let apiKey: string;
  let env: { readonly [name: string]: string };
  const written: string[] = [];

  beforeAll(() => {
    ({ folder, modules, echo, apiKey } = running.get(name)!);
    env = { TRAWLER_USER: 'jo', TRAWLER_PASSWORD: password, TRAWLER_BASE_URL: echo.server.url, TRAWLER_API_KEY: apiKey, ...other };
  });

  const run = async (argv: readonly string[], signal?: AbortSignal): Promise<number> => {
    const { code, stdout, stderr } = await runInProcess(argv, { env, ...(signal && { signal }) });
    written.push(stdout, stderr);
    return code;
  };
  const booksIn = async (path: string): Promise<string[]> => {
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    return lines.map((line) => (JSON.parse(line) as { readonly id: string }).id).toSorted();
  };
  /** None of the secrets is in what was written, printed or thrown so far. */
  const expectClean = (more: string): void => {
    const text = [...written.splice(0), more].join('\n');
    expect(text).toContain('/v1/books');
    for (const each of echo.secrets) for (const spelling of spelled(each)) expect(text.includes(spelling), spelling).toBe(false);
  };

  it.sequential('is in no page, error or event of a pipe', async () => {
    echo.forget();
    const service = await loadService(join(modules, 'service.mjs'));
    const client = createClient({
      service,
      baseUrl: echo.server.url,
      apiKey,
      rate: 'unlimited',
      retry: { baseMs: 1 },
    });
    const shown: unknown[] = [client];
    client.events$.subscribe((event) => shown.push(event));
    const { books } = client as unknown as { readonly books: PageFactory<object, PageLike, CursorPaging> };
    for (const q of ['a', 'bad']) {
      const failed = catchError((error: Error) => of(error, JSON.stringify(error), error.stack));
      const pages = await lastValueFrom(of({ q }).pipe(expandCursor(books), failed, toArray()));
      expect(pages).toHaveLength(3);
      shown.push(pages, client.explain(), client.drift(), client.stats());
    }
    await client.close();
    expectClean(inspect(shown, { depth: 20, maxStringLength: null, maxArrayLength: null }));
  });

  if (!today.includes(name)) return;
  it.sequential('is in nothing that a flow writes with a store, killed and resumed', async () => {
    echo.forget();
    const out = join(folder, 'out');
    const argv = ['run', join(modules, 'flow.json'), '--out', out, '--store', join(folder, 'store')];
    written.push(printed);
    expect(await run(argv)).toBe(1); // one query is bad
    expect(await booksIn(join(out, 'books.jsonl'))).toEqual(idsOf('a', 'b', 'c', 'd', 'e'));
    expectClean(await writtenIn(folder));
  }, 60_000);

  it.sequential('is in nothing that the command prints', async () => {
    echo.forget();
    const call = ['call', 'books', '--service', join(modules, 'service.mjs'), '--q'];
    expect(await run([...call, 'a', '--pages', 'all'])).toBe(0);
    expect(await run([...call, 'bad'])).toBe(2); // a 404 alone may be a wrong address
    expectClean('');
  }, 60_000);

  if (name !== today[0]) return;
  it.skipIf(!hasRedis()).sequential(
    'is in nothing that goes through a queue',
    async () => {
      echo.forget();
      const redis = await startRedis();
      const end = new AbortController();
      const worker = run(['worker', join(modules, 'flow.json'), '--queue', redis.url], end.signal);
      try {
        const out = join(folder, 'queued');
        expect(await run(['run', join(modules, 'flow.json'), '--out', out, '--queue', redis.url])).toBe(1);
        expect(await booksIn(join(out, 'books.jsonl'))).toEqual(idsOf('a', 'b', 'c', 'd', 'e'));
        end.abort('SIGTERM');
        await worker;
        expectClean(`${await writtenIn(folder)}\n${redis.written()}`);
      } finally {
        end.abort('SIGTERM');
        await worker;
        await redis.close();
      }
    },
    60_000,
  );
});
