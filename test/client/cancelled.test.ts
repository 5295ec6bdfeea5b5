import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, mergeMap, range, Subscriber } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { runFlow } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { eventsOf, reviews, testClient, until } from './testClient.ts';
import { reply, startServer } from './startServer.ts';

describe('requests cancelled before they were sent', () => {
  it.each([
    ['while the rate is learnt', 'auto'],
    ['without a limit on the rate', 'unlimited'],
  ] as const)('are not counted, and not charged to the budget, %s', async (_, rate) => {
    // What was written to a connection that is cut at once may not be read, and is paid all the same: that is seldom.
    const unread: number[] = [];
    for (let round = 0; round < 5 && !unread.includes(0); round++) {
      let received = 0;
      await using server = await startServer((_request, response) => {
        received++;
        setTimeout(() => reply(response, reviews('x')), 20);
      });
      await using client = testClient(server.url, { rate, maxRequests: 100, concurrency: 8 });
      const events = eventsOf(client);
      const pipe = range(0, 500)
        .pipe(mergeMap((n) => client.mapsReviews({ data_id: `q${n}` })))
        .subscribe();
      await until(() => received >= 16);
      pipe.unsubscribe();
      await new Promise((later) => setTimeout(later, 50));
      const requests = events.filter(({ type }) => type === 'request').length;
      const { requests: counted, budgetLeft } = client.stats();
      unread.push(counted - received);
      expect([budgetLeft, counted >= received]).toEqual([100 - counted, true]);
      expect(requests).toBeLessThanOrEqual(received + 8);
    }
    expect(unread).toContain(0);
  });

  it('are not counted while their connection is being opened', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('x')));
    await using client = testClient(server.url, { maxRequests: 10 });
    const pipe = range(0, 8)
      .pipe(mergeMap((n) => client.mapsReviews({ data_id: `q${n}` })))
      .subscribe();
    await Promise.resolve();
    pipe.unsubscribe();
    await new Promise((later) => setTimeout(later, 50));
    expect(client.stats()).toMatchObject({ requests: 0, budgetLeft: 10, inFlight: 0 });
  });

  it('are not sent for a subscriber that is closed already', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('x')));
    await using client = testClient(server.url);
    const closed = new Subscriber();
    closed.unsubscribe();
    client.mapsReviews({ data_id: 'a' }).subscribe(closed);
    await new Promise((later) => setTimeout(later, 20));
    expect([client.stats().requests, client.explain()]).toEqual([0, []]);
  });

  it('are hardly any in the events of a run that is stopped', async () => {
    const outDir = await mkdtemp(join(tmpdir(), 'trawler-cancelled-'));
    await using sandbox = await startSandbox({ latencyMs: 20 });
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const queries = Array.from({ length: 200 }, (_, n) => `q${n}`);
    const flow = { name: 'suggestions', stages: { words: { call: 'autocomplete', with: { query: queries }, to: 'words.jsonl' } } } as const;
    const events = eventsOf(client);
    const stop = new AbortController();
    const run = lastValueFrom(runFlow(flow, { client, outDir, signal: stop.signal }));
    await until(() => sandbox.count() >= 16);
    stop.abort();
    expect(await run).toMatchObject({ outcome: 'interrupted' });
    await new Promise((later) => setTimeout(later, 50));
    expect(client.stats().requests).toBe(sandbox.count());
    expect(events.filter(({ type }) => type === 'request').length).toBeLessThanOrEqual(sandbox.count() + 8);
    await rm(outDir, { recursive: true });
  });
});
