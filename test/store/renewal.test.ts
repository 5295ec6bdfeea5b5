import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expandCursor } from '../../operators/index.ts';
import { systemClock } from '../../src/client/Clock.ts';
import type { Client } from '../../src/index.ts';
import { defineFlow, runFlow, type FlowSummary } from '../../src/flow/index.ts';
import { aiOverviews } from '../../src/operators.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { openStore } from '../../src/store/index.ts';
import { errorOf, eventsOf, testClient } from '../client/testClient.ts';
import { more } from '../sandbox/moreFaults/more.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'store-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A client of a sandbox with the store, at a time. */
async function withClient<T>(sandbox: Sandbox, work: (client: Client) => Promise<T>, wall = Date.now()): Promise<T> {
  await using store = openStore(folder, { now: () => wall });
  await using client = testClient(sandbox.url, {
    apiKey: sandbox.apiKey,
    store,
    clock: { ...systemClock, wall: () => wall },
    retry: { baseMs: 1 },
  });
  return await work(client);
}

describe('a walk whose token came from the store', () => {
  const data_id = '0x1:0x2';
  const walk = (maxPages: number) => async (client: Client) => {
    const events = eventsOf(client);
    const pages = await lastValueFrom(of({ data_id, results: 5 }).pipe(expandCursor(client.mapsReviews, { maxPages }), toArray()));
    const told = events.flatMap((event) => (event.type === 'store' ? [event.message] : []));
    return { pages: pages.length, requests: client.stats().requests, hits: client.stats().hits, told };
  };

  it('restarts once when the service refuses the token, and says so', async () => {
    await using before = await startSandbox({ seed: 'before' });
    expect(await withClient(before, walk(2))).toMatchObject({ pages: 2, requests: 2, told: [] });
    await using after = await startSandbox({ seed: 'after' }); // its tokens are others
    expect(await withClient(after, walk(3))).toEqual({
      pages: 3,
      hits: 2,
      requests: 4, // the refused one, the two pages before, and the page
      told: ['next_page_token comes from a stored page, and the service refuses it: the walk starts over, and 2 pages are requested again'],
    });
    expect(await withClient(after, walk(3))).toEqual({ pages: 3, hits: 3, requests: 0, told: [] });
  });

  it('lets a run end whose budget is used up by the refused request', { timeout: 30_000 }, async () => {
    await using before = await startSandbox({ seed: 'before' });
    await withClient(before, walk(1));
    await using after = await startSandbox({ seed: 'after' });
    const reviews = { call: 'mapsReviews', with: { data_id, results: 5 }, pages: 2, to: 'r.jsonl' } as const;
    const flow = defineFlow({ name: 'two pages', stages: { reviews } });
    const run = (maxRequests: number) => (client: Client) =>
      lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'out'), maxRequests })) as Promise<FlowSummary>;
    expect(await withClient(after, run(1))).toMatchObject({ outcome: 'interrupted', requests: 1 });
    expect(await withClient(after, run(9))).toMatchObject({ outcome: 'capped', requests: 3 });
  });

  it('fails when it is refused again', async () => {
    await using before = await startSandbox({ seed: 'before' });
    await withClient(before, walk(1));
    await using after = await startSandbox({ seed: 'after', faults: [{ fault: 'staleToken' }] });
    await withClient(after, async (client) => {
      const error = await errorOf(of({ data_id, results: 5 }).pipe(expandCursor(client.mapsReviews, { maxPages: 2 })));
      expect(error).toMatchObject({ name: 'HttpError', status: 400 });
      expect(client.stats().requests).toBe(3);
    });
  });

  it('is not refused by a failure that may pass: the walk does not start over', async () => {
    await using before = await startSandbox();
    await withClient(before, walk(1));
    await using after = await startSandbox({ faults: [more({ fault: 'envelopeCode', code: 500 })] });
    await withClient(after, async (client) => {
      const error = await errorOf(of({ data_id, results: 5 }).pipe(expandCursor(client.mapsReviews, { maxPages: 2 })));
      expect(error).toMatchObject({ name: 'EnvelopeError', code: 500, kind: 'busyCode' });
      expect(client.stats().requests).toBe(3);
    });
  });

  it('goes on with its token where the service takes it', async () => {
    await using sandbox = await startSandbox();
    await withClient(sandbox, walk(1));
    expect(await withClient(sandbox, walk(2))).toEqual({ pages: 2, hits: 1, requests: 1, told: [] });
  });
});

describe('a value of a stored page that has expired', () => {
  const start = Date.UTC(2026, 0, 1);
  const overviews = async (client: Client) => {
    const query = { query: 'why is the sky blue' };
    const pages$ = client.webSearch(query).pipe(aiOverviews(client));
    return { pages: (await lastValueFrom(pages$.pipe(toArray()))).length, requests: client.stats().requests, hits: client.stats().hits };
  };

  it('is refused, and its page requested again, once', async () => {
    let now = start;
    await using sandbox = await startSandbox({ now: () => now });
    await withClient(sandbox, (client) => lastValueFrom(client.webSearch({ query: 'why is the sky blue' })), now);
    now += 120_001;
    expect(await withClient(sandbox, overviews, now)).toEqual({ pages: 1, requests: 3, hits: 1 });
    expect(await withClient(sandbox, overviews, now + 1_000_000)).toEqual({ pages: 1, requests: 0, hits: 2 });
  });

  it('is sent while it lives', async () => {
    await using sandbox = await startSandbox({ now: () => start });
    await withClient(sandbox, (client) => lastValueFrom(client.webSearch({ query: 'why is the sky blue' })), start);
    expect(await withClient(sandbox, overviews, start + 60_000)).toEqual({ pages: 1, requests: 1, hits: 1 });
  });
});
