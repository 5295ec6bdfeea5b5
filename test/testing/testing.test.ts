import { firstValueFrom, lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, items } from '../../operators/index.ts';
import { HttpError } from '../../src/errors/index.ts';
import { searchService } from '../../src/search/index.ts';
import * as door from '../../src/testing/index.ts';
import { failWith, fakeClient, VirtualClock, type FakeRequest } from '../../src/testing/index.ts';

it('trawler/testing exports all that it should', () => {
  expect(Object.keys(door).sort()).toEqual(['VirtualClock', 'failWith', 'fakeClient']);
});

describe('fakeClient', () => {
  const respond = ({ query }: Pick<FakeRequest, 'query'>): object => ({
    reviews_results: [{ review_id: `${String(query['data_id'])}-${String(query['next_page_token'] ?? 1)}` }],
    ...(query['next_page_token'] === undefined ? { next_page_token: '2' } : {}),
  });

  it('is a client in all but the network', async () => {
    const { client, requests } = fakeClient(searchService, respond, { validate: 'off' });
    const rows = of({ data_id: 'a' }, { data_id: 'b' }).pipe(expandCursor(client.mapsReviews), items());
    expect((await lastValueFrom(rows.pipe(toArray()))).map(({ review_id }) => review_id).sort()).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
    expect(requests).toHaveLength(4);
    expect(client.stats()).toMatchObject({ requests: 4, inFlight: 0 });
    await client.close();
  });

  it('retries and waits on a virtual clock', async () => {
    const clock = new VirtualClock();
    const failing = (request: FakeRequest): object => {
      if (request.attempt < 3) throw failWith(503, { retryAfterMs: 5000 });
      return respond(request);
    };
    const { client, requests } = fakeClient(searchService, failing, { clock, validate: 'off', latencyMs: 100 });
    const page = firstValueFrom(client.mapsReviews({ data_id: 'a' }));
    for (let i = 0; i < 40; i++) {
      clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await page).items).toHaveLength(1);
    expect(requests.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    await client.close();
  });

  it('fails as a status does, and for good when respond throws something else', async () => {
    const { client } = fakeClient(searchService, () => {
      throw failWith(404);
    });
    await expect(firstValueFrom(client.mapsReviews({ data_id: 'a' }))).rejects.toBeInstanceOf(HttpError);
    const broken = fakeClient(searchService, () => {
      throw new Error('mine');
    });
    await expect(firstValueFrom(broken.client.mapsReviews({ data_id: 'a' }))).rejects.toThrow('mine');
    expect(broken.requests).toHaveLength(1);
  });
});
