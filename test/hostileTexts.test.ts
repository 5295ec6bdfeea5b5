import fc from 'fast-check';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firstValueFrom, lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandCursor, items, offsetPages } from '../operators/index.ts';
import { createClient, defineOperation, defineService } from '../src/index.ts';
import { anyText } from './anyText.ts';

const apiKey = 'the-very-secret-key';
const q = { q: { type: 'string', required: true } } as const;
const rows = { rows: 'rows', row: { id: 'string' } } as const;

const service = defineService({
  name: 'hostile',
  headers: { authorization: 'Bearer ${key}' },
  operations: {
    path: defineOperation({ get: '/in/${q}/path', params: q, ...rows }),
    query: defineOperation({ get: '/query', query: { is: '${q}', has: 'a "${q}": {${q}}' }, params: q, ...rows }),
    header: defineOperation({ get: '/header', headers: { 'x-q': '${q}' }, params: q, ...rows }),
    body: defineOperation({ post: '/body', body: { is: '${q}', has: ['a "${q}": {${q}}'], deep: { constant: '}{' } }, params: q, ...rows }),
    form: defineOperation({ post: '/form', form: { is: '${q}', has: 'a "${q}": {${q}}' }, params: q, ...rows }),
    numbers: defineOperation({
      post: '/pages',
      body: { q: "SELECT '${q}' FROM rows PAGE ${page:1}", page: '${page:1}' },
      params: q,
      ...rows,
    }),
    tokens: defineOperation({
      post: '/tokens',
      body: { q: '${q}', at: 'after ${cursor}', token: '${cursor}' },
      params: q,
      response: { rows: [{ id: 'string' }], 'next?': 'string|null' },
      rows: 'rows',
      next: 'next',
    }),
    inQuery: defineOperation({
      get: '/tokens',
      query: { token: '${cursor}' },
      params: q,
      response: { rows: [{ id: 'string' }], 'next?': 'string|null' },
      rows: 'rows',
      next: 'next',
    }),
    last: defineOperation({ get: '/last', query: { after: '${last.id}' }, params: q, ...rows }),
  },
});

interface Seen {
  readonly url: URL;
  readonly raw: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: string;
}

/** Texts that a template could read once more, or that a part of a request could take for its own. */
const piece = fc.constantFrom(
  '${',
  '}',
  '${key}',
  '${q}',
  '${page:1}',
  '${cursor}',
  '${secret.a}',
  '${env.HOME}',
  '{',
  ':',
  '"',
  "'",
  '\\',
  '/',
  '..',
  '?',
  '#',
  '&',
  '=',
  '+',
  '%',
  '%2F',
  '$&',
  '$1',
  '[key]',
  '__proto__',
  'constructor',
  'toString',
  '\uFFFF1\uFFFF',
  'é',
  '😀',
  '\n',
  ' ',
  'a',
  '1',
);
const hostile = fc
  .oneof(
    fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')),
    anyText(20),
  )
  .filter((text) => text.trim() !== '');

describe('hostile texts', () => {
  let server: Server;
  let baseUrl = '';
  let seen: Seen[] = [];
  let answer: (request: Seen) => object = () => ({ rows: [] });

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const one = { url: new URL(request.url!, 'http://host'), raw: request.url!, headers: request.headers, body };
        seen.push(one);
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(one)));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((done) => server.close(done)));

  const open = () => createClient({ service, baseUrl, apiKey, rate: 'unlimited' });
  const walk = { numRuns: 60 };
  const reset = (made: typeof answer = () => ({ rows: [] })): void => {
    seen = [];
    answer = made;
  };
  /** The key stands in its header and nowhere else. */
  const keyIsWhereItBelongs = (): void => {
    for (const { headers, raw, body } of seen) {
      expect(headers['authorization']).toBe(`Bearer ${apiKey}`);
      expect(raw + body + JSON.stringify({ ...headers, authorization: '' })).not.toContain(apiKey);
    }
  };

  it('are encoded in a path, of which they stay one segment', async () => {
    await using client = open();
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        reset();
        if (/^\.\.?$/.test(text) || text.includes('\0')) return;
        await firstValueFrom(client.path({ q: text }));
        const [, first, segment, last, more] = seen[0]!.raw.split('/');
        expect([first, decodeURIComponent(segment!), last, more, seen[0]!.url.search]).toEqual(['in', text, 'path', undefined, '']);
        keyIsWhereItBelongs();
      }),
      walk,
    );
  });

  it('stay whole in an address and in a form, and their fields stay two', async () => {
    await using client = open();
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        reset();
        await firstValueFrom(client.query({ q: text }));
        await firstValueFrom(client.form({ q: text }));
        const expected = [
          ['is', text],
          ['has', `a "${text}": {${text}}`],
        ];
        expect([...seen[0]!.url.searchParams]).toEqual(expected);
        expect([...new URLSearchParams(seen[1]!.body)]).toEqual(expected);
        keyIsWhereItBelongs();
      }),
      walk,
    );
  });

  it('are values of JSON in a body', async () => {
    await using client = open();
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        reset();
        await firstValueFrom(client.body({ q: text }));
        expect(JSON.parse(seen[0]!.body)).toEqual({ is: text, has: [`a "${text}": {${text}}`], deep: { constant: '}{' } });
        keyIsWhereItBelongs();
      }),
      walk,
    );
  });

  it('stand in a header as they are, or are refused before anything is sent', async () => {
    await using client = open();
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        reset();
        const isPlain = /^[\x20-\x7e]*$/.test(text);
        const error = await firstValueFrom(client.header({ q: text })).then(
          () => undefined,
          (failure: Error) => failure,
        );
        const [came, right] =
          error === undefined ? [[seen[0]!.headers['x-q']], [text.trim()]] : [[...seen, error.name], ['InvalidQueryError']];
        expect([came, isPlain && error !== undefined]).toEqual([right, false]);
        keyIsWhereItBelongs();
      }),
      walk,
    );
  });

  it('lead through all pages as a token, in a body, a text and an address', async () => {
    await using client = open();
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (text, token) => {
        reset(({ url, body }) => {
          const given = body === '' ? url.searchParams.get('token') : (JSON.parse(body) as { token?: string }).token;
          return given === undefined || given === null ? { rows: [{ id: 'one' }], next: token } : { rows: [{ id: 'two' }], next: null };
        });
        const ids = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id);
        const inBody = await lastValueFrom(of({ q: text }).pipe(expandCursor(client.tokens), items(), toArray()));
        const inQuery = await lastValueFrom(of({ q: text }).pipe(expandCursor(client.inQuery), items(), toArray()));
        expect([ids(inBody), ids(inQuery)]).toEqual([
          ['one', 'two'],
          ['one', 'two'],
        ]);
        expect(JSON.parse(seen[0]!.body)).toEqual({ q: text });
        expect(JSON.parse(seen[1]!.body)).toEqual({ q: text, at: `after ${token}`, token });
        expect(Object.fromEntries(seen[3]!.url.searchParams)).toEqual({ q: text, token });
        keyIsWhereItBelongs();
      }),
      walk,
    );
  });

  it('are what the last row has, and stand beside numbers of pages', async () => {
    await using client = open();
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (text, id) => {
        reset(({ url, body }) => {
          const isFirst = body === '' ? !url.searchParams.has('after') : (JSON.parse(body) as { page: number }).page === 1;
          return { rows: isFirst ? [{ id }] : [] };
        });
        await lastValueFrom(of({ q: text }).pipe(expandCursor(client.last), toArray()));
        expect(seen.map(({ url }) => url.searchParams.get('after'))).toEqual([null, id]);
        seen = [];
        await lastValueFrom(of({ q: text }).pipe(offsetPages(client.numbers), toArray()));
        expect(seen.map(({ body }) => JSON.parse(body) as object)).toEqual(
          [1, 2].map((page) => ({ q: `SELECT '${text}' FROM rows PAGE ${page}`, page })),
        );
        keyIsWhereItBelongs();
      }),
      walk,
    );
  });

  it('of 100 kB go into a body, and are read in no time', async () => {
    await using client = open();
    for (const text of ['${key}'.repeat(17_000), '${'.repeat(50_000), '}'.repeat(100_000)]) {
      reset();
      await firstValueFrom(client.body({ q: text }));
      expect((JSON.parse(seen[0]!.body) as { is: string }).is).toBe(text);
      keyIsWhereItBelongs();
    }
  });

  it('are names of parameters as any others', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const params = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]));
    const body = { all: names.map((name) => `\${${name}}`), text: '-${constructor}-' };
    const named = defineService({ name: 'named', operations: { all: defineOperation({ post: '/all', body, params, ...rows }) } });
    await using client = createClient({ service: named, baseUrl, apiKey, rate: 'unlimited' });
    reset();
    await firstValueFrom(client.all({}));
    await firstValueFrom(client.all({ constructor: 'a', valueOf: 'b' } as never));
    expect(seen.map((one) => JSON.parse(one.body) as object)).toEqual([{ all: [] }, { all: ['a', 'b'], text: '-a-' }]);
  });
});
