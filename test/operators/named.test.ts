import { filter, firstValueFrom, lastValueFrom, map, merge, of, throwError, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, fanOut, items, named, offsetPages } from '../../operators/index.ts';
import type { Pace } from '../../src/index.ts';
import { searchService } from '../../src/search/index.ts';
import { placeReviews } from '../../src/operators.ts';
import { demandProbe } from './demandProbe.ts';
import { fakeClient } from '../../src/testing/index.ts';

const respond = ({ operation, query }: { readonly operation: string; readonly query: object }): object =>
  operation === 'mapsSearch'
    ? {
        search_results:
          'page' in query
            ? []
            : [
                { data_id: 'a', title: 'x' },
                { data_id: 'b', title: 'y' },
              ],
      }
    : { reviews_results: [{ review_id: 'r' }] };
const place = { query: 'a', ll: '@1,2,14z' };
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('named', () => {
  it('gives events the name of their part, and nothing without one', async () => {
    const { client } = fakeClient(searchService, respond, { validate: 'off' });
    const events = firstValueFrom(
      client.events$.pipe(
        filter(({ type }) => type === 'request'),
        map((event) => ('part' in event ? event.part : undefined)),
        toArray(),
      ),
      { defaultValue: [] },
    );
    const rows = of(place).pipe(
      offsetPages(client.mapsSearch),
      items(),
      named('places'),
      fanOut(({ data_id }) => of({ data_id }).pipe(expandCursor(client.mapsReviews))),
      named('reviews'),
    );
    expect(await lastValueFrom(rows.pipe(toArray()))).toHaveLength(2);
    await lastValueFrom(client.mapsReviews({ data_id: 'c' }));
    await client.close();
    expect((await events).map(String).sort()).toEqual(['places', 'places', 'reviews', 'reviews', 'undefined']);
  });

  it('gives errors the name of the nearest part', async () => {
    const failing = of(1).pipe(
      fanOut(() => throwError(() => new Error('no'))),
      named('inner'),
      named('outer'),
    );
    await expect(lastValueFrom(failing)).rejects.toMatchObject({ message: 'no', part: 'inner' });
    expect(() => named('')).toThrow(RangeError);
  });
});

describe('client.explain', () => {
  it('says what is in flight, and what waits for what', async () => {
    const { client } = fakeClient(searchService, respond, { validate: 'off', concurrency: 1, latencyMs: 60_000 });
    expect(client.explain()).toEqual([]);
    const probe = demandProbe(of(place).pipe(offsetPages(client.mapsSearch), named('places')));
    await later();
    const other = client.mapsReviews({ data_id: 'x' }).subscribe();
    await later();
    expect(client.explain()).toMatchObject([
      { operation: 'mapsSearch', path: ['places', 'demandProbe'], state: 'in flight', for: undefined, count: 1 },
      { operation: 'mapsReviews', path: [], state: 'waits', for: 'a slot', count: 1 },
    ]);
    other.unsubscribe();
    probe.unsubscribe();
    await client.close();
  });

  it('tells a rate that was set from limits of the service', async () => {
    const oneAtOnce: Pace = {
      waitMs: (_, inFlight) => (inFlight === 0 ? 0 : Infinity),
      started: () => undefined,
      succeeded: () => undefined,
      throttled: () => undefined,
      rate: undefined,
      atOnce: 1,
    };
    for (const [rate, reason] of [
      [{ requests: 1, perMs: 60_000 }, 'the rate that was set'],
      [{ ...oneAtOnce, atOnce: undefined, waitMs: (_, inFlight) => (inFlight > 0 ? 60_000 : 0) } satisfies Pace, 'the rate'],
      [oneAtOnce, 'an earlier response'],
    ] as const) {
      const { client } = fakeClient(searchService, respond, { validate: 'off', rate, latencyMs: 60_000 });
      const calls = merge(client.mapsReviews({ data_id: 'x' }), client.mapsReviews({ data_id: 'y' })).subscribe();
      await later();
      expect(client.explain().find(({ state }) => state === 'waits')).toMatchObject({ for: reason, count: 1 });
      calls.unsubscribe();
      await client.close();
    }
  });

  it('names what holds', async () => {
    const { client } = fakeClient(searchService, respond, { validate: 'off' });
    const probe = demandProbe(of(place).pipe(offsetPages(client.mapsSearch), items(), placeReviews(client)));
    probe.hold();
    await later();
    const [wait] = client.explain();
    expect(wait).toMatchObject({
      operation: 'mapsSearch',
      path: ['placeReviews', 'demandProbe'],
      state: 'waits',
      for: 'demandProbe',
      count: 1,
    });
    expect(wait?.ms).toBe(Math.round(wait?.ms ?? NaN));
    probe.unsubscribe();
    await client.close();
  });
});
