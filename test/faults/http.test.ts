import { lastValueFrom, firstValueFrom, from, mergeMap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { AuthError, EnvelopeError, HttpError, PayloadError, RateLimitError } from '../../src/errors/index.ts';
import { fanOut } from '../../operators/index.ts';
import { createClient } from '../../src/createClient.ts';
import { startServer } from '../client/startServer.ts';
import { outcome } from '../client/testClient.ts';
import { errorOf, withFaults } from './rig.ts';

const query = { query: 'tea' };
const nameOf = ({ error }: { readonly error?: unknown }): string => (error === undefined ? 'page' : (error as Error).name);

describe('408 425 429 500 502 503 504 522 524', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 522, 524])('%i is tried again', async (status) => {
    await withFaults(
      [{ fault: 'status', status, nth: [1, 2] }],
      async ({ client, sandbox, of }) => {
        expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
        expect(sandbox.requests.map((request) => request.status)).toEqual([status, status, 200]);
        expect(of('retry')).toHaveLength(2);
      },
      { client: { rate: 'unlimited' } }, // the learnt rate would take its time after a 429
    );
  });

  it.each([429, 503])('%i every time is an error after all attempts', async (status) => {
    await withFaults(
      [{ fault: 'status', status }],
      async ({ client, sandbox }) => {
        const error = await errorOf(client.autocomplete(query));
        expect(error).toBeInstanceOf(status === 429 ? RateLimitError : HttpError);
        expect(error).toMatchObject({ status, attempts: 5, operation: 'autocomplete', query });
        expect(sandbox.count()).toBe(5);
      },
      { client: { rate: 'unlimited' } },
    );
  });
});

describe('other 4xx', () => {
  it.each([400, 402, 404, 410, 418, 422, 451])('%i is an error at once', async (status) => {
    await withFaults([{ fault: 'status', status }], async ({ client, sandbox }) => {
      expect(await errorOf(client.autocomplete(query))).toMatchObject({ name: 'HttpError', status, attempts: 1 });
      expect(sandbox.count()).toBe(1);
    });
  });

  it('inside a fan-out it is skipped and counted, and the rest continues', async () => {
    await withFaults([{ fault: 'status', status: 404, query: { query: 'b' } }], async ({ client }) => {
      const failures: unknown[] = [];
      const pages = await lastValueFrom(
        from(['a', 'b', 'c']).pipe(
          fanOut((text) => client.autocomplete({ query: text }), { onError: (failure) => void failures.push(failure) }),
          toArray(),
        ),
      );
      expect(pages).toHaveLength(2);
      expect(failures).toHaveLength(1);
    });
  });
});

describe('401 403', () => {
  it.each([
    ['a 401', { status: 401, nth: 3 }],
    ['a 403 before any page', { status: 403, nth: 1 }],
  ])('%s stops everything: no other request goes out with that key', async (_, fault) => {
    await withFaults(
      [{ fault: 'status', ...fault }],
      async ({ client, sandbox }) => {
        const all = from(Array.from({ length: 50 }, (_, index) => ({ query: `q${index}` }))).pipe(
          mergeMap((each) => client.autocomplete(each)),
        );
        const error = await lastValueFrom(all).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(AuthError);
        const asked = sandbox.count();
        expect(asked).toBeLessThanOrEqual(4); // what was in flight besides
        expect(await errorOf(client.mapsSearch(query))).toBeInstanceOf(AuthError);
        expect(sandbox.count()).toBe(asked);
      },
      { client: { concurrency: 2 } },
    );
  });

  it('a 403 after a page fails its query, and ten of them in a row stop', async () => {
    const forbidden = [3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15];
    await withFaults(
      [{ fault: 'status', status: 403, nth: [...forbidden, ...Array.from({ length: 10 }, (_, at) => 20 + at)] }],
      async ({ client, sandbox }) => {
        const ended: string[] = [];
        for (let at = 1; at <= 40; at++) ended.push(nameOf(await outcome(client.autocomplete({ query: `q${at}` }))));
        const wanted = Array.from({ length: 28 }, (_, at) => (forbidden.includes(at + 1) || at >= 19 ? 'HttpError' : 'page'));
        expect(ended).toEqual([...wanted, ...Array.from({ length: 12 }, () => 'AuthError')]);
        expect(sandbox.count()).toBe(29);
      },
    );
  });

  it('a wrong key is an AuthError that does not show it', async () => {
    await withFaults(
      [],
      async ({ client }) => {
        const error = await errorOf(client.autocomplete(query));
        expect(error).toMatchObject({ name: 'AuthError', status: 401, attempts: 1 });
        expect(`${error.message} ${JSON.stringify(error)} ${String(error.stack)}`).not.toContain('canary-key');
      },
      { client: { apiKey: 'canary-key' } },
    );
  });
});

describe('3xx', () => {
  it.each([301, 302, 303, 307, 308])('%i is an error, and the key goes nowhere else', async (status) => {
    await withFaults([], async ({ sandbox: elsewhere }) => {
      await withFaults(
        [{ fault: 'redirect', status, to: `${elsewhere.url}/api/v1/engine/autocomplete?query=tea` }],
        async ({ client, sandbox }) => {
          const error = await errorOf(client.autocomplete(query));
          expect(error).toMatchObject({ name: 'HttpError', status, attempts: 1 });
          expect(error.message).toContain('redirect');
          expect([sandbox.count(), elsewhere.count()]).toEqual([1, 0]);
        },
      );
    });
  });
});

describe('304', () => {
  it('is an error that does not speak of a redirect', async () => {
    await using server = await startServer((_, response) => response.writeHead(304).end());
    await using client = createClient({ baseUrl: server.url, apiKey: 'k' });
    const error = await errorOf(client.autocomplete(query));
    expect(error).toMatchObject({ name: 'HttpError', status: 304, attempts: 1 });
    expect(error.message).toContain('not modified');
    expect(error.message).not.toContain('redirect');
  });
});

describe('204, or 200 with an empty body', () => {
  it.each([
    ['noContent', 1],
    ['empty', 3],
  ] as const)('%s is an error, never taken for no results', async (fault, requests) => {
    await withFaults([{ fault }], async ({ client, sandbox }) => {
      const error = await errorOf(client.autocomplete(query));
      expect(error).toBeInstanceOf(PayloadError);
      expect(error.message).toContain('not the same as no results');
      expect(sandbox.count()).toBe(requests);
    });
  });

  it('continues when the next response has a body', async () => {
    await withFaults([{ fault: 'empty', nth: [1] }], async ({ client }) => {
      expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
    });
  });
});

describe("HTML with 200, JSON that isn't", () => {
  it('is retried at most twice, then an error with the first 200 bytes, escaped', async () => {
    await withFaults([{ fault: 'html' }], async ({ client, sandbox }) => {
      const error = await errorOf(client.autocomplete(query));
      expect(error).toMatchObject({ name: 'PayloadError', status: 200, attempts: 3 });
      expect(error.message).toContain(String.raw`<!doctype html>\u{a}<html><body><h1>Checking your browser\u{1b}[31m`);
      expect(sandbox.count()).toBe(3);
    });
    await withFaults([{ fault: 'notJson', text: `{"x":"${'y'.repeat(1000)}` }], async ({ client }) => {
      const error = await errorOf(client.autocomplete(query));
      expect(error.message).toContain(`{"x":"${'y'.repeat(194)}`);
      expect(error.message).not.toContain('y'.repeat(195));
    });
  });

  it('continues when the next response is good', async () => {
    await withFaults([{ fault: 'notJson', nth: [1, 2] }], async ({ client }) => {
      expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
    });
  });

  it.each(['bare', 'list', 'null', 'nullData'] as const)('JSON without its envelope (%s) is an error too', async (as) => {
    await withFaults([{ fault: 'noEnvelope', as }], async ({ client }) => {
      expect(await errorOf(client.autocomplete(query))).toMatchObject({ name: 'PayloadError', attempts: 3 });
    });
  });
});

describe('envelope `code` other than 200 with HTTP 200', () => {
  it('an unknown code is retried at most twice, then an error with the code', async () => {
    await withFaults([{ fault: 'envelopeCode', code: 1234, message: 'engine busy' }], async ({ client, sandbox }) => {
      const error = await errorOf(client.autocomplete(query));
      expect(error).toBeInstanceOf(EnvelopeError);
      expect(error).toMatchObject({ code: 1234, status: 200, attempts: 3 });
      expect(error.message).toContain('engine busy');
      expect(sandbox.count()).toBe(3);
    });
  });

  it.each([401, 403])('code %i stops everything where nothing has come, as the status does', async (code) => {
    await withFaults([{ fault: 'envelopeCode', code, nth: 1 }], async ({ client, sandbox }) => {
      expect(await errorOf(client.autocomplete(query))).toMatchObject({ name: 'AuthError', code, attempts: 1 });
      const next = await errorOf(client.mapsSearch(query));
      expect(next).toBeInstanceOf(AuthError);
      expect(next.message).toContain(`HTTP 200, code ${code}`);
      expect(sandbox.count()).toBe(1);
    });
  });

  it('code 429 throttles, as the status does', async () => {
    await withFaults([{ fault: 'envelopeCode', code: 429, nth: [1, 2, 3] }], async ({ client, sandbox, of }) => {
      await firstValueFrom(client.autocomplete(query));
      expect(sandbox.count()).toBe(4);
      expect(client.stats().throttled).toBe(3);
      expect(of('throttle')).toHaveLength(3);
    });
    await withFaults(
      [{ fault: 'envelopeCode', code: 429 }],
      async ({ client }) => {
        expect(await errorOf(client.autocomplete(query))).toMatchObject({ name: 'RateLimitError', code: 429, status: 200, attempts: 2 });
      },
      { client: { retry: { maxAttempts: 2 } } },
    );
  });

  it.each([404, 410])('code %i is final', async (code) => {
    await withFaults([{ fault: 'envelopeCode', code }], async ({ client, sandbox }) => {
      expect(await errorOf(client.autocomplete(query))).toMatchObject({ name: 'EnvelopeError', code, attempts: 1 });
      expect(sandbox.count()).toBe(1);
    });
  });

  it("what a code means can be 'auth' or 'throttled' too", async () => {
    await withFaults(
      [
        { fault: 'envelopeCode', code: 7, operation: 'autocomplete', nth: 1 },
        { fault: 'envelopeCode', code: 8, operation: 'mapsSearch' },
      ],
      async ({ client }) => {
        await firstValueFrom(client.autocomplete(query));
        expect(client.stats().throttled).toBe(1);
        expect(await errorOf(client.mapsSearch(query))).toMatchObject({ name: 'AuthError', code: 8, attempts: 1 });
      },
      { client: { retry: { codes: { 7: 'throttled', 8: 'auth' } } } },
    );
  });

  it('a table that the user can extend says which pass and which do not', async () => {
    await withFaults(
      [
        { fault: 'envelopeCode', code: 7, operation: 'autocomplete' },
        { fault: 'envelopeCode', code: 8, operation: 'mapsSearch' },
      ],
      async ({ client }) => {
        expect(await errorOf(client.autocomplete(query))).toMatchObject({ code: 7, attempts: 5 });
        expect(await errorOf(client.mapsSearch(query))).toMatchObject({ code: 8, attempts: 1 });
      },
      { client: { retry: { codes: { 7: 'busy', 8: 'final' } } } },
    );
  });
});
