import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { of } from 'rxjs';
import { describe, expect, inject, it } from 'vitest';
import { expandCursor, items } from '../../operators/index.ts';
import { defineOperation, defineService, type EnvelopeSpec } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { openStore } from '../../src/store/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { startServer } from './startServer.ts';
import { errorOf, outcome } from './testClient.ts';

const jobs = (envelope?: EnvelopeSpec, own?: EnvelopeSpec) =>
  defineService({
    name: 'jobs',
    headers: { 'x-key': '${key}' },
    ...(envelope === undefined ? {} : { envelope }),
    operations: {
      search: defineOperation({
        name: 'search',
        get: '/search',
        about: 'Jobs.',
        params: { q: { type: 'string', required: true, about: 'Words.' } },
        ...(own === undefined ? {} : { envelope: own }),
        response: { 'jobs?': [{ id: 'string' }], 'after?': 'string', 'error?': 'unknown' },
        rows: 'jobs',
        query: { after: '${cursor}' },
        next: 'after',
      }),
      one: defineOperation({
        name: 'one',
        get: '/one',
        about: 'One job.',
        params: {},
        response: { id: 'string', title: 'string' },
        rows: null,
      }),
      bare: defineOperation({
        name: 'bare',
        get: '/bare',
        about: 'A bare list.',
        params: {},
        response: [{ id: 'string' }],
        rows: '',
      }),
    },
  });

/** A service that sends these bodies, one a request, with HTTP 200. */
async function serving(...bodies: readonly unknown[]) {
  let requests = 0;
  const server = await startServer((_, response) => {
    if (requests >= bodies.length) response.writeHead(500);
    response.end(JSON.stringify(bodies[requests++] ?? null));
  });
  return { server, requests: () => requests };
}
const open = (url: string, service = jobs(), more: object = {}) =>
  createClient({ service, baseUrl: url, apiKey: 'secret-key', rate: 'unlimited', ...more });

describe('an error in the body of HTTP 200', () => {
  it.each([
    ['a text', { error: 'Your plan has no such search.' }],
    ['an object', { error: { code: 'x', info: 'Your plan has no such search.' } }],
    ['a list', { errors: [{ message: 'Your plan has no such search.' }], data: null }],
  ])('that is %s in place of the rows fails with the words of the service, after one request', async (_, body) => {
    const { server, requests } = await serving(body);
    await using _server = server;
    await using client = open(server.url);
    const error = await errorOf(of({ q: 'a' }).pipe(expandCursor(client.search), items()));
    expect(error).toMatchObject({ name: 'EnvelopeError', kind: 'final', attempts: 1, status: 200 });
    expect(String(error)).toContain('the response has an error; the service says "Your plan has no such search."');
    expect(requests()).toBe(1);
  });

  it('that a code which is true or false tells fails after one request: nothing in it could pass', async () => {
    const { server, requests } = await serving({ ok: false, why: 'no such town' });
    await using _server = server;
    const service = { ...jobs(), envelope: { code: { at: 'ok', is: true }, message: 'why' } } as ReturnType<typeof jobs>;
    await using client = open(server.url, service);
    const error = await errorOf(of({ q: 'a' }).pipe(expandCursor(client.search), items()));
    expect(error).toMatchObject({ name: 'EnvelopeError', kind: 'final', attempts: 1 });
    expect(String(error)).toContain('the response says that the request failed; the service says "no such town"');
    expect(requests()).toBe(1);
  });

  it('fails also where the data is the one row, or a list', async () => {
    const { server } = await serving({ error: 'No job.' }, { error: 'No list.' });
    await using _server = server;
    await using client = open(server.url);
    expect(String(await errorOf(client.one({})))).toContain('the service says "No job."');
    expect(String(await errorOf(client.bare({})))).toContain('the service says "No list."');
  });

  it('is no failure beside rows, unless the service declares it', async () => {
    const body = { jobs: [{ id: 'a' }], error: 'One of the sources is slow.' };
    const { server } = await serving(body, body, body);
    await using _server = server;
    await using client = open(server.url);
    expect((await outcome(client.search({ q: 'a' }))).values).toMatchObject([{ items: [{ id: 'a' }] }]);
    await using strict = open(server.url, jobs({ error: 'error' }));
    expect(String(await errorOf(strict.search({ q: 'a' })))).toContain('One of the sources is slow.');
    await using own = open(server.url, jobs({}, { error: 'error' }));
    expect(String(await errorOf(own.search({ q: 'a' })))).toContain('One of the sources is slow.');
  });

  it.each([[null], [false], [''], [0], [[]], [{}]])('is none if it is %j', async (error) => {
    const { server } = await serving({ jobs: [{ id: 'a' }], error });
    await using _server = server;
    await using client = open(server.url, jobs({ error: 'error' }));
    expect((await outcome(client.search({ q: 'a' }))).values).toHaveLength(1);
  });

  it('has its words where `message` says', async () => {
    const { server } = await serving({ failed: true, why: { text: 'Too many words.' } });
    await using _server = server;
    await using client = open(server.url, jobs({ error: 'failed', message: 'why.text' }));
    expect(String(await errorOf(client.search({ q: 'a' })))).toContain('the service says "Too many words."');
  });

  it('is not kept by a store, and nothing of the key is in it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-errors-'));
    await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
    const { server, requests } = await serving({ error: 'Not for secret-key.' }, { jobs: [{ id: 'a' }] });
    await using _server = server;
    await using store = openStore(folder, { mode: 'reuse' });
    await using client = open(server.url, jobs(), { store });
    const error = String(await errorOf(client.search({ q: 'a' })));
    expect(error).toContain('Not for [key].');
    expect((await outcome(client.search({ q: 'a' }))).values).toHaveLength(1);
    expect((await outcome(client.search({ q: 'a' }))).values).toHaveLength(1);
    expect(requests()).toBe(2);
  });

  it('puts its query on record in a flow, while the others are written', async () => {
    const server = await startServer((request, response) => {
      const q = new URL(request.url!, 'http://jobs').searchParams.get('q')!;
      response.end(JSON.stringify(q === 'b' ? { error: 'No such word.' } : { jobs: [{ id: q }] }));
    });
    await using _server = server;
    const folder = join(inject('dist'), 'body-errors');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'jobs.mjs'),
      `import { defineOperation, defineService } from '${inject('dist')}/bundle/index.js';
export default defineService({ name: 'jobs', operations: { search: defineOperation({ name: 'search', get: '/search', about: 'Jobs.',
  params: { q: { type: 'string', required: true, about: 'Words.' } }, response: { jobs: [{ id: 'string' }] }, rows: 'jobs' }) } });`,
    );
    const flow = {
      name: 'jobs',
      service: './jobs.mjs',
      stages: { jobs: { call: 'search', with: { q: ['a', 'b', 'c'] }, to: 'jobs.jsonl' } },
    };
    await writeFile(join(folder, 'flow.json'), JSON.stringify(flow));
    const out = join(folder, 'out');
    const env = { TRAWLER_BASE_URL: server.url, TRAWLER_API_KEY: 'secret-key' };
    await runInProcess(['run', join(folder, 'flow.json'), '--out', out, '--quiet'], { env });
    expect((await readFile(join(out, 'jobs.jsonl'), 'utf8')).trim().split('\n').toSorted()).toEqual(['{"id":"a"}', '{"id":"c"}']);
    expect(await readFile(join(out, 'failures.jsonl'), 'utf8')).toContain('No such word.');
    await rm(folder, { recursive: true, force: true });
  });
});

describe('an envelope', () => {
  it('is refused with the nearest part', () => {
    expect(() => jobs({ eror: 'error' } as never)).toThrow(
      "defineService(jobs): there is no field 'envelope.eror'; did you mean 'envelope.error'?",
    );
    expect(() => jobs({}, { eror: 'error' } as never)).toThrow(
      "defineOperation(search): there is no field 'envelope.eror'; did you mean 'envelope.error'?",
    );
    expect(() => jobs({ error: 5 } as never)).toThrow('defineService(jobs): envelope.error must be a dotted path, not 5');
  });
});
