import { lastValueFrom, toArray } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { ofTheDay } from '../ofTheDay.ts';
import { defineOperation, defineService, type Service } from '../../src/contract/index.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient, type FakeRequest } from '../../src/testing/index.ts';
import { walkInPipe } from '../walkInPipe.ts';

const service: Service = defineService({
  name: 'full',
  operations: {
    search: defineOperation({
      name: 'search',
      get: '/search',
      about: 'rows of a world',
      params: { world: { type: 'string', required: true, about: 'which' }, after: { type: 'string', about: 'a token' } },
      response: { rows: [{ id: 'string' }], 'next?': 'string|null' },
      list: 'rows',
      paging: { kind: 'cursor', param: 'after', at: ['next'] },
    }),
  },
});
const worlds = Array.from({ length: 60 }, (_, world) => String(world));
const flow: FlowDefinition = {
  name: 'full',
  service,
  stages: { rows: { call: 'search', with: { world: worlds }, pages: 'all', to: 'rows.jsonl' } },
};

/** Three full pages for each world. `isFalse`: the first of them has no token, the first time. */
function responses(isFalse: (world: number) => boolean = () => false): (request: FakeRequest) => object {
  const asked = new Set<string>();
  return ({ query }) => {
    const [world, page] = [String(query['world']), Number(query['after'] ?? 1)];
    const isLost = page === 1 && !asked.has(world) && isFalse(Number(world));
    asked.add(world);
    const rows = Array.from({ length: 10 }, (_, row) => ({ id: `${world} ${page} ${row}` }));
    return { rows, next: page < 3 && !isLost ? String(page + 1) : null };
  };
}

describe('rechecks of a flow', () => {
  const outDir = '/out';
  let fileSystem: MemoryFileSystem;
  beforeEach(() => void (fileSystem = new MemoryFileSystem()));
  const linesOf = (name: string): string[] => fileSystem.disk.read(`/out/${name}`)!.toString().split('\n').slice(0, -1);

  /** Runs the flow until it is done, stopped after so many requests each time. */
  async function run(respond: (request: FakeRequest) => object, maxRequests = 1e9): Promise<{ requests: string[]; summary: FlowSummary }> {
    const requests: string[] = [];
    for (let run = 0; ; run++) {
      if (run > 20) throw new Error(`it is never done; ${requests.length} requests`);
      const fake = fakeClient(service, respond, { maxRequests, retry: { maxAttempts: 1 } });
      const summary = (await lastValueFrom(runFlow(flow, { client: fake.client, outDir, fileSystem, concurrency: 1 }))) as FlowSummary;
      requests.push(...fake.requests.map(({ query }) => JSON.stringify(query)));
      await fake.client.close();
      if (summary.outcome !== 'interrupted') return { requests, summary };
    }
  }

  const ends: readonly (readonly [string, (world: number) => boolean, limit: number, least: number])[] = [
    ['all ends are true', () => false, 60 * 3 + 12, 48],
    ['every tenth end is false', (world) => world % 10 === 3, 60 * 4 + 6, 0],
    ['one end is false late', (world) => world === 30, 60 * 4, 12],
  ];
  it.each(ofTheDay(ends, 1))('are those of a pipe, also where the run is stopped again and again: %s', async (_, isFalse, limit, least) => {
    const piped = await walkInPipe('search', worlds, responses(isFalse), service);
    const { requests, summary } = await run(responses(isFalse), 25);
    expect(requests).toEqual(piped.requests);
    expect(requests.length).toBeLessThanOrEqual(limit);
    expect(linesOf('rows.jsonl')).toEqual(piped.rows);
    const { suspect = 0, unconfirmed = 0, failed } = summary.stages[0]!;
    expect({ failed, suspect, unconfirmed }).toEqual({ failed: 0, suspect: piped.suspect, unconfirmed: piped.unconfirmed });
    expect(unconfirmed).toBeGreaterThanOrEqual(least);
  });

  it('tell once that pages were trusted before an end turned out false, and count them', async () => {
    const fake = fakeClient(
      service,
      responses((world) => world === 30),
      { retry: { maxAttempts: 1 } },
    );
    const progress = await lastValueFrom(runFlow(flow, { client: fake.client, outDir, fileSystem, concurrency: 1 }).pipe(toArray()));
    await fake.client.close();
    const notices = progress.flatMap((one) => (one.type === 'notice' ? [one.message] : []));
    expect(notices).toMatchObject([expect.stringContaining('it ended on a page like one that was not the last')]);
    expect((progress.at(-1) as FlowSummary).stages[0]!.suspect).toBeGreaterThan(10);
  });

  it('confirm in an update that a query has no rows any more, so that one bad page makes no row gone', async () => {
    const dated: Service = defineService({
      name: 'dated',
      operations: {
        reviews: defineOperation({
          name: 'reviews',
          get: '/reviews',
          about: 'reviews of a place',
          params: { place: { type: 'string', required: true, about: 'which' }, after: { type: 'string', about: 'a token' } },
          response: { rows: [{ id: 'string', place: 'string', at: 'string' }], 'next?': 'string|null' },
          list: 'rows',
          id: 'id',
          paging: { kind: 'cursor', param: 'after', at: ['next'] },
        }),
      },
    });
    const places = Array.from({ length: 20 }, (_, place) => `p${place}`);
    const reviews: FlowDefinition = {
      name: 'dated',
      service: dated,
      stages: {
        reviews: {
          call: 'reviews',
          with: { place: places },
          pages: 'all',
          since: { field: 'at' },
          gone: 'drop',
          to: 'reviews.jsonl',
        },
      },
    };
    const asked = new Map<string, number>();
    const isEmptied = (place: string): boolean => Number(place.slice(1)) >= 10;
    const crawl = async (update: boolean): Promise<readonly string[]> => {
      asked.clear();
      const fake = fakeClient(dated, ({ query }) => {
        const place = String(query['place']);
        asked.set(place, (asked.get(place) ?? 0) + 1);
        // in the update, half of the places have no rows any more, and two have none the first time
        const isBad = ['p3', 'p7'].includes(place) && asked.get(place) === 1;
        return { rows: update && (isEmptied(place) || isBad) ? [] : [{ id: `${place} 1`, place, at: '2026-01-02T00:00:00Z' }], next: null };
      });
      await lastValueFrom(runFlow(reviews, { client: fake.client, outDir, fileSystem, update }));
      await fake.client.close();
      return linesOf('reviews.jsonl');
    };
    expect(await crawl(false)).toHaveLength(20);
    expect([...asked.values()]).toEqual(places.map(() => 1));
    const left = await crawl(true);
    expect(left.map((row) => (JSON.parse(row) as { readonly place: string }).place).toSorted()).toEqual(
      places.filter((place) => !isEmptied(place)).toSorted(),
    );
    expect(places.map((place) => asked.get(place))).toEqual(
      places.map((place) => (isEmptied(place) || place === 'p3' || place === 'p7' ? 2 : 1)),
    );
    await crawl(true);
    expect(places.filter(isEmptied).map((place) => asked.get(place))).toEqual(places.filter(isEmptied).map(() => 1)); // known to be empty
  });
});
