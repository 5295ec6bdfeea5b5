import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  filter,
  firstValueFrom,
  from,
  lastValueFrom,
  map,
  mergeMap,
  observeOn,
  of,
  queueScheduler,
  range,
  share,
  shareReplay,
  Subject,
  subscribeOn,
  tap,
  toArray,
  type Observable,
} from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConcurrencyLimit, expandCursor, fanOut, items, iterate, limitConcurrency, offsetPages } from '../../operators/index.ts';
import { own } from '../../operators/demand/workElsewhere.ts';
import { StallWatch } from '../../operators/demand/StallWatch.ts';
import { createClient } from '../../src/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { toJsonl } from '../../src/sinks/index.ts';

let sandbox: Sandbox;
let client: ReturnType<typeof createClient>;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' });
  folder = await mkdtemp(join(tmpdir(), 'trawler-stalls-'));
});
beforeEach(() => sandbox.reset());
afterAll(async () => {
  await client.close();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

const queries = (n: number): Observable<{ readonly query: string; readonly ll: string }> =>
  range(n).pipe(map((i) => ({ query: `coffee ${i}`, ll: '@40.74,-73.98,14z' })));
const places = (n: number) => queries(n).pipe(offsetPages(client.mapsSearch, { maxPages: 2 }), items());
const reviewsOf = (place: { readonly data_id: string }) => client.mapsReviews({ data_id: place.data_id });

/** Pipes that wait for a request of their own outside of the way to the sink. Each gives the number of values and what it should be. */
const pipes: Record<string, () => Promise<readonly [number, number]>> = {
  async 'a request fired inside a value, awaited by a fan-out'() {
    const path = join(folder, 'd1.jsonl');
    await rm(path, { force: true });
    const report = await lastValueFrom(
      places(6).pipe(
        map((place) => ({ place, reviews: firstValueFrom(reviewsOf(place)) })),
        fanOut(({ place, reviews }) => from(reviews).pipe(map((page) => ({ id: place.data_id, n: page.items.length })))),
        toJsonl(path),
      ),
    );
    const lines = (await readFile(path, 'utf8')).trim().split('\n').length;
    expect(lines).toBe(report.rows);
    return [report.rows, 6 * 40];
  },
  async 'a promise inside a value, awaited by a loop'() {
    let n = 0;
    for await (const { page } of iterate(places(1).pipe(map((place) => ({ page: firstValueFrom(reviewsOf(place)) })))))
      n += (await page) === undefined ? 0 : 1;
    return [n, 40];
  },
  async 'a Subject that is fed above the loop that waits for it'() {
    const fed = new Subject<unknown>();
    const rows = of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(
      offsetPages(client.mapsSearch, { maxPages: 3 }),
      tap((page) => fed.next(page)),
    );
    let n = 0;
    for await (const _ of iterate(rows)) {
      n += 1;
      if (n < 3) await firstValueFrom(fed);
    }
    return [n, 3];
  },
  async 'a cache made above the loop, awaited in its body'() {
    const pages = queries(3).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), shareReplay());
    let n = 0;
    for await (const _ of iterate(pages)) n += (await lastValueFrom(pages.pipe(toArray()))).length;
    return [n, 9];
  },
  async 'a cache of another crawl'() {
    const cache = places(2).pipe(toArray(), shareReplay(1));
    const rows = places(4).pipe(fanOut((place) => cache.pipe(map((all) => [place, all.length]))));
    return [(await lastValueFrom(rows.pipe(toArray()))).length, 160];
  },
  async 'a prefetch cache'() {
    const cache = new Map<string, Promise<unknown>>();
    const rows = places(4).pipe(
      tap((place) => cache.set(place.data_id, firstValueFrom(reviewsOf(place)))),
      fanOut((place) => cache.get(place.data_id)!, { concurrency: 2 }),
    );
    return [(await lastValueFrom(rows.pipe(toArray()))).length, 160];
  },
  async 'share() in front of a loop and something that the loop awaits'() {
    const pages = queries(3).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), share());
    const all = lastValueFrom(pages.pipe(toArray()));
    let n = 0;
    for await (const _ of iterate(pages)) {
      n += 1;
      if (n === 1) await all;
    }
    return [(await all).length, 3];
  },
  async 'queueScheduler above and below'() {
    const above = queries(5).pipe(observeOn(queueScheduler), offsetPages(client.mapsSearch, { maxPages: 1 }), items(), fanOut(reviewsOf));
    const below = places(3).pipe(
      fanOut((place) => reviewsOf(place).pipe(subscribeOn(queueScheduler))),
      observeOn(queueScheduler),
      fanOut((page) => of(page)),
    );
    const counts = await Promise.all([above, below].map(async (rows) => (await lastValueFrom(rows.pipe(toArray<unknown>()))).length));
    return [counts[0]! + counts[1]!, 100 + 120];
  },
  async 'a limitConcurrency that parents and children share'() {
    const limit = createConcurrencyLimit(2);
    const rows = queries(6).pipe(
      mergeMap((query) => client.mapsSearch(query).pipe(limitConcurrency(limit))),
      items(),
      fanOut((place) => reviewsOf(place).pipe(limitConcurrency(limit))),
    );
    return [(await lastValueFrom(rows.pipe(toArray()))).length, 120];
  },
  async 'a walk inside a promise inside a value'() {
    const rows = places(4).pipe(
      map(({ data_id }) => firstValueFrom(of({ data_id }).pipe(expandCursor(client.mapsReviews, { maxPages: 2 }), toArray()))),
      fanOut((pages) => pages.then((all) => all.length)),
    );
    return [(await lastValueFrom(rows.pipe(toArray()))).length, 160];
  },
};

/** A loop whose first turn waits for the nth page of its own stream. */
async function waitForPage(nth: number): Promise<number> {
  const fed = new Subject<number>();
  const rows = queries(nth).pipe(
    offsetPages(client.mapsSearch, { maxPages: 1, concurrency: 1 }),
    tap(({ query }) => fed.next(Number(query.query.slice('coffee '.length)))),
  );
  let n = 0;
  for await (const _ of iterate(rows)) {
    n += 1;
    if (n === 1) await firstValueFrom(fed.pipe(filter((i) => i === nth - 1)));
  }
  return n;
}

describe('a pipe that waits for itself', () => {
  it('ends soon, however many of its later pages it needs', async () => {
    const deadline = setTimeout(() => {}, 60_000);
    expect(await waitForPage(60)).toBe(60);
    clearTimeout(deadline);
  });

  it.each(Object.entries(pipes))('ends: %s', async (_, run) => {
    const [got, wanted] = await run();
    expect(got).toBe(wanted);
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  it('says which request was let go, and what held it', async () => {
    const stalled: unknown[] = [];
    const listening = client.events$.pipe(filter(({ type }) => type === 'stalled')).subscribe((event) => stalled.push(event));
    await pipes['a Subject that is fed above the loop that waits for it']!();
    listening.unsubscribe();
    expect(stalled[0]).toMatchObject({ operation: 'mapsSearch', holder: 'iterate', path: ['iterate'] });
  });
});

describe('what is open of our own', () => {
  it('is counted up and down again', async () => {
    await expect.poll(() => own).toEqual({ timers: 0, requests: 0 });
    const open = firstValueFrom(
      client.events$.pipe(
        filter(({ type }) => type === 'request'),
        map(() => ({ ...own })),
      ),
    );
    const page = firstValueFrom(client.mapsSearch({ query: 'coffee', ll: '@40.74,-73.98,14z' }));
    expect(await open).toEqual({ timers: 1, requests: 1 }); // the timer is its deadline
    await page;
    await expect.poll(() => own).toEqual({ timers: 0, requests: 0 });
  });
});

describe('StallWatch', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  let stopped = (): void => {};
  afterEach(() => {
    stopped();
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** A node that holds for ever. `released` is called for each that is let go, and `active` says how many are on their way. */
  function watch(resources: string[], released: (node: Node) => void = () => {}) {
    vi.spyOn(process, 'getActiveResourcesInfo').mockReturnValue(resources);
    const node: Node = { moves: 0, idleMoves: 0, active: 0, waiting: 1000, lasting: 0, went: 0 };
    const stallWatch = new StallWatch(node, (most) => {
      node.went += most;
      released(node);
      return most;
    });
    stallWatch.start();
    stopped = () => stallWatch.stop();
    return { node, stallWatch };
  }
  interface Node {
    moves: number;
    idleMoves: number;
    active: number;
    waiting: number;
    lasting: number;
    went: number;
  }

  it('releases at once, and ever more, while nothing else in the process is at work', () => {
    const { node } = watch(['TCPServerWrap', 'PipeWrap', 'Timeout']);
    vi.advanceTimersByTime(50);
    expect(node.went).toBe(1);
    vi.advanceTimersByTime(950);
    expect(node.went).toBe(1 + 4 + 16 + 64);
  });

  it.each([
    ['a socket', 'TCPSocketWrap'],
    ['a file', 'FSReqPromise'],
    ['a child process', 'ProcessWrap'],
    ['a timer', 'Timeout'],
  ])(
    // prettier-ignore
    'waits a second while %s is at work, and a loop that pauses for an hour gets few pages too many',
    (_, kind) => {
      const { node } = watch(['TCPServerWrap', 'Timeout', kind]);
      vi.advanceTimersByTime(900);
      expect(node.went).toBe(0);
      vi.advanceTimersByTime(300);
      expect(node.went).toBe(1);
      vi.advanceTimersByTime(3_600_000);
      expect(node.went).toBeLessThan(1000);
    },
  );

  it('takes timers and child processes that were there before for no sign of work', () => {
    const { node } = watch(['Timeout', 'Timeout', 'ProcessWrap']);
    node.lasting = 2;
    vi.advanceTimersByTime(60);
    expect(node.went).toBe(1);
    vi.advanceTimersByTime(3_600_000);
    expect(node.went).toBeLessThan(1500);
  });

  it('takes the sockets of its own requests for no sign of work', async () => {
    own.requests += 4;
    const { node } = watch(['TCPSocketWrap', 'TCPSocketWrap', 'TCPSocketWrap', 'TCPSocketWrap', 'TCPSocketWrap']);
    vi.advanceTimersByTime(60);
    own.requests -= 4;
    expect(node.went).toBe(1);
  });

  it('learns that a consumer is slow, once', () => {
    const { node, stallWatch } = watch(['TCPSocketWrap']);
    for (let turn = 0; turn < 100; turn++) {
      vi.advanceTimersByTime(5000);
      node.moves += 1;
      node.idleMoves += 1;
      stallWatch.stop();
      stallWatch.start();
    }
    expect(node.went).toBe(1 + 4 + 1);
  });

  it('does not take the own moves of a slow consumer for the effect of a slow response', () => {
    const { node, stallWatch } = watch(['TCPSocketWrap'], (released) => {
      released.active = 1;
      setTimeout(() => (released.active = 0), 900);
    });
    for (let turn = 0; turn < 100; turn++) {
      vi.advanceTimersByTime(1300);
      node.moves += 1;
      if (node.active === 0) node.idleMoves += 1;
      stallWatch.stop();
      stallWatch.start();
    }
    expect(node.went).toBeLessThan(5);
  });

  it('releases one after the other without a wait while that helps', () => {
    const { node, stallWatch } = watch(['TCPSocketWrap'], (released) => {
      setTimeout(() => {
        released.moves += 1;
        released.idleMoves += 1;
        stallWatch.stop();
        stallWatch.start();
      }, 1);
    });
    vi.advanceTimersByTime(2000);
    expect(node.went).toBeGreaterThan(300);
  });
});
