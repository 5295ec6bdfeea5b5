import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { ask } from './ask.ts';
import { apiKey, behind, type Handler } from './behind.ts';

const text = Buffer.from('a body, with ümlauts\n'.repeat(50));
const large = Buffer.alloc(10_000_000, 'large ');

describe('what passes through the proxy', () => {
  const handler: Handler = (request, response, body) => {
    const { pathname } = new URL(request.url!, 'http://service');
    const ofHop = /^(?:host|connection|te|x-mine|transfer-encoding|authorization|content-length)$/i;
    const headers = request.rawHeaders.filter((_, at, all) => !ofHop.test(all[at - (at % 2)]!));
    const digest = createHash('sha256').update(body).digest('hex');
    const seen = { method: request.method, url: request.url, headers, digest };
    if (pathname === '/gzip') {
      const packed = gzipSync(text);
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain', 'content-length': packed.length }).end(packed);
    } else if (pathname === '/chunked') {
      response.write('one,');
      setTimeout(() => response.end('two'), 50);
    } else if (pathname === '/none') response.writeHead(204).end();
    else if (pathname === '/unchanged') response.writeHead(304, { etag: '"1"' }).end();
    else if (pathname === '/moved') response.writeHead(302, { location: 'https://elsewhere.example/x?y=%2F' }).end('moved');
    else if (pathname === '/missing') response.writeHead(404, 'Nothing Here', { 'content-type': 'text/plain' }).end('nope');
    else if (pathname === '/refused') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no');
    else if (pathname === '/twice')
      response.writeHead(200, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Odd', 'é', 'x-odd', '2']).end(text);
    else if (pathname === '/large') response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(large);
    else if (pathname === '/empty') response.writeHead(200, { 'content-length': '0' }).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(seen));
  };

  it('is the same as without it, byte for byte', async () => {
    const { url, proxy } = await behind(handler);
    const bytes = Buffer.from(Array.from({ length: 3000 }, (_, n) => n % 256));
    const requests: readonly Parameters<typeof ask>[] = [
      ...['/gzip', '/chunked', '/none', '/unchanged', '/moved', '/missing', '/refused', '/twice', '/large', '/empty'].map(
        (path) => [url, path] as const,
      ),
      ...['/a%2Fb', '/a/../b', '/a/%2e%2e/b', '//two', '/%C3%BCml%C3%A4ut', '/ümläut', '/q?a=1&a=2&b=%20+&c', '/?', '/x;y=1', '/a%00b'].map(
        (path) => [url, Buffer.from(path).toString('latin1')] as const,
      ),
      ...['/gzip', '/large', '/twice'].map((path) => [url, path, { method: 'HEAD' }] as const),
      [url, '/echo', { method: 'POST', body: bytes, headers: { 'content-type': 'application/octet-stream', 'x-many': ['1', '2'] } }],
      [url, '/echo', { method: 'PUT', body: large, headers: { 'content-length': String(large.length) } }],
      [url, '/echo', { method: 'PATCH', body: [bytes, bytes] }],
      [url, '/echo', { method: 'DELETE' }],
      [url, '/echo', { method: 'OPTIONS' }],
      [
        url,
        '/echo',
        { headers: { 'x-latin': 'é', 'accept-encoding': 'gzip', te: 'trailers', connection: 'close, x-mine', 'x-mine': '1' } },
      ],
    ] as unknown as Parameters<typeof ask>[];
    for (const [, path, how] of requests) {
      const own = await ask(url, path, how);
      const passed = await ask(proxy.url, path, how);
      const [{ header: _, ...one }, { header: __, ...other }] = [own, passed];
      const seen = (answer: typeof one): object => {
        const headers = answer.headers.filter((_, at, all) => !/^(?:date|content-length)$/i.test(all[at - (at % 2)]!));
        return { ...answer, headers, body: answer.body.toString('base64') };
      };
      expect([path, seen(other)]).toEqual([path, seen(one)]);
    }
  });

  it('passes a slow body on while it comes, and aborts what the caller gives up', async () => {
    let closed = 0;
    const { proxy } = await behind((_, response) => {
      response.write('first');
      response.on('close', () => (closed += 1));
    });
    const socket = connect(proxy.port, '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let said = '';
    while (!said.includes('first')) said += String((await once(socket, 'data'))[0]);
    expect(proxy.stats().inFlight).toBe(1);
    socket.destroy();
    await expect.poll(() => [closed, proxy.stats().inFlight]).toEqual([1, 0]);
  });
});

describe('the key', () => {
  const echo: Handler = (request, response) => {
    const said = `${request.headers.authorization} ${request.url}`;
    response.setHeader('x-echo', said);
    response.setHeader('content-type', 'application/json');
    if (request.url!.startsWith('/gzip')) {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify({ said })));
      return;
    }
    const body = Buffer.from(JSON.stringify({ said }));
    response.setHeader('content-length', body.length);
    response.write(body.subarray(0, 25)); // in the middle of the key
    setTimeout(() => response.end(body.subarray(25)), 20);
  };

  it('is put in, in place of what the caller sends, and is in nothing that comes back', async () => {
    const seen: (string | undefined)[] = [];
    const { proxy } = await behind((request, response, body) => {
      seen.push(request.headers.authorization);
      echo(request, response, body);
    });
    for (const path of ['/plain', '/gzip']) {
      for (const headers of [{}, { authorization: 'Bearer of-the-caller' }]) {
        const { body, headers: raw, status } = await ask(proxy.url, path, { headers });
        expect(status).toBe(200);
        expect(`${raw.join(' ')} ${body.toString()}`).not.toMatch(/k3y-that|nobody/);
        expect(JSON.parse(String(body))).toHaveProperty('said');
      }
    }
    expect(seen).toEqual(Array.from({ length: 4 }, () => `Bearer ${apiKey}`));
  });

  it('stands where a description says, and stays the caller’s if that is allowed', async () => {
    const search = defineOperation({
      get: '/search',
      params: { q: { type: 'string' } },
      response: { rows: ['string'] },
      rows: 'rows',
    });
    const service = defineService({ name: 'shop', query: { api_key: '${key}' }, baseUrl: '/v1', operations: { search } });
    const seen: (string | undefined)[] = [];
    const { proxy } = await behind((request, response) => response.end(String(seen.push(request.url))), { service, allowKey: true });
    for (const path of [
      '/search?q=1',
      '/search?api_key=mine&q=1',
      '/search?q=1&api_key=',
      '/other',
      '/a/../../x',
      '/%2e%2e/x',
      '/..%2fx',
      '/%252e%252e/x',
      '/..;/x',
    ])
      await ask(proxy.url, path);
    expect(seen).toEqual([
      `/v1/search?q=1&api_key=${apiKey}`,
      '/v1/search?api_key=mine&q=1',
      `/v1/search?q=1&api_key=${apiKey}`,
      `/v1/other?api_key=${apiKey}`,
    ]);
  });
});

describe('the limits', () => {
  it('let no refusal through, and use what is allowed', async () => {
    let [allowed, refused, tokens, at] = [0, 0, 10, performance.now()];
    const { proxy } = await behind(
      (_, response) => {
        const now = performance.now();
        tokens = Math.min(10, tokens + (now - at) / 20);
        at = now;
        const isAllowed = tokens >= 1;
        if (isAllowed) tokens -= 1;
        if (isAllowed) allowed += 1;
        else refused += 1;
        response.writeHead(isAllowed ? 200 : 429).end('x');
      },
      { rate: 'auto', concurrency: 8 },
    );
    const answers = await Promise.all(Array.from({ length: 300 }, () => ask(proxy.url, '/search')));
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    expect(allowed).toBe(300);
    expect(refused).toBeLessThan(30);
  });

  it('gives 429 with Retry-After and why when the wait is over', async () => {
    const { proxy } = await behind((_, response) => response.writeHead(429, { 'retry-after': '1' }).end(), { waitMs: 1500 });
    const { status, header, body } = await ask(proxy.url, '/search');
    expect([status, Number(header('retry-after')) >= 1, JSON.parse(String(body))]).toMatchObject([429, true, { proxy: 'trawler' }]);
  });

  it('is fair: who sends one doesn’t wait for all of one who sends a hundred', async () => {
    const order: string[] = [];
    const { proxy } = await behind((request, response) => setTimeout(() => response.end(String(order.push(request.url!))), 40), {
      concurrency: 2,
    });
    const many = Array.from({ length: 100 }, () => ask(proxy.url, '/many', { headers: { 'x-trawler-caller': 'many' } }));
    await expect.poll(() => order.length).toBeGreaterThan(4);
    const before = order.length;
    await ask(proxy.url, '/one', { headers: { 'x-trawler-caller': 'one' } });
    expect(order.indexOf('/one') - before).toBeLessThan(30);
    await Promise.all(many);
    expect(proxy.stats().callers.get('many')?.requests).toBe(100);
  });

  it('refuses with 402 what is beyond the budget', async () => {
    const { proxy } = await behind((_, response) => response.end('x'), { maxRequests: 2 });
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(await ask(proxy.url, `/${n}`));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 402]);
    const { message } = JSON.parse(String(answers[2]!.body)) as { readonly message: string };
    expect(message).toBe('not sent, because the budget of 2 requests is used up; start the proxy with a larger --max-requests');
    expect(answers.map(({ header }) => header('x-trawler-cost'))).toEqual([undefined, undefined, undefined]);
  });

  it('gives what the service said last when retries don’t help, and doesn’t repeat a write', async () => {
    let writes = 0;
    const { proxy } = await behind(
      (request, response) => {
        if (request.method === 'POST') writes += 1;
        response.writeHead(503, { 'x-why': 'tired' }).end('down');
      },
      { waitMs: 1200 },
    );
    const written = await ask(proxy.url, '/write', { method: 'POST', body: Buffer.from('x') });
    expect([written.status, written.header('x-why'), String(written.body), writes]).toEqual([503, 'tired', 'down', 1]);
    expect((await ask(proxy.url, '/read')).status).toBe(503);
  });
});

describe('the end of a proxy', () => {
  it('lets requests in flight end, and refuses what waits', async () => {
    const { proxy } = await behind((_, response) => setTimeout(() => response.end('whole'), 300), { concurrency: 1 });
    const answers = Array.from({ length: 6 }, () => ask(proxy.url, '/'));
    await expect.poll(() => proxy.stats().inFlight).toBe(1);
    await expect.poll(() => proxy.stats().received).toBe(6);
    await proxy.close();
    const found = await Promise.all(answers.map((answer) => answer.then(({ status, body }) => `${status} ${String(body).slice(0, 5)}`)));
    expect(found).toContain('200 whole');
    expect(found.filter((one) => one.startsWith('503'))).toHaveLength(6 - found.filter((one) => one === '200 whole').length);
  });
});

describe('hostile callers', () => {
  /** What a caller is told. A connection that is ended while the caller still sends may lose it: 'reset'. */
  async function raw(port: number, ...lines: readonly string[]): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    socket.write(lines.join(''));
    let said = '';
    let isReset = false;
    socket.on('data', (part) => (said += String(part))).on('error', () => (isReset = true));
    await Promise.race([new Promise((resolve) => socket.once('close', resolve)), new Promise((resolve) => setTimeout(resolve, 500))]);
    socket.destroy();
    return said === '' && isReset ? 'reset' : said;
  }

  it('get nothing sent elsewhere', async () => {
    let sent = 0;
    const { proxy } = await behind((_, response) => response.end(String((sent += 1))));
    const { port } = proxy;
    const refused = [
      'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n',
      'GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde',
      'GET / HTTP/1.1\nHost: localhost\n\n',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
      'rubbish\r\n\r\n',
    ];
    for (const lines of refused) {
      const said = await raw(port, lines);
      expect([lines.slice(0, 60), said]).toEqual([lines.slice(0, 60), expect.stringMatching(/^HTTP\/1\.1 4|^reset$/)]);
      expect(said).not.toContain(apiKey);
    }
    expect(sent).toBe(0);
    expect((await ask(proxy.url, '/')).status).toBe(200);
  });

  it('who go away with requests one behind the other hold nothing', async () => {
    const { proxy } = await behind((_, response) => setTimeout(() => response.end('x'), 100));
    const socket = connect(proxy.port, '127.0.0.1');
    const head = (method: string, more: string): string => `${method} / HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    socket.write(`${head('GET', '')}${head('POST', 'Content-Length: 5\r\n')}x`);
    await expect.poll(() => proxy.stats().received).toBe(2);
    socket.destroy();
    await expect.poll(() => proxy.stats().callers.get('')?.requests).toBe(2);
    await proxy.close();
  });

  it('who ask for a tunnel and reset it end nothing', async () => {
    const { proxy } = await behind((_, response) => response.end('x'));
    for (let n = 0; n < 100; n += 1) {
      const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      socket.write('CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n');
      setImmediate(() => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    expect((await ask(proxy.url, '/')).status).toBe(200);
  });

  it('who read nothing hold nothing for long', async () => {
    const { proxy } = await behind((_, response) => response.end(Buffer.alloc(50_000_000)), { timeoutMs: 1000 });
    const socket = connect(proxy.port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => proxy.stats().inFlight).toBe(1);
    await expect.poll(() => proxy.stats().inFlight, { timeout: 10_000 }).toBe(0);
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(200_000_000);
    socket.destroy();
  });
});
