import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/createClient.ts';
import { AuthError, RateLimitError } from '../../../src/errors/index.ts';
import { VirtualClock } from '../../../src/testing/VirtualClock.ts';
import { reply, startServer, type TestServer } from '../startServer.ts';
import { errorOf, eventsOf, outcome, reviews, testClient, until } from '../testClient.ts';

type Headers = { readonly [name: string]: string };

const dayMs = 86_400_000;
const clock = () => new VirtualClock();
const epochSeconds = (wall: number) => String(wall / 1000);

/** A server that sends these headers with its first responses, and none later. Counts its requests. */
async function saying(...first: { readonly status?: number; readonly headers: Headers }[]) {
  const seen = { requests: 0 };
  const server: TestServer = await startServer((_, response) => {
    const { status = 200, headers = {} } = first[seen.requests++] ?? {};
    response.sendDate = false;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (status === 200) reply(response, reviews('x'));
    else response.writeHead(status).end();
  });
  return { server, seen };
}

const learning = (url: string, time: VirtualClock, more: object = {}): Client => testClient(url, { clock: time, rate: 'auto', ...more });
const ask = (client: Client, data_id: string) => client.mapsReviews({ data_id });
const pauses = (events: ReturnType<typeof eventsOf>) => events.filter((event) => event.type === 'throttle' && event.pauseMs > 0);

describe('a pause that a header asks for', () => {
  it.each<[string, (wall: number) => Headers]>([
    ['in seconds', () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '86400' })],
    ['as an epoch', (wall) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epochSeconds(wall + dayMs) })],
    ['as an epoch in milliseconds', (wall) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(wall + dayMs) })],
    ['as a date', (wall) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': new Date(wall + dayMs).toUTCString() })],
    ['as in the draft', () => ({ ratelimit: 'r=0;t=86400' })],
  ])('of a day, %s, is told at once, and a query that would wait for it fails', async (_, headers) => {
    const time = clock();
    const { server, seen } = await saying({ headers: headers(time.wall()) });
    await using _server = server;
    await using client = learning(server.url, time);
    const events = eventsOf(client);
    await firstValueFrom(ask(client, 'a'));
    expect(pauses(events)).toMatchObject([{ operation: 'mapsReviews', status: 200, pauseMs: dayMs }]);
    const pausedUntil = time.wall() + dayMs;
    expect(client.stats()).toMatchObject({ pausedMs: dayMs, pausedUntil });
    const error = await errorOf(ask(client, 'b'));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ pausedUntil, retryAfterMs: dayMs, attempts: 0 });
    expect((error as Error).message).toContain(new Date(pausedUntil).toISOString());
    expect(seen.requests).toBe(1);
    time.advance(dayMs - 60_000);
    const last = outcome(ask(client, 'c'));
    await until(() => client.stats().waiting === 1);
    time.advance(60_000);
    expect((await last).values).toHaveLength(1);
    expect(client.stats()).toMatchObject({ pausedMs: 0, pausedUntil: undefined });
  });

  it('within maxRetryAfterMs is told at once, and waited for', async () => {
    const time = clock();
    const { server, seen } = await saying({ headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '240' } });
    await using _server = server;
    await using client = learning(server.url, time);
    const events = eventsOf(client);
    await firstValueFrom(ask(client, 'a'));
    expect(pauses(events)).toMatchObject([{ pauseMs: 240_000 }]);
    const second = outcome(ask(client, 'b'));
    await until(() => client.stats().waiting === 1);
    expect(client.explain()).toMatchObject([{ state: 'waits', for: 'a pause that the service asked for' }]);
    time.advance(239_999);
    expect(seen.requests).toBe(1);
    time.advance(1);
    expect((await second).values).toHaveLength(1);
    expect(pauses(events)).toHaveLength(1);
  });

  it.each<[string, string, Headers]>([
    ['in 2286', 'x-ratelimit-reset', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' }],
    ['in 317 years', 'ratelimit', { ratelimit: 'r=0;t=999999999' }],
    ['in words', 'x-ratelimit-reset', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }],
  ])('with a reset %s is ignored and told once', async (_, header, headers) => {
    const time = clock();
    const { server, seen } = await saying({ headers }, { headers }, { headers });
    await using _server = server;
    await using client = learning(server.url, time);
    const events = eventsOf(client);
    for (const id of ['a', 'b', 'c']) await firstValueFrom(ask(client, id));
    expect(seen.requests).toBe(3);
    expect(events.filter(({ type }) => type === 'ignored')).toMatchObject([{ operation: 'mapsReviews', header, value: headers[header] }]);
    expect(client.stats().pausedUntil).toBeUndefined();
  });

  it('that cannot be read is told once, and retried as any failure', async () => {
    const time = clock();
    const said = { status: 429, headers: { 'retry-after': 'soon' } };
    const { server, seen } = await saying(said, said, { status: 429, headers: { 'retry-after': '0' } });
    await using _server = server;
    await using client = learning(server.url, time, { retry: { baseMs: 0 } });
    const events = eventsOf(client);
    const page = outcome(ask(client, 'a'));
    const passing = setInterval(() => time.advance(100), 1);
    expect((await page).values).toHaveLength(1);
    clearInterval(passing);
    expect(seen.requests).toBe(4);
    expect(events.filter(({ type }) => type === 'ignored')).toMatchObject([{ header: 'retry-after', value: 'soon' }]);
  });

  it("is read against the response's own date, if our clock is off", async () => {
    const time = clock();
    const theirs = time.wall() - 3_600_000;
    const date = new Date(theirs).toUTCString();
    const { server } = await saying({
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epochSeconds(theirs + 30_000), date },
    });
    await using _server = server;
    await using client = learning(server.url, time);
    await firstValueFrom(ask(client, 'a'));
    expect(client.stats().pausedMs).toBe(30_000);
  });

  it.each(['auto', 'unlimited'] as const)('makes a 403 a refusal of the rate, as GitHub means it (%s)', async (rate) => {
    const time = clock();
    const { server, seen } = await saying({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' } });
    await using _server = server;
    await using client = learning(server.url, time, { rate });
    const events = eventsOf(client);
    const page = outcome(ask(client, 'a'));
    await until(() => client.stats().throttled === 1 && client.stats().inFlight === 0);
    expect(pauses(events)).toHaveLength(1);
    time.advance(59_000);
    await new Promise((turn) => setTimeout(turn, 20));
    expect(seen.requests).toBe(1);
    time.advance(5000);
    expect((await page).values).toHaveLength(1);
  });

  it('makes a 403 a refusal of the rate also where nobody says until when', async () => {
    const { server, seen } = await saying({ status: 403, headers: { 'x-ratelimit-remaining': '0' } });
    await using _server = server;
    await using client = testClient(server.url, { rate: 'auto', retry: { baseMs: 1 } });
    expect((await outcome(ask(client, 'a'))).values).toHaveLength(1);
    expect([seen.requests, client.stats().throttled]).toEqual([2, 1]);
  });

  it('makes a 403 with Retry-After a refusal of the rate, and a 403 without either is one of the key', async () => {
    const time = clock();
    const { server, seen } = await saying({ status: 403, headers: { 'retry-after': '2.0' } }, { status: 403, headers: {} });
    await using _server = server;
    await using client = learning(server.url, time);
    const error = errorOf(ask(client, 'a'));
    await until(() => client.stats().throttled === 1 && client.stats().inFlight === 0);
    expect(client.stats().pausedMs).toBeGreaterThanOrEqual(2000);
    time.advance(2500);
    expect(await error).toBeInstanceOf(AuthError);
    expect(seen.requests).toBe(2);
  });

  it('is not believed where other responses show that it is wrong', async () => {
    const time = clock();
    let requests = 0;
    await using server = await startServer((_, response) => {
      requests++;
      response.setHeader('x-ratelimit-remaining', '0');
      response.setHeader('x-ratelimit-reset', '86400');
      reply(response, reviews('x'));
    });
    await using client = learning(server.url, time, { concurrency: 8 });
    const ends = Array.from({ length: 20 }, async (_, nth) => outcome(ask(client, `q${nth}`)));
    const all = Promise.all(ends);
    const passing = setInterval(() => time.advance(10), 1);
    const errors = (await all).filter(({ error }) => error !== undefined);
    clearInterval(passing);
    expect(errors).toEqual([]);
    expect(requests).toBe(20);
  });
});
