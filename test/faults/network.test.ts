import { firstValueFrom, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import type { Page } from '../../src/client/Client.ts';
import { NetworkError, TimeoutError } from '../../src/errors/index.ts';
import type { FaultStage } from '../../src/sandbox/index.ts';
import type { NamedFault } from '../sandbox/moreFaults/more.ts';
import { freePort } from '../freePort.ts';
import { ManualClock } from './ManualClock.ts';
import { errorOf, type Rig, withFaults } from './rig.ts';

const query = { query: 'tea' };
const maxBodyBytes = 262_144;
const always = { client: { timeoutMs: 15, maxBodyBytes, retry: { maxAttempts: 2 } } };

/** A page whose first attempt may meet its deadline, and whose second one can't: no time passes for it. */
async function pageAfterRetry({ client, of }: Rig, clock: ManualClock): Promise<Page> {
  let over = false;
  const page = lastValueFrom(client.autocomplete(query)).finally(() => (over = true));
  while (!over) {
    await new Promise((turn) => setImmediate(turn));
    if (of('retry').length === 0 || client.stats().inFlight === 0) clock.advance(10);
  }
  return page;
}

describe('name not found, refused, reset, closed, half a body, TLS', () => {
  const client = (baseUrl: string): ReturnType<typeof createClient> =>
    createClient({ baseUrl, apiKey: 'k', retry: { baseMs: 1, maxAttempts: 3 }, timeoutMs: 5000 });

  it('retries a name that is not found, then fails with what happened', async () => {
    await using nowhere = client('https://no-such-host.invalid');
    const error = await errorOf(nowhere.autocomplete(query));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.attempts).toBe(3);
  });

  it('retries a refused connection', async () => {
    await using refused = client(`http://127.0.0.1:${await freePort()}`);
    expect(await errorOf(refused.autocomplete(query))).toMatchObject({
      name: 'NetworkError',
      attempts: 3,
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('continues when the service is back', async () => {
    await withFaults(
      [{ fault: 'refused', forMs: 30, nth: 1 }],
      async ({ client, of }) => {
        const page = await firstValueFrom(client.autocomplete(query));
        expect(page.items.length).toBeGreaterThan(0);
        expect(of('retry').length).toBeGreaterThan(0);
      },
      { client: { retry: { baseMs: 20, capMs: 40, maxAttempts: 20 } } },
    );
  });

  it('fails at once where TLS meets a server without it', async () => {
    await withFaults([], async ({ sandbox }) => {
      await using secure = client(sandbox.url.replace('http:', 'https:'));
      expect(await errorOf(secure.autocomplete(query))).toMatchObject({ name: 'NetworkError', attempts: 1 });
    });
  });

  it('refuses an address that is none before any request', () => {
    expect(() => client('not a url')).toThrow(RangeError);
  });

  it.each<NamedFault>([
    { fault: 'reset', nth: 1 },
    { fault: 'close', nth: 1 },
    { fault: 'close', at: 'body', nth: 1 },
    { fault: 'wrongLength', by: 50, nth: 1 },
    { fault: 'truncatedGzip', nth: 1 },
  ])('retries after %o', async (fault) => {
    await withFaults([fault], async ({ client, sandbox }) => {
      expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
      expect(sandbox.count()).toBe(2);
    });
  });

  it('half a body is retried as often as any other broken connection', async () => {
    await withFaults([{ fault: 'close', at: 'body', nth: [1, 2, 3] }], async ({ client, sandbox }) => {
      expect((await firstValueFrom(client.autocomplete(query))).items.length).toBeGreaterThan(0);
      expect(sandbox.count()).toBe(4);
    });
  });

  it('a request on an idle connection that the server just closed is repeated once, at once', async () => {
    await withFaults([{ fault: 'reset', nth: 2 }], async ({ client, sandbox, of }) => {
      await firstValueFrom(client.autocomplete(query));
      await new Promise((resolve) => setTimeout(resolve, 5)); // until the connection is free again
      await firstValueFrom(client.autocomplete(query));
      expect(sandbox.count()).toBe(3);
      expect(of('retry').map(({ delayMs }) => delayMs)).toEqual([0]);
    });
  });
});

describe('no headers, a trickle, sliced bytes', () => {
  it.each<NamedFault>([
    { fault: 'stall', nth: 1 },
    { fault: 'stall', at: 'body', nth: 1 },
    { fault: 'trickle', everyMs: 20, nth: 1 },
    { fault: 'trickle', at: 'body', everyMs: 20, nth: 1 },
  ])('the deadline of the attempt strikes on %o, and it is tried again', async (fault) => {
    const clock = new ManualClock();
    await withFaults(
      [fault],
      async (rig) => {
        expect((await pageAfterRetry(rig, clock)).items.length).toBeGreaterThan(0);
        expect(rig.sandbox.count()).toBe(2);
        expect(rig.of('retry')[0]?.error).toBeInstanceOf(TimeoutError);
      },
      { client: { clock, maxBodyBytes } },
    );
  });

  it('slices are invisible', async () => {
    await withFaults([{ fault: 'slices', bytes: 1, nth: 1 }], async ({ client, sandbox }) => {
      const sliced = await firstValueFrom(client.autocomplete(query));
      expect(sliced.data).toEqual((await firstValueFrom(client.autocomplete(query))).data);
      expect(sandbox.count()).toBe(2);
    });
  });
});

describe('HTTP rubbish, a 20 kB header, two content lengths', () => {
  it.each<NamedFault>([
    { fault: 'rubbish' },
    { fault: 'rubbish', at: 'headers' },
    { fault: 'hugeHeader', bytes: 20_000 },
    { fault: 'twoLengths' },
  ])('%o is tried again once, then an error', async (fault) => {
    await withFaults([fault], async ({ client, sandbox }) => {
      const error = await errorOf(client.autocomplete(query));
      expect(error).toBeInstanceOf(NetworkError);
      expect(error.attempts).toBe(2);
      expect(sandbox.count()).toBe(2);
    });
  });
});

const kinds = ['reset', 'close', 'stall', 'trickle', 'rubbish', 'flood', 'delay', 'slices'] as const;
const atConnect: ReadonlySet<string> = new Set(['reset', 'stall', 'delay']);
const stages: readonly FaultStage[] = ['connect', 'headers', 'body'];
const grid = kinds.flatMap((fault) => stages.map((at) => [fault, at === 'connect' && !atConnect.has(fault) ? 'before' : at] as const));
const isEndless = ([fault, at]: readonly string[]): boolean => fault === 'flood' && at === 'body';

describe('eight network faults at connect, in the headers and in the body', () => {
  it.each(grid.filter((each) => !isEndless(each)))(
    '%s at %s, once: the page comes, by another attempt where need be',
    async (fault, at) => {
      const clock = new ManualClock();
      const harmless = fault === 'delay' || fault === 'slices';
      await withFaults(
        [{ fault, at, nth: 1, ...(fault === 'delay' ? { ms: 20 } : {}) } as NamedFault],
        async (rig) => {
          const page = await (harmless ? lastValueFrom(rig.client.autocomplete(query)) : pageAfterRetry(rig, clock));
          expect(page.items.length).toBeGreaterThan(0);
          expect(rig.of('retry').length).toBe(harmless ? 0 : 1);
        },
        { client: { clock, maxBodyBytes } },
      );
    },
  );

  it('a body without end is an error at once, for another would be no shorter', async () => {
    await withFaults(
      [{ fault: 'flood', at: 'body' }],
      async ({ client, sandbox }) => {
        expect(await errorOf(client.autocomplete(query))).toMatchObject({ name: 'PayloadError', attempts: 1 });
        expect(sandbox.count()).toBe(1);
      },
      { client: { maxBodyBytes } },
    );
  });

  it.each(grid.filter((each) => each[0] !== 'slices' && !isEndless(each)))(
    '%s at %s, always: a typed error after its attempts, and nothing is left',
    async (fault, at) => {
      await withFaults(
        [{ fault, at, ...(fault === 'delay' ? { ms: 400 } : {}) } as NamedFault],
        async ({ client }) => {
          const error = await errorOf(client.autocomplete(query));
          expect(error.name).toMatch(/^(Network|Timeout)Error$/);
          expect(error.attempts).toBe(2);
          expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
        },
        always,
      );
    },
  );

  it('slices, always: every page comes', async () => {
    await withFaults([{ fault: 'slices', at: 'headers' }], async ({ client, sandbox }) => {
      for (let i = 0; i < 3; i++) await firstValueFrom(client.autocomplete(query));
      expect(sandbox.count()).toBe(3);
    });
  });
});
