import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  asapScheduler,
  defer,
  filter,
  finalize,
  first,
  firstValueFrom,
  from,
  ignoreElements,
  lastValueFrom,
  map,
  merge,
  mergeMap,
  observeOn,
  of,
  queueScheduler,
  range,
  repeat,
  share,
  shareReplay,
  Subject,
  subscribeOn,
  takeUntil,
  tap,
  toArray,
  type Observable,
} from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createConcurrencyLimit, expandCursor, fanOut, items, iterate, limitConcurrency, offsetPages } from '../../operators/index.ts';
import { StallWatch } from '../../operators/demand/StallWatch.ts';
import { createClient } from '../../src/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { toJsonl } from '../../src/sinks/index.ts';
import { ofTheDay } from '../ofTheDay.ts';

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  folder = await mkdtemp(join(tmpdir(), 'trawler-stalls-'));
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

type Client = ReturnType<typeof createClient>;
const ownClient = ({ url, apiKey } = sandbox): Client => createClient({ baseUrl: url, apiKey, rate: 'unlimited' });
const queries = (n: number): Observable<{ readonly query: string; readonly ll: string }> =>
  range(n).pipe(map((i) => ({ query: `coffee ${i}`, ll: '@40.74,-73.98,14z' })));
const searchesOf = (client: Client) => ({
  client,
  places: (n: number) => queries(n).pipe(offsetPages(client.mapsSearch, { maxPages: 2 }), items()),
  reviewsOf: ({ data_id }: { readonly data_id: string }) => client.mapsReviews({ data_id }),
});
type Searches = ReturnType<typeof searchesOf>;

/** Pipes that wait for a request of their own outside of the way to the sink. Each gives the number of values and what it should be. */
const pipes: Record<string, (searches: Searches) => Promise<readonly [number, number]>> = {
  async 'a request fired inside a value, awaited by a fan-out'({ places, reviewsOf }) {
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
  async 'a promise inside a value, awaited by a loop'({ places, reviewsOf }) {
    let n = 0;
    for await (const { page } of iterate(places(1).pipe(map((place) => ({ page: firstValueFrom(reviewsOf(place)) })))))
      n += (await page) === undefined ? 0 : 1;
    return [n, 40];
  },
  async 'a Subject that is fed above the loop that waits for it'({ client }) {
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
  async 'a cache made above the loop, awaited in its body'({ client }) {
    const pages = queries(3).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), shareReplay());
    let n = 0;
    for await (const _ of iterate(pages)) n += (await lastValueFrom(pages.pipe(toArray()))).length;
    return [n, 9];
  },
  async 'a cache of another crawl'({ places }) {
    const cache = places(2).pipe(toArray(), shareReplay(1));
    const rows = places(4).pipe(fanOut((place) => cache.pipe(map((all) => [place, all.length]))));
    return [(await lastValueFrom(rows.pipe(toArray()))).length, 160];
  },
  async 'a prefetch cache'({ places, reviewsOf }) {
    const cache = new Map<string, Promise<unknown>>();
    const rows = places(4).pipe(
      tap((place) => cache.set(place.data_id, firstValueFrom(reviewsOf(place)))),
      fanOut((place) => cache.get(place.data_id)!, { concurrency: 2 }),
    );
    return [(await lastValueFrom(rows.pipe(toArray()))).length, 160];
  },
  async 'share() in front of a loop and something that the loop awaits'({ client }) {
    const pages = queries(3).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), share());
    const all = lastValueFrom(pages.pipe(toArray()));
    let n = 0;
    for await (const _ of iterate(pages)) {
      n += 1;
      if (n === 1) await all;
    }
    return [(await all).length, 3];
  },
  async 'queueScheduler above and below'({ client, places, reviewsOf }) {
    const above = queries(5).pipe(observeOn(queueScheduler), offsetPages(client.mapsSearch, { maxPages: 1 }), items(), fanOut(reviewsOf));
    const below = places(3).pipe(
      fanOut((place) => reviewsOf(place).pipe(subscribeOn(queueScheduler))),
      observeOn(queueScheduler),
      fanOut((page) => of(page)),
    );
    const counts = await Promise.all([above, below].map(async (rows) => (await lastValueFrom(rows.pipe(toArray<unknown>()))).length));
    return [counts[0]! + counts[1]!, 100 + 120];
  },
  async 'a limitConcurrency that parents and children share'({ client, reviewsOf }) {
    const limit = createConcurrencyLimit(2);
    const rows = queries(6).pipe(
      mergeMap((query) => client.mapsSearch(query).pipe(limitConcurrency(limit))),
      items(),
      fanOut((place) => reviewsOf(place).pipe(limitConcurrency(limit))),
    );
    return [(await lastValueFrom(rows.pipe(toArray()))).length, 120];
  },
  async 'a walk inside a promise inside a value'({ client, places }) {
    const rows = places(4).pipe(
      map(({ data_id }) => firstValueFrom(of({ data_id }).pipe(expandCursor(client.mapsReviews, { maxPages: 2 }), toArray()))),
      fanOut((pages) => pages.then((all) => all.length)),
    );
    return [(await lastValueFrom(rows.pipe(toArray()))).length, 160];
  },
};

/** A loop whose first turn waits for the nth page of its own stream. */
async function waitForPage(nth: number, client: Client): Promise<number> {
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

// Most of the time they wait.
describe.concurrent('a pipe that waits for itself', () => {
  it('ends if it needs a few of its later pages', async ({ expect }) => {
    await using client = ownClient();
    expect(await waitForPage(3, client)).toBe(3);
  });

  it.for(ofTheDay(Object.entries(pipes), 4))('ends: %s', async ([, run], { expect }) => {
    await using client = ownClient();
    const [got, wanted] = await run(searchesOf(client));
    expect(got).toBe(wanted);
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  it('ends while another branch in front of the same sink sends requests all the time', async ({ expect }) => {
    await using slow = await startSandbox({ latencyMs: 50 }); // one that answers at once keeps a core busy
    await using client = ownClient();
    await using other = ownClient(slow);
    const fed = new Subject<number>();
    const ended = new Subject<void>();
    const stuck = queries(103).pipe(
      offsetPages(client.mapsSearch, { maxPages: 1, concurrency: 1 }),
      map((_, index) => index),
      tap((index) => fed.next(index)),
      fanOut((index) => (index === 0 ? fed.pipe(first((later) => later === 102)) : of(index)), { concurrency: 1 }),
      finalize(() => ended.next()),
    );
    let i = 0;
    const busy = defer(() => other.webSearch({ query: `tea ${i++}` })).pipe(repeat(), takeUntil(ended), ignoreElements());
    let n = 0;
    for await (const _ of iterate(merge(stuck, busy), { ahead: 1000 })) n += 1;
    expect(n).toBe(103);
  });

  it('ends when a promise inside a value arrives later than the value', async ({ expect }) => {
    await using client = ownClient();
    const { places } = searchesOf(client);
    const rows = places(4).pipe(
      map(({ data_id }) => firstValueFrom(of({ data_id }).pipe(expandCursor(client.mapsReviews, { maxPages: 2 }), toArray()))),
      observeOn(asapScheduler),
      fanOut((pages) => pages.then((all) => all.length)),
    );
    expect(await lastValueFrom(rows.pipe(toArray()))).toHaveLength(160);
  });

  it('says which request was let go, and what held it', async ({ expect }) => {
    await using client = ownClient();
    const stalled: unknown[] = [];
    const listening = client.events$.pipe(filter(({ type }) => type === 'stalled')).subscribe((event) => stalled.push(event));
    await pipes['a Subject that is fed above the loop that waits for it']!(searchesOf(client));
    listening.unsubscribe();
    expect(stalled[0]).toMatchObject({ operation: 'mapsSearch', holder: 'iterate', path: ['iterate'] });
  });
});

describe('a process that has nothing else to do', () => {
  /** Runs a script whose loop waits for the nth page of its own stream. No timer of a second or more ever fires in it. */
  async function run(nth: number): Promise<number> {
    const source = `
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (act, ms, ...rest) => ms < 900 ? setTimeout(act, ms, ...rest) : setTimeout(() => {}, 2 ** 30).unref();
      import { filter, firstValueFrom, map, range, Subject, tap } from ${JSON.stringify(import.meta.resolve('rxjs'))};
      import { createClient } from ${JSON.stringify(`${inject('dist')}/bundle/index.js`)};
      import { iterate, offsetPages } from ${JSON.stringify(`${inject('dist')}/bundle/operators.js`)};
      const client = createClient(${JSON.stringify({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' })});
      const fed = new Subject();
      const pages = range(${nth}).pipe(
        map((i) => ({ query: 'coffee ' + i, ll: '@40.74,-73.98,14z' })),
        offsetPages(client.mapsSearch, { maxPages: 1, concurrency: 1 }),
        tap(({ query }) => fed.next(query.query)),
      );
      let n = 0;
      for await (const _ of iterate(pages)) if (++n === 1) await firstValueFrom(fed.pipe(filter((query) => query === 'coffee ${nth - 1}')));
      console.log(n);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source]);
    return Number(stdout);
  }

  it('ends a pipe that waits for itself without a wait', async () => {
    expect(await run(60)).toBe(60);
  });
});

describe('StallWatch', () => {
  /** A node that holds for ever, in a process that has other things to do. */
  class FakeNode {
    moves = 0;
    idleMoves = 0;
    active = 0;
    isAwaited = true;
    releasesByItself = false;
    went = 0;
    /** Called when one is let go. */
    released = (): void => {};

    letGo(): void {
      this.went += 1;
      this.released();
    }

    /** It takes something from its backlog. */
    move(): void {
      this.moves += 1;
      if (this.active === 0) this.idleMoves += 1;
    }
  }

  function setUp() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const node = new FakeNode();
    const watch = new StallWatch(node);
    onTestFinished(() => watch.end());
    return { node, watch, advance: (ms: number) => void vi.advanceTimersByTime(ms) };
  }
  const anHour = 3_600_000;

  it.each<[string, (watch: StallWatch) => void]>([
    ['its node released', (watch) => watch.end()],
    ['nothing waits any more', (watch) => watch.rest()],
  ])('rests while nothing waits, and once %s', (_, over) => {
    const { watch } = setUp();
    expect(vi.getTimerCount()).toBe(0);
    watch.begin();
    expect(vi.getTimerCount()).toBe(1);
    over(watch);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits a second, then twice as long after each, so a loop that pauses for an hour gets few pages too many', () => {
    const { node, watch, advance } = setUp();
    watch.begin();
    advance(990);
    expect(node.went).toBe(0);
    advance(20);
    expect(node.went).toBe(1);
    advance(2300);
    expect(node.went).toBe(2);
    advance(4300);
    expect(node.went).toBe(3);
    advance(anHour);
    expect(node.went).toBeLessThan(16);
  });

  it.each<[string, (node: FakeNode) => void]>([
    ['its requests are on their way', (node) => (node.active = 1)],
    ['it does its own work, such as a write to a file', (node) => (node.releasesByItself = true)],
    ['it moves', (node) => node.move()],
    ['nothing waits', (node) => (node.isAwaited = false)],
  ])('lets nothing go while %s', (_, make) => {
    const { node, watch, advance } = setUp();
    watch.begin();
    for (let second = 0; second < 3600; second++) {
      make(node);
      advance(500);
    }
    expect(node.went).toBe(0);
  });

  it('learns that a consumer is slow', () => {
    const { node, watch, advance } = setUp();
    watch.begin();
    for (let turn = 0; turn < 100; turn++) {
      advance(5000);
      node.move();
      watch.end();
      watch.begin();
    }
    expect(node.went).toBe(3); // after one, two and four seconds
  });

  it('does not take the own moves of a slow consumer for the effect of a slow response', () => {
    const { node, watch, advance } = setUp();
    node.released = () => {
      node.active = 1;
      setTimeout(() => (node.active = 0), 900);
    };
    watch.begin();
    for (let turn = 0; turn < 100; turn++) {
      advance(1300);
      node.move();
      watch.end();
      watch.begin();
    }
    expect(node.went).toBe(1);
  });

  it('lets one after the other go without a wait while that helps', () => {
    const { node, watch, advance } = setUp();
    node.released = () => {
      setTimeout(() => {
        node.move();
        watch.end();
        watch.begin();
      }, 1);
    };
    watch.begin();
    advance(2000);
    expect(node.went).toBeGreaterThan(80);
  });

  it('judges only what came once its request is over', () => {
    const { node, watch, advance } = setUp();
    node.released = () => {
      node.isAwaited = false;
      node.active = 1;
      watch.rest();
      setTimeout(() => {
        node.active = 0;
        node.move();
        node.isAwaited = true;
        watch.end();
        watch.begin();
      }, 3000);
    };
    watch.begin();
    advance(1010 + 10 * 3010);
    expect(node.went).toBe(11);
  });
});
