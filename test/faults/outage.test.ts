import { catchError, EMPTY, lastValueFrom, mergeMap, of, range, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/createClient.ts';
import { describeEvent } from '../../src/client/events/clientEvents.ts';
import { HttpError } from '../../src/errors/index.ts';
import { VirtualClock } from '../../src/testing/VirtualClock.ts';
import { passTime } from '../client/passTime.ts';
import { reply, startServer } from '../client/startServer.ts';
import { eventsOf, outcome, reviews, testClient } from '../client/testClient.ts';

const queries = (client: Client, count: number) => range(0, count).pipe(mergeMap((n) => client.mapsReviews({ data_id: `q${n}` })));
const outages = (events: ReturnType<typeof eventsOf>) => events.flatMap((event) => (event.type === 'outage' ? [event] : []));

describe('a service that is away', () => {
  it.each<[number, string[], number]>([
    [503, ['begun', 'tooLong'], 1000],
    [429, ['tooLong'], 150_000], // the throttle events have told of it
  ])('ends a pipe of 600 queries with the last error once outageMs is over (%i)', async (status, states, firstMs) => {
    await using server = await startServer((_, response) => response.writeHead(status).end('maintenance'));
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock, rate: 'auto', retry: { maxAttempts: 1000 } });
    const events = eventsOf(client);
    const { error } = await passTime(client, clock, outcome(queries(client, 600)));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status });
    expect((error as Error).message).toMatch(/; no request has got through for 1\d\d s, longer than retry\.outageMs allows/);
    expect(clock.now()).toBeGreaterThanOrEqual(120_000);
    expect(clock.now()).toBeLessThan(150_000);
    expect(client.stats().requests).toBeLessThan(100);
    expect(outages(events).map(({ state }) => state)).toEqual(states);
    expect(outages(events)[0]!.lastedMs).toBeLessThan(firstMs);
    expect(new Set(outages(events).map(({ because }) => because))).toEqual(new Set([`status ${status}`]));
    expect(describeEvent(outages(events)[0]!)).toContain(`(status ${status})`);
  });

  it('fails every waiting query, and those that follow, with few requests', async () => {
    await using server = await startServer((_, response) => response.writeHead(503).end());
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock, rate: 'auto', retry: { outageMs: 10_000 } });
    const each = range(0, 600).pipe(
      mergeMap((n) => client.mapsReviews({ data_id: `q${n}` }).pipe(catchError((error: HttpError) => of(error))), 100),
      toArray(),
    );
    const ends = (await passTime(client, clock, lastValueFrom(each))) as HttpError[];
    expect(ends).toHaveLength(600);
    for (const { status, name } of ends) expect({ status, name }).toEqual({ status: 503, name: 'HttpError' });
    expect(clock.now()).toBeLessThan(100_000);
    expect(client.stats().requests).toBeLessThan(60);
  });

  it('is not told while one query alone fails, though two calls request it, once a page has come', async () => {
    let sent = 0;
    await using server = await startServer((_, response) => {
      if (sent++ === 0) reply(response, reviews('x'));
      else response.writeHead(503).end();
    });
    await using client = testClient(server.url, { retry: { maxAttempts: 3, baseMs: 1 } });
    const events = eventsOf(client);
    const ask = (id: string) => outcome(client.mapsReviews({ data_id: id }));
    await ask('good');
    await Promise.all([ask('bad'), ask('bad')]);
    expect(outages(events)).toEqual([]);
    await Promise.all([ask('bad'), ask('another')]);
    expect(outages(events).map(({ state }) => state)).toEqual(['begun']);
  });

  it('is waited for if it is back in time, and that is told', async () => {
    const clock = new VirtualClock();
    let requests = 0;
    await using server = await startServer((_, response) => {
      requests++;
      if (clock.now() < 60_000) response.writeHead(503).end();
      else reply(response, reviews('x'));
    });
    await using client = testClient(server.url, { clock, rate: 'auto', retry: { maxAttempts: 100 } });
    const events = eventsOf(client);
    const { values, error } = await passTime(client, clock, outcome(queries(client, 50)));
    expect(error).toBeUndefined();
    expect(values).toHaveLength(50);
    expect(requests).toBeLessThan(110);
    expect(outages(events).map(({ state }) => state)).toEqual(['begun', 'over']);
    const [, over] = outages(events);
    expect(over!.lastedMs).toBeGreaterThanOrEqual(60_000 - 10_000);
    expect(describeEvent(over!)).toMatch(/^Requests get through again, after \d/);
    expect(describeEvent({ ...over!, lastedMs: 3 })).toBeUndefined(); // nobody has noticed
  });

  it('is forgotten when nobody waits any more', async () => {
    const clock = new VirtualClock();
    let away = true;
    await using server = await startServer((_, response) => (away ? response.writeHead(503).end() : reply(response, reviews('x'))));
    await using client = testClient(server.url, { clock, retry: { outageMs: 1000, maxAttempts: 2 } });
    const ask = async () => passTime(client, clock, outcome(client.mapsReviews({ data_id: 'a' })));
    await ask();
    clock.advance(3_600_000);
    const before = client.stats().requests;
    await ask();
    expect(client.stats().requests).toBe(before + 2);
    away = false;
    expect((await ask()).values).toHaveLength(1);
  });

  it('does not end a pipe in which one query of sixty fails for ever', async () => {
    await using server = await startServer((request, response) => {
      if (request.url!.includes('q7&') || request.url!.endsWith('q7')) response.writeHead(500).end();
      else reply(response, reviews('x'));
    });
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock, retry: { outageMs: 1000, maxAttempts: 3 } });
    const events = eventsOf(client);
    const each = range(0, 60).pipe(
      mergeMap((n) => client.mapsReviews({ data_id: `q${n}` }).pipe(catchError(() => EMPTY)), 8),
      toArray(),
    );
    expect(await passTime(client, clock, lastValueFrom(each))).toHaveLength(59);
    expect(outages(events)).toEqual([]);
  });
});
