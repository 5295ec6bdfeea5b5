import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observable } from 'rxjs';
import { currentDemand } from '../../operators/index.ts';
import { createClient } from '../../src/createClient.ts';
import type { Client } from '../../src/createClient.ts';
import { TrawlerError } from '../../src/errors/index.ts';
import { operations, type OperationName } from '../../src/search/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';

const text = { query: 'coffee' };
const queries: { readonly [N in OperationName]: object } = {
  webSearch: text,
  lightSearch: text,
  mobileSearch: text,
  autocomplete: text,
  aiMode: text,
  aiOverview: { url: 'https://overview.example/x' },
  imageSearch: text,
  videoSearch: text,
  newsSearch: text,
  jobSearch: text,
  financeSearch: text,
  hotelSearch: { query: 'Lyon', check_in_date: '2030-05-01', check_out_date: '2030-05-02' },
  immersiveProduct: { page_token: 'p' },
  mapsSearch: text,
  mapsReviews: { data_id: 'd' },
  mapsPhotos: { data_id: 'd' },
  mapsPosts: { data_id: 'd' },
  scholarSearch: text,
  scholarAuthor: { author_id: 'a' },
  scholarProfiles: { mauthors: 'Springfield' },
  patentDetails: { patent_id: 'patent/US1/en' },
};

/** The sandbox knows only what it handed out itself: these queries are refused. */
const handedOut: ReadonlySet<OperationName> = new Set(['aiOverview', 'immersiveProduct']);

/** The signals of one subscription, in their order; a signal within another is told as such. */
function record(source: Observable<unknown>): { readonly signals: string[]; readonly ended: Promise<void>; readonly stop: () => void } {
  const signals: string[] = [];
  let inside = false;
  let end: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const serially = (signal: string) => (): void => {
    signals.push(inside ? `${signal} within another` : signal);
    inside = true;
    if (signal !== 'next') end();
    inside = false;
  };
  const subscription = source.subscribe({ next: serially('next'), error: serially('error'), complete: serially('complete') });
  return { signals, ended, stop: () => subscription.unsubscribe() };
}

describe.each(Object.keys(operations) as OperationName[])('client.%s', (name) => {
  let sandbox: Sandbox;
  let client: Client;
  const ask = (query: object = queries[name]): Observable<unknown> => (client[name] as (query: object) => Observable<unknown>)(query);

  beforeAll(async () => {
    sandbox = await startSandbox({ latencyMs: 5 });
    client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, retry: { maxAttempts: 1 } });
  });
  afterAll(async () => {
    await client.close();
    await sandbox.close();
  });

  it('signals one page and then its end, or nothing but an error, each time it is subscribed', async () => {
    for (let i = 0; i < 2; i++) {
      const { signals, ended } = record(ask());
      expect(signals).toEqual([]);
      await ended;
      expect(signals).toEqual(handedOut.has(name) ? ['error'] : ['next', 'complete']);
    }
  });

  it('fails on an invalid query, without a request', async () => {
    const before = sandbox.count();
    const { signals, ended } = record(ask({ nonsense: 1 }));
    await ended;
    expect(signals).toEqual(['error']);
    expect(sandbox.count()).toBe(before);
  });

  it('emits and keeps nothing once it is unsubscribed', async () => {
    const { signals, stop } = record(ask());
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 1 });
    await Promise.resolve();
    expect(client.stats()).toMatchObject({ inFlight: 1, waiting: 0 });
    stop();
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
    expect(currentDemand()).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(signals).toEqual([]);
  });

  it('ends with an error when its client is closed', async () => {
    const own = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    let error: unknown;
    (own[name] as (query: object) => Observable<unknown>)(queries[name]).subscribe({ error: (it) => (error = it) });
    await own.close();
    expect(error).toBeInstanceOf(TrawlerError);
  });
});
