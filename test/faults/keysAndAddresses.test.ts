import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { describe, expect, inject, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { InvalidQueryError } from '../../src/errors/index.ts';
import { envelope, reply, startServer } from '../client/startServer.ts';
import { errorOf, withFaults } from './rig.ts';

function refusal(options: object): Error {
  try {
    createClient({ baseUrl: 'https://api.example.com', apiKey: 'k', ...options });
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a refusal');
}

describe('the key holds CR LF or is empty', () => {
  it.each(['', 'zebra\r\nx-evil: 1', 'zebra\n', ' zebra', 'zebra\0', 'zebrä'])('%j is refused at once, without printing it', (apiKey) => {
    const error = refusal({ apiKey });
    expect(error.message).toContain('apiKey');
    expect(`${error.message} ${error.stack}`).not.toContain('zebr');
  });

  it('is in no event, error, log or text of the client', async () => {
    const key = 'canary-0123456789';
    await withFaults(
      [
        { fault: 'status', status: 500, nth: 1, body: `your key ${key} is unwell` },
        { fault: 'status', status: 400, nth: 2, body: `bad key ${key}` },
      ],
      async ({ client, events, sandbox }) => {
        const error = await errorOf(client.autocomplete({ query: 'tea' }));
        await firstValueFrom(client.autocomplete({ query: 'tea' }));
        const said = [
          error.message,
          error.stack,
          JSON.stringify(error),
          inspect(error, { depth: 9 }),
          inspect(events, { depth: 9 }),
          JSON.stringify(events),
          inspect(client, { depth: 9, showHidden: true }),
          JSON.stringify(client),
        ];
        expect(said.join('\n')).not.toContain(key);
        expect(JSON.stringify(sandbox.requests)).not.toContain(key);
      },
      { client: { apiKey: key }, sandbox: { apiKey: key } },
    );
  });
});

describe('the service echoes the key', () => {
  it.each(['canary-0123456789', 'canary"0123\\456/789'])('%j is in no row, id, event or message', async (key) => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      asked++;
      const echo = { reviews_results: [{ snippet: `for ${key}` }, 7, key], requestId: 1 };
      if (asked === 1) return reply(response, echo, { requestId: `id of ${key}`, message: key });
      if (asked === 2) return response.writeHead(400).end(`${'x'.repeat(190)}${key}`);
      if (asked === 3) return response.end(`<p>${'y'.repeat(190)}${JSON.stringify(key)}`);
      return response.writeHead(503).end(envelope({}, { code: 503, message: `${'z'.repeat(190)}${key}`, requestId: key }));
    });
    await using client = createClient({ baseUrl: server.url, apiKey: key, retry: { maxAttempts: 1 } });
    const events: unknown[] = [];
    client.events$.subscribe((event) => events.push(event));
    const page = await firstValueFrom(client.mapsReviews({ data_id: 'a' }));
    expect(page.items[0]).toEqual({ snippet: 'for [key]' });
    expect(page.requestId).toBe('id of [key]');
    const errors = [];
    for (let n = 0; n < 3; n++) errors.push(await errorOf(client.mapsReviews({ data_id: 'a' })));
    const said = inspect([page, events, errors, errors.map((error) => error.toJSON())], { depth: 9, maxStringLength: null });
    expect(said).toContain('skipped: 1');
    expect(said).not.toContain('canary');
  });

  const key = 'canary"0123\\456/789-aZ';
  const hex = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  it.each([
    ['as usual', JSON.stringify(key).slice(1, -1)],
    [
      'with slashes',
      JSON.stringify(key)
        .slice(1, -1)
        .replaceAll('/', String.raw`\/`),
    ],
    ['all but letters and digits', key.replaceAll(/\W/g, hex)],
    ['in capitals', key.replaceAll(/\W/g, (char) => hex(char).toUpperCase().replace('U', 'u'))],
    ['as in a URL', encodeURIComponent(key)],
  ])('spelled with escapes, %s, it is in no row', async (_, spelled) => {
    await using server = await startServer((_, response) => {
      response.writeHead(200).end(envelope({ reviews_results: [{ snippet: 'for ?, {é}' }] }).replace('?', () => spelled).replace('é', hex)); // prettier-ignore
    });
    await using client = createClient({ baseUrl: server.url, apiKey: key });
    expect((await firstValueFrom(client.mapsReviews({ data_id: 'a' }))).items).toEqual([{ snippet: 'for [key], {é}' }]);
  });

  it('is in nothing that NODE_DEBUG prints', async () => {
    await using server = await startServer((request, response) => {
      const echo = `for ${String(request.headers['x-api-key'])}`;
      if (request.url!.includes('bad')) return response.writeHead(400).end(envelope({}, { code: 400, message: echo, requestId: echo }));
      return reply(response, { reviews_results: [{ snippet: echo }, 7, echo] }, { requestId: echo, message: echo });
    });
    const script = `import { createClient } from ${JSON.stringify(`${inject('dist')}/bundle/index.js`)};
      const client = createClient({ baseUrl: ${JSON.stringify(server.url)} });
      for (const data_id of ['good', 'bad']) await new Promise((done) => client.mapsReviews({ data_id }).subscribe({ error: done, complete: done }));
      await client.close();`;
    const env = { ...process.env, TRAWLER_API_KEY: key, NODE_DEBUG: 'trawler,undici,fetch,net,http,tls,timer' };
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    expect(stderr).toMatch(/TRAWLER \d+: response mapsReviews/);
    expect(stderr).toMatch(/TRAWLER \d+: failure mapsReviews/);
    expect(stderr).toContain('[key]');
    expect(stderr).not.toContain('canary');
  });

  it('leaves rows as they are where the key is a short word', async () => {
    await using server = await startServer((_, response) => reply(response, { reviews_results: [{ snippet: 'a test of tea' }] }));
    await using client = createClient({ baseUrl: server.url, apiKey: 'test' });
    expect((await firstValueFrom(client.mapsReviews({ data_id: 'a' }))).items).toEqual([{ snippet: 'a test of tea' }]);
  });
});

describe('the base URL', () => {
  it.each([
    'ftp://api.example.com',
    'http://api.example.com',
    'https://user:pass@api.example.com',
    'https://api.example.com/?a=1',
    'https://api.example.com/#x',
    String.raw`https:\\evil.example`,
    'https://api.example.com/%2e%2e/x',
    'https://api.example.com/../x',
    'nonsense',
    '',
  ])('%j is refused at once', (baseUrl) => {
    expect(refusal({ baseUrl }).message).toContain('baseUrl');
  });

  it.each(['//evil.example', String.raw`\\evil.example`, '/%2e%2e', '/a/../../b', '/a?b'])(
    'a path prefix of %j cannot leave it',
    (pathPrefix) => {
      expect(refusal({ pathPrefix }).message).toContain('pathPrefix');
    },
  );
});

describe('unknown parameter, wrong type, impossible date', () => {
  it.each<[object, string]>([
    [{ quary: 'tea' }, 'query'],
    [{ query: 7 }, 'query'],
    [{ query: 'tea', check_in_date: '2026-02-30', check_out_date: '2026-03-01' }, 'check_in_date'],
    [{ query: 'tea', check_in_date: '2026-03-02', check_out_date: '2026-03-01' }, 'check_out_date'],
    [{ query: 'tea', checkInDate: '2026-03-02', check_out_date: '2026-03-05' }, 'check_in_date'],
  ])('%o is an error before any request, naming %s', async (query, named) => {
    await withFaults([], async ({ client, sandbox }) => {
      const hotels = client.hotelSearch as unknown as (query: object) => ReturnType<typeof client.hotelSearch>;
      const error = await errorOf(hotels({ check_in_date: '2026-05-01', check_out_date: '2026-05-02', ...query }));
      expect(error).toBeInstanceOf(InvalidQueryError);
      expect(error.message).toContain(named);
      expect(sandbox.count()).toBe(0);
    });
  });
});
