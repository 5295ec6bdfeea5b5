import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, items } from '../../../operators/index.ts';
import { defineOperation, defineService, type UnsignedRequest } from '../../../src/contract/index.ts';
import { createClient } from '../../../src/createClient.ts';
import { errorOf } from '../testClient.ts';
import { bodyOf, startServer } from '../startServer.ts';
import { all, canary, closeAfter, expectNone, library, serviceOf, walked } from './library.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** AWS Signature Version 4: the same for the one who sends a request and the one who gets it. */
function sigV4({ method, url, headers, body = '' }: UnsignedRequest, key: string): string {
  const { host, pathname, searchParams } = new URL(url);
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...searchParams].map((pair) => pair.map(encode).join('=')).sort().join('&'); // prettier-ignore
  const time = headers['x-amz-date']!;
  const signed = { ...headers, host };
  const names = ['content-type', 'host', 'x-amz-content-sha256', 'x-amz-date'].filter((name) => name in signed);
  const lines = names.map((name) => `${name}:${signed[name as keyof typeof signed]}\n`).join('');
  const request = [method, pathname, query, lines, names.join(';'), sha256(body)].join('\n');
  const scope = [time.slice(0, 8), 'eu-west-1', 'books', 'aws4_request'];
  const secret = scope.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${key}`);
  const signature = hmac(secret, ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request)].join('\n')).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=AKID/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}
const times: string[] = [];
const sign = async (request: UnsignedRequest, key: string): Promise<{ readonly [name: string]: string }> => {
  const time = new Date(Date.UTC(2026, 0, 1) + times.length * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  times.push(time);
  const more = { 'x-amz-date': time, 'x-amz-content-sha256': sha256(request.body ?? '') };
  return { ...more, Authorization: sigV4({ ...request, headers: { ...request.headers, ...more } }, key) };
};
const isSigned = ({ method, headers, url }: IncomingMessage, body?: string): boolean =>
  headers.authorization ===
  sigV4({ method: method!, url: `http://${headers.host}${url}`, headers: headers as UnsignedRequest['headers'], body }, canary);

describe('a key that signs', () => {
  it('signs each page as it is sent, next addresses too, and neither key nor signature is shown or kept', async () => {
    const server = await library((request) => (isSigned(request) ? undefined : 403));
    const { rows, text, error } = await walked({ sign }, server);
    expect(error).toBeUndefined();
    expect([rows, server.requests.length]).toEqual([all, 3]);
    expectNone(text, canary, ...server.requests.map(({ headers }) => /Signature=(\w+)/.exec(headers.authorization!)![1]!));
  });

  it('signs bodies, and each attempt anew', async () => {
    const seen: string[] = [];
    const server = await startServer((request, response) => {
      void bodyOf(request).then((body) => {
        seen.push(`${String(request.headers['x-amz-date'])} ${isSigned(request, body)}`);
        response.writeHead(seen.length === 1 ? 503 : 200).end('{"rows":[{"id":"1"}]}');
      });
    });
    closeAfter(server);
    const search = defineOperation({
      post: '/search',
      params: { q: { type: 'string' } },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
    });
    const service = defineService({ name: 'library', sign: sign, operations: { search } });
    await using client = createClient({ service, baseUrl: server.url, apiKey: canary, retry: { baseMs: 1 } });
    expect((await lastValueFrom(client.search({ q: 'mer é' }))).items).toEqual([{ id: '1' }]);
    expect(seen).toEqual(times.slice(-2).map((time) => `${time} true`));
    expect(new Set(seen).size).toBe(2);
  });

  it('may be synchronous, and its headers take the place of others', async () => {
    const server = await library((request) => (request.headers['user-agent'] === 'signed' ? undefined : 403));
    await using client = createClient({
      service: serviceOf({ sign: () => ({ 'User-Agent': 'signed' }) }),
      baseUrl: server.url,
      apiKey: canary,
    });
    const rows = await lastValueFrom(of({ q: 'sea' }).pipe(expandCursor(client.books), items(), toArray()));
    expect(rows).toHaveLength(6);
    const names = server.requests[0]!.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(names.filter((name) => name === 'user-agent')).toHaveLength(1);
  });

  it.each([
    ['fails', () => { throw new Error(`no clock, and ${canary}`); }, "the service's sign failed: no clock, and [key]"], // prettier-ignore
    ['rejects', () => Promise.reject(new Error('no clock')), "the service's sign failed: no clock"],
    ['gives no headers', () => Promise.resolve('signature' as never), "the service's sign must give an object of headers"],
    ['gives two lines', () => ({ 'x-signature': 'a\r\nb: c' }), "the service's sign must give an object of headers"],
  ])('that %s sends nothing, and the error says why', async (_, wrong, message) => {
    const server = await library(() => undefined);
    await using client = createClient({ service: serviceOf({ sign: wrong }), baseUrl: server.url, apiKey: canary });
    expect(await errorOf(client.books({ q: 'sea' }))).toMatchObject({
      name: 'AuthError',
      message: expect.stringContaining(message) as string,
    });
    expect([server.requests.length, client.stats().requests]).toEqual([0, 0]);
  });
});
