import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Fault, type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';
import { ask } from './ask.ts';
import { more } from './moreFaults/more.ts';

const open: Sandbox[] = [];
async function sandboxWith(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  open.push(sandbox);
  return sandbox;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

describe('startSandbox', () => {
  it('listens on 127.0.0.1 alone and responds in the envelope', async () => {
    const sandbox = await sandboxWith();
    expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}`);
    const { status, text, headers } = await ask(sandbox, '/autocomplete', { query: 'tea' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(JSON.parse(text)).toEqual({
      code: 200,
      message: 'success',
      data: expect.objectContaining({ suggestions: expect.any(Array) }),
      requestId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      timestamp: expect.any(Number),
    });
  });

  it('gives the same responses for the same seed', async () => {
    const [one, same, other] = await Promise.all([sandboxWith({ seed: 7 }), sandboxWith({ seed: '7' }), sandboxWith({ seed: 8 })]);
    const texts = await Promise.all(
      [one, same, other].map(async (sandbox) => JSON.stringify((await ask(sandbox, '/maps/search', { query: 'tea' })).data)),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it('refuses a missing and a wrong key with 401', async () => {
    const sandbox = await sandboxWith({ apiKey: 'right' });
    expect(await ask(sandbox, '/autocomplete', { query: 'a' }, {})).toMatchObject({
      status: 401,
      code: 401,
      message: expect.stringContaining('missing'),
    });
    expect(await ask(sandbox, '/autocomplete', { query: 'a' }, { 'x-api-key': 'wrong' })).toMatchObject({
      status: 401,
      message: expect.not.stringContaining('wrong'),
    });
    expect((await ask(sandbox, '/autocomplete', { query: 'a' }, { 'x-api-key': 'right' })).status).toBe(200);
  });

  it('refuses other host names, other methods and unknown paths', async () => {
    const sandbox = await sandboxWith();
    const raw = (options: object): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { 'x-api-key': sandbox.apiKey };
        const path = '/api/v1/engine/autocomplete?query=a';
        request({ host: '127.0.0.1', port: sandbox.port, path, headers, ...options }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end();
      });
    expect(await raw({ headers: { 'x-api-key': sandbox.apiKey, host: 'evil.example' } })).toBe(403);
    expect(await raw({ headers: { 'x-api-key': sandbox.apiKey, host: `localhost:${sandbox.port}` } })).toBe(200);
    expect(await raw({ method: 'POST' })).toBe(405);
    expect((await ask(sandbox, '/autocompletes', { query: 'a' })).status).toBe(404);
    expect((await ask(sandbox, '/../search', { query: 'a' })).status).toBe(404);
  });

  it('refuses a bad query with 400 and says what is wrong with it', async () => {
    const sandbox = await sandboxWith();
    expect(await ask(sandbox, '/autocomplete')).toMatchObject({ status: 400, message: expect.stringContaining('query') });
    expect(await ask(sandbox, '/maps/reviews', { data_id: 'x', results: 21 })).toMatchObject({
      status: 400,
      message: expect.stringContaining('results'),
    });
    expect(await ask(sandbox, '/maps/reviews', { data_id: 'x', results: 'ten' })).toMatchObject({ status: 400 });
    expect(await ask(sandbox, '/maps/reviews', { dataid: 'x' })).toMatchObject({
      status: 400,
      message: expect.stringContaining('data_id'),
    });
    expect(await ask(sandbox, '/autocomplete?query=a&query=b&', {})).toMatchObject({
      status: 400,
      message: expect.stringContaining('more than once'),
    });
  });

  it('keeps to another path prefix', async () => {
    const sandbox = await sandboxWith({ pathPrefix: '' });
    const response = await fetch(`${sandbox.url}/autocomplete?query=a`, { headers: { 'x-api-key': sandbox.apiKey } });
    expect(response.status).toBe(200);
    expect((await ask(sandbox, '/autocomplete', { query: 'a' })).status).toBe(404);
  });

  it('logs requests, counts them by operation, and clears the log on reset', async () => {
    const sandbox = await sandboxWith({ now: () => 12_345 });
    await ask(sandbox, '/autocomplete', { query: 'a b', country: 'fr' });
    await ask(sandbox, '/maps/posts', {});
    await ask(sandbox, '/nowhere');
    expect(sandbox.requests).toEqual([
      { operation: 'autocomplete', query: { query: 'a b', country: 'fr' }, path: '/api/v1/engine/autocomplete', at: 12_345, status: 200 },
      { operation: 'mapsPosts', query: {}, path: '/api/v1/engine/maps/posts', at: 12_345, status: 400 },
      { operation: undefined, query: {}, path: '/api/v1/engine/nowhere', at: 12_345, status: 404 },
    ]);
    expect([sandbox.count(), sandbox.count('autocomplete'), sandbox.count('webSearch')]).toEqual([3, 1, 0]);
    expect(sandbox.calls('mapsPosts')).toHaveLength(1);
    sandbox.reset();
    expect([sandbox.requests, sandbox.count()]).toEqual([[], 0]);
  });

  it('keeps connections alive', async () => {
    const sandbox = await sandboxWith();
    const ports = new Set<number>();
    for (let i = 0; i < 5; i++) {
      const socket = connect(sandbox.port, '127.0.0.1');
      await new Promise((resolve) => socket.once('connect', resolve));
      ports.add(socket.localPort!);
      const get = (): Promise<string> => {
        socket.write(`GET /api/v1/engine/autocomplete?query=a HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${sandbox.apiKey}\r\n\r\n`);
        return new Promise((resolve) => socket.once('data', (data) => resolve(data.toString())));
      };
      expect(await get()).toContain('200 OK');
      expect(await get()).toContain('200 OK');
      socket.destroy();
    }
    expect(sandbox.count()).toBe(10);
  });

  it('allows what a bucket holds and then says how long to wait', async () => {
    const sandbox = await sandboxWith({ rateLimit: { kind: 'bucket', perSecond: 0.01, burst: 2, retryAfter: true } });
    const responses = [];
    for (let i = 0; i < 4; i++) responses.push(await ask(sandbox, '/autocomplete', { query: 'a' }));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(responses[3]).toMatchObject({ code: 429 });
    expect(Number(responses[3]!.headers.get('retry-after'))).toBeGreaterThan(90);
  });

  it('allows so many in a window, and says when as a date', async () => {
    const now = Date.UTC(2030, 0, 1);
    const sandbox = await sandboxWith({ now: () => now, rateLimit: { kind: 'window', requests: 1, perMs: 60_000, retryAfter: 'date' } });
    expect((await ask(sandbox, '/autocomplete', { query: 'a' })).headers.get('retry-after')).toBeNull();
    const refused = await ask(sandbox, '/autocomplete', { query: 'a' });
    expect(refused.status).toBe(429);
    const waits = Date.parse(refused.headers.get('retry-after') ?? '') - now;
    expect(waits).toBeGreaterThan(50_000);
    expect(waits).toBeLessThanOrEqual(60_000);
  });

  it('responds no sooner than its latency', async () => {
    const sandbox = await sandboxWith({ latencyMs: [30, 40] });
    const before = performance.now();
    await ask(sandbox, '/autocomplete', { query: 'a' });
    expect(performance.now() - before).toBeGreaterThan(28);
  });

  it('closes at once, with requests under way, and closes twice', async () => {
    const sandbox = await startSandbox({ latencyMs: 60_000, faults: [{ fault: 'stall', at: 'connect', nth: 1 }] });
    const pending = [1, 2].map(() => ask(sandbox, '/autocomplete', { query: 'a' }).catch((error: unknown) => error));
    while (sandbox.count() === 0) await new Promise((resolve) => setImmediate(resolve));
    await sandbox.close();
    await sandbox.close();
    for (const end of await Promise.all(pending)) expect(end).toBeInstanceOf(Error);
    await expect(fetch(sandbox.url)).rejects.toThrow('fetch failed');
  });

  it('leaves no socket, server or timer behind', async () => {
    const open = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP') || name === 'Timeout').length;
    const before = open();
    const faults: Fault[] = [more({ fault: 'trickle', nth: 1 }), { fault: 'stall', nth: 2 }, { fault: 'delay', ms: 60_000, nth: 3 }];
    const sandbox = await startSandbox({ faults });
    const pending = [1, 2, 3].map(() => ask(sandbox, '/autocomplete', { query: 'a' }).catch(() => {}));
    while (sandbox.count() < 3) await new Promise((resolve) => setImmediate(resolve));
    await sandbox.close();
    await Promise.all(pending);
    // A poll has a timer of its own.
    await expect.poll(open).toBeLessThanOrEqual(before + 1);
  });

  it('takes the port it is told, once', async () => {
    const sandbox = await sandboxWith();
    await expect(startSandbox({ port: sandbox.port })).rejects.toThrow('EADDRINUSE');
  });

  it.each<[string, SandboxOptions]>([
    ['port', { port: 70_000 }],
    ['apiKey', { apiKey: 'a\r\nb' }],
    ['day', { day: 1.5 }],
    ['map.places', { map: { places: 50_001 } }],
    ['map.within', { map: { within: [10, 40, 5, 50] } }],
    ['map.cap', { map: { cap: 0 } }],
    ['map.view', { map: { view: [0, 768] } }],
    ['works', { works: 0 }],
    ['map.beyond', { map: { beyond: 2 } }],
    ['latencyMs', { latencyMs: -1 }],
    ['latencyMs', { latencyMs: [5, 1] }],
    ['pathPrefix', { pathPrefix: 'v1/' }],
    ['logLimit', { logLimit: 1.5 }],
    ['rateLimit.perSecond', { rateLimit: { kind: 'bucket', perSecond: 0 } }],
    ['rateLimit.burst', { rateLimit: { kind: 'bucket', perSecond: 1, burst: 0.5 } }],
    ['rateLimit.requests', { rateLimit: { kind: 'window', requests: -1, perMs: 1 } }],
    ['nth', { faults: [{ fault: 'reset', nth: 0 }] }],
    ['share', { faults: [{ fault: 'reset', share: 2 }] }],
    ['times', { faults: [{ fault: 'reset', times: 0 }] }],
    [
      "operation must be the name of an operation, not 'mapReviews'; did you mean 'mapsReviews'?",
      { faults: [{ fault: 'reset', operation: 'mapReviews' as 'mapsReviews' }] },
    ],
    ["'connect' comes before any request", { faults: [{ fault: 'reset', at: 'connect', operation: 'mapsSearch' }] }],
    ["no fault is called 'constructor'", { faults: [{ fault: 'constructor' as 'reset' }] }],
    ["no fault is called 'explode'", { faults: [{ fault: 'explode' as 'reset' }] }],
    ["no fault is called 'stauts'; did you mean 'status'?", { faults: [{ fault: 'stauts' as 'reset' }] }],
    [
      "the fault 'status': there is no option 'stauts'; did you mean 'status'?",
      { faults: [{ fault: 'status', status: 503, stauts: 503 } as Fault] },
    ],
    [
      "the fault 'tornBody': there is no option 'at'; it has operation, query, nth",
      { faults: [{ fault: 'tornBody', at: 'body' } as Fault] },
    ],
    ["the fault 'status': status must be a whole number from 100 to 599, not undefined", { faults: [{ fault: 'status' } as Fault] }],
  ])('refuses a bad %s', async (named, options) => {
    const refused = startSandbox(options);
    await expect(refused).rejects.toThrow(RangeError);
    await expect(refused).rejects.toThrow(named);
  });
});
