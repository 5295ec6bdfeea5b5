import { firstValueFrom, lastValueFrom, toArray, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, offsetPages } from '../../operators/index.ts';
import type { ClientEvent } from '../../src/client/events/clientEvents.ts';
import { createClient } from '../../src/createClient.ts';
import { DriftError, PayloadError } from '../../src/errors/index.ts';
import { envelope, startServer } from '../client/startServer.ts';
import { errorOf, withFaults } from './rig.ts';
import { more } from '../sandbox/moreFaults/more.ts';

const query = { query: 'tea' };
const reviews = { data_id: 'place 2' };

describe('list or token missing, null, empty, of a wrong type', () => {
  it('an empty list is a page without rows, and no drift', async () => {
    await withFaults([{ fault: 'list', as: 'empty' }], async ({ client, of }) => {
      expect(await firstValueFrom(client.autocomplete(query))).toMatchObject({ items: [], list: 'present' });
      expect(of('drift')).toEqual([]);
    });
  });

  it.each(['missing', 'null', 'object', 'text'] as const)('a list that is %s is no page, and requested once more', async (as) => {
    await withFaults([{ fault: 'list', as }], async ({ client, sandbox }) => {
      const error = await errorOf(client.autocomplete(query));
      expect(error).toMatchObject({ name: 'PayloadError', kind: 'noList', attempts: 2, message: expect.stringContaining('suggestions') });
      expect(sandbox.count()).toBe(2);
      sandbox.setFaults([more({ fault: 'list', as, nth: 1 })]);
      expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
    });
  });

  it.each([1, 3])('an absent list as page %d of a walk is an error, not the end', async (from) => {
    await withFaults([{ fault: 'list', as: 'missing', nth: [from, from + 1] }], async ({ client }) => {
      const walk = of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch));
      await expect(lastValueFrom(walk)).rejects.toMatchObject({ name: 'PayloadError', kind: 'noList' });
    });
  });

  it.each(['missing', 'null', 'empty'] as const)(
    'a token that is %s is the end of the walk, and a first page is not requested again',
    async (as) => {
      await withFaults([{ fault: 'token', as }], async ({ client, sandbox }) => {
        const pages = await lastValueFrom(of(reviews).pipe(expandCursor(client.mapsPosts), toArray()));
        expect([pages.length, sandbox.count()]).toEqual([1, 1]);
      });
    },
  );

  it('a documented token that is not there at all is drift besides', async () => {
    await withFaults([{ fault: 'token', as: 'missing' }], async ({ client, of: eventsOf }) => {
      await lastValueFrom(of(reviews).pipe(expandCursor(client.mapsPosts)));
      expect(eventsOf('drift').length).toBeGreaterThan(0);
    });
  });

  it.each([
    ['number', 'HttpError'], // it is sent as a text, and the service doesn't know it
    ['object', 'PaginationError'],
  ] as const)('a token that is of type %s is an error after its page', async (as, name) => {
    await withFaults([{ fault: 'token', as }], async ({ client }) => {
      const pages: unknown[] = [];
      const walk = of(reviews).pipe(expandCursor(client.mapsPosts));
      const error = await new Promise((resolve) => walk.subscribe({ next: (page) => pages.push(page), error: resolve }));
      expect(error).toMatchObject({ name });
      expect(pages).toHaveLength(1);
    });
  });
});

describe('a row of the wrong shape', () => {
  it.each(['null', 'text', 'number', 'list'] as const)(
    '%s instead of a row is set aside raw, and the page goes on without it',
    async (as) => {
      await withFaults([{ fault: 'badRows', as, rows: [2] }], async ({ client, of: eventsOf }) => {
        const page = await firstValueFrom(client.mapsSearch(query));
        expect(page.items).toHaveLength(19);
        const [drift] = eventsOf('drift');
        expect(drift).toMatchObject({ skipped: 1 });
        expect('raw' in drift!).toBe(true);
      });
    },
  );

  it('caps the issues of a page whose rows all have fields of other types', async () => {
    await withFaults([{ fault: 'badRows', as: 'types', rows: 'all' }], async ({ client, of: eventsOf }) => {
      const page = await firstValueFrom(client.mapsSearch(query));
      expect(page.items).toHaveLength(20);
      const [drift] = eventsOf('drift');
      expect(drift!.issues.length).toBeLessThanOrEqual(10);
      expect(JSON.stringify(drift).length).toBeLessThan(5000);
    });
  });

  it('stops above a settable share', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => index + 1);
    await withFaults([{ fault: 'badRows', rows }], async ({ client }) => {
      expect(await errorOf(client.mapsSearch(query))).toBeInstanceOf(DriftError);
    });
    await withFaults(
      [{ fault: 'badRows', rows }],
      async ({ client }) => expect((await firstValueFrom(client.mapsSearch(query))).items).toHaveLength(8),
      {
        client: { maxDriftShare: 0.7 },
      },
    );
  });

  it('is an error at once where that is asked for', async () => {
    await withFaults(
      [{ fault: 'badRows' }],
      async ({ client }) => expect(await errorOf(client.mapsSearch(query))).toBeInstanceOf(DriftError),
      {
        client: { validate: 'strict' },
      },
    );
  });
});

describe('a huge page, a bomb, 100,000 levels deep', () => {
  it('a page past the cap is an error', async () => {
    await withFaults(
      [{ fault: 'hugePage', bytes: 3_000_000 }],
      async ({ client, sandbox }) => {
        expect(await errorOf(client.autocomplete(query))).toMatchObject({ name: 'PayloadError', attempts: 1 });
        expect(sandbox.count()).toBe(1);
      },
      { client: { maxBodyBytes: 1_000_000 } },
    );
  });

  it('a bomb is an error at the cap, and memory stays flat', async () => {
    await withFaults([{ fault: 'bomb', bytes: 314_572_800 }], async ({ client }) => {
      const before = process.memoryUsage();
      expect(await errorOf(client.autocomplete(query))).toBeInstanceOf(PayloadError);
      const after = process.memoryUsage();
      expect(after.external + after.heapUsed - before.external - before.heapUsed).toBeLessThan(100_000_000);
    });
  });

  it('100,000 levels in a document are an error', async () => {
    await withFaults([{ fault: 'deep', levels: 100_000, in: 'document' }], async ({ client }) => {
      expect(await errorOf(client.autocomplete(query))).toBeInstanceOf(PayloadError);
    });
  });

  it('100,000 levels in a list beside the rows leave the rows as they are', async () => {
    await withFaults([{ fault: 'deep', levels: 100_000, in: 'field' }], async ({ client }) => {
      expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
    });
  });

  it('a response of 100 kB after which the connection closes comes whole', async () => {
    await withFaults([{ fault: 'connectionClose', bytes: 100_000 }], async ({ client, sandbox }) => {
      for (let i = 0; i < 20; i++) expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
      expect(sandbox.count()).toBe(20);
    });
  });

  it.each(['gzip', 'deflate', 'br'] as const)('an honest %s is read', async (encoding) => {
    await withFaults([{ fault: 'compressed', encoding }], async ({ client }) => {
      expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
    });
  });
});

describe('`__proto__` and `constructor` as keys', () => {
  it('are plain data', async () => {
    await withFaults([{ fault: 'protoKeys' }], async ({ client }) => {
      const page = await firstValueFrom(client.autocomplete(query));
      const row = page.items[0]!;
      expect(Object.hasOwn(row, '__proto__')).toBe(true);
      expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      expect(row.value).toBe('tea');
    });
  });
});

describe('64-bit ids', () => {
  it('come as they were sent', async () => {
    await withFaults([{ fault: 'bigNumbers' }], async ({ client, sandbox }) => {
      const rounded = await firstValueFrom(client.mapsSearch(query));
      sandbox.setFaults([]);
      const exact = await firstValueFrom(client.mapsSearch(query));
      expect(rounded.items.map((row) => row.data_cid)).toEqual(exact.items.map((row) => row.data_cid));
    });
  });
});

describe('a response with escape sequences', () => {
  it('never reaches a terminal raw: errors escape what the service says', async () => {
    await withFaults([{ fault: 'escapes', in: 'message' }], async ({ client }) => {
      const error = await errorOf(client.autocomplete(query));
      // oxlint-disable-next-line no-control-regex -- these are what must not be there
      expect(`${error.message}${JSON.stringify(error)}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      expect(error.message).toContain(String.raw`\u{1b}`);
    });
  });

  it('is left as it is in the rows, which belong to the user', async () => {
    await withFaults([{ fault: 'escapes' }], async ({ client }) => {
      expect((await firstValueFrom(client.autocomplete(query))).items[0]!.value).toContain('\u001b[2J');
    });
  });
});

describe('bytes that are not UTF-8', () => {
  it('are told once, and the rest of the row is kept', async () => {
    const body = Buffer.from(
      envelope({ suggestions: [{ value: 'caf@ tea', relevance: 1, type: 'QUERY' }], verbatim_relevance: 1 }),
      'latin1',
    );
    body[body.indexOf('@')] = 0xe9;
    await using server = await startServer((_, response) => response.end(body));
    await using client = createClient({ baseUrl: server.url, apiKey: 'k' });
    const events: ClientEvent[] = [];
    client.events$.subscribe((event) => events.push(event));
    for (let n = 0; n < 3; n++) {
      expect((await firstValueFrom(client.autocomplete({ query: `q${n}` }))).items).toMatchObject([{ value: 'caf\uFFFD tea' }]);
    }
    const told = events.filter((event) => event.type === 'drift').flatMap((event) => event.issues);
    expect(told.filter(({ message }) => message.includes('not UTF-8'))).toHaveLength(1);
    await using strict = createClient({ baseUrl: server.url, apiKey: 'k', validate: 'strict' });
    const error = await errorOf(strict.autocomplete({ query: 'q' }));
    expect(error).toBeInstanceOf(DriftError);
    expect(error.message).toContain('not UTF-8');
  });
});

describe('numbers that are too large for any', () => {
  it('come through as they were sent', async () => {
    await using server = await startServer((_, response) =>
      response.end(envelope({ suggestions: [{ value: 'a', relevance: 777 }] }).replace('777', '1e999')),
    );
    await using client = createClient({ baseUrl: server.url, apiKey: 'k' });
    expect((await firstValueFrom(client.autocomplete({ query: 'q' }))).items).toMatchObject([{ relevance: '1e999' }]);
  });
});
