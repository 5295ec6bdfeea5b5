import {
  asapScheduler,
  bufferCount,
  combineLatest,
  concatMap,
  connect,
  count,
  firstValueFrom,
  from,
  groupBy,
  ignoreElements,
  lastValueFrom,
  map,
  merge,
  mergeMap,
  observeOn,
  of,
  queueScheduler,
  range,
  share,
  shareReplay,
  switchMap,
  tap,
  toArray,
  zip,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createConcurrencyLimit,
  DemandNode,
  distinctBy,
  fanOut,
  items,
  iterate,
  limitConcurrency,
  mergeBounded,
  offsetPages,
  shareHeld,
} from '../../operators/index.ts';
import { createClient, type Client } from '../../src/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { ofTheDay } from '../ofTheDay.ts';

const long = process.env['TRAWLER_LONG'] !== undefined;
const pipes = 2000;
const patienceMs = long ? 3_000_000 : 200_000;
const firstSeed = Number(process.env['TRAWLER_SEED'] ?? 0);
const seeds = ofTheDay(
  Array.from({ length: pipes }, (_, nth) => firstSeed + nth),
  4,
);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

interface Row {
  readonly id: string;
  readonly key: string;
}
type Random = (below: number) => number;

function randomOf(seed: number): Random {
  let state = seed * 7919 + 1;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

/** Steps that ask for something for each row and pass it on, each in another way. */
const steps: Record<string, (ask: (row: Row) => Observable<Row>, random: Random) => MonoTypeOperatorFunction<Row>> = {
  fanOut: (ask, random) => fanOut(ask, { concurrency: 1 + random(4) }),
  mergeBounded: (ask) => mergeBounded(ask, { concurrency: 3, backlog: 5 }),
  mergeMap: (ask) => mergeMap(ask, 4),
  concatMap: (ask) => concatMap(ask),
  combineLatest: (ask) =>
    connect((rows) => combineLatest([rows.pipe(fanOut(ask), toArray()), rows.pipe(count())]).pipe(mergeMap(([asked]) => asked))),
  switchMap: (ask) => (rows) => rows.pipe(mergeBounded((row) => of(row).pipe(switchMap(ask)), { concurrency: 2 })),
  'promises inside values': (ask) => (rows) =>
    rows.pipe(
      map((row) => firstValueFrom(ask(row))),
      fanOut((row) => row, { concurrency: 2 }),
    ),
  'promises in groups': (ask) => (rows) =>
    rows.pipe(
      map((row) => firstValueFrom(ask(row))),
      bufferCount(7),
      fanOut((some) => Promise.all(some), { concurrency: 1 }),
      mergeMap((some) => some),
    ),
  'a cache': (ask) => (rows) => {
    const cached = rows.pipe(mergeMap(ask, 2), shareReplay());
    return merge(cached.pipe(ignoreElements()), cached).pipe(
      fanOut((row) =>
        cached.pipe(
          concatMap(() => []),
          ignoreElements(),
          (end) => merge(end, of(row)),
        ),
      ),
    );
  },
  zip: (ask) => connect((rows) => zip(rows.pipe(map((row) => firstValueFrom(ask(row)))), rows).pipe(fanOut(([asked]) => asked))),
  groupBy: (ask) => (rows) =>
    rows.pipe(
      groupBy(({ key }) => key.charCodeAt(key.length - 1) % 3),
      mergeMap((group) => group.pipe(fanOut(ask, { concurrency: 1 }))),
    ),
  share: (ask) => (rows) => rows.pipe(share(), fanOut(ask)),
  shareHeld: (ask) => (rows) => rows.pipe(shareHeld(), fanOut(ask)),
  queueScheduler: (ask) => (rows) => rows.pipe(observeOn(queueScheduler), fanOut(ask), observeOn(queueScheduler)),
  asapScheduler: (ask) => (rows) => rows.pipe(observeOn(asapScheduler), fanOut(ask)),
  distinctBy: (ask) => (rows) => rows.pipe(distinctBy('id'), fanOut(ask)),
};

/** The same pipe for the same seed. */
async function run(seed: number, log?: string[]): Promise<string[]> {
  const random = randomOf(seed);
  const make = (): Client => createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited', concurrency: 1 + random(8) });
  const clients = [make(), make()];
  const limit = createConcurrencyLimit(1 + random(3));
  const any = <T>(list: readonly T[]): T => list[random(list.length)]!;
  let rows: Observable<Row> = range(1 + random(4)).pipe(
    map((i) => ({ query: `coffee ${seed} ${i}`, ll: '@40.74,-73.98,14z' })),
    offsetPages(clients[0]!.mapsSearch, { maxPages: 1 + random(2) }),
    items(),
    map((place) => ({ id: place.data_id, key: place.data_id })),
  );
  for (let depth = 1 + random(3); depth > 0; depth--) {
    const client = any(clients);
    const limited = random(4) === 0;
    const name = any(Object.keys(steps));
    log?.push(name);
    const ask = (row: Row): Observable<Row> => {
      const page = client.mapsPosts({ data_id: row.key }).pipe(map((page) => ({ id: `${row.id}/${name}`, key: page.query.data_id })));
      return limited ? page.pipe(limitConcurrency(limit)) : page;
    };
    rows = rows.pipe(steps[name]!(ask, random));
  }
  const took: string[] = [];
  const sink = random(3);
  log?.push(['toArray', 'iterate', 'two sinks'][sink]!);
  if (sink === 0) took.push(...(await lastValueFrom(rows.pipe(toArray()))).map(({ id }) => id));
  else if (sink === 1) {
    for await (const { id } of iterate(rows, { ahead: random(3) })) {
      took.push(id);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } else {
    const both = rows.pipe(
      connect((all) => merge(all.pipe(map(({ id }) => id)), all.pipe(fanOut(({ id }) => Promise.resolve(`${id} too`))))),
    );
    took.push(...(await lastValueFrom(from(both).pipe(toArray()))));
  }
  await Promise.all(clients.map((client) => client.close()));
  return took.sort();
}

describe('random pipes', () => {
  it('end with the rows that they have without holding', { timeout: 2 * patienceMs }, async () => {
    const held = new Map<number, string[]>();
    const logs = new Map<number, string[]>();
    const stuck = new Set(seeds);
    const one = async (seed: number): Promise<void> => {
      const log: string[] = [];
      logs.set(seed, log);
      held.set(seed, await run(seed, log));
      stuck.delete(seed);
    };
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, patienceMs).unref());
    const queue = lastValueFrom(from(seeds).pipe(mergeMap(one, 12), toArray()));
    await Promise.race([queue, deadline]);
    expect([...stuck].map((seed) => [seed, logs.get(seed)])).toEqual([]);
    const hold = vi.spyOn(DemandNode.prototype, 'hold').mockImplementation(() => undefined);
    try {
      const same = async (seed: number): Promise<void> =>
        expect([seed, logs.get(seed), held.get(seed)]).toEqual([seed, logs.get(seed), await run(seed)]);
      await lastValueFrom(from(seeds).pipe(mergeMap(same, 12)));
    } finally {
      hold.mockRestore();
    }
    expect([...held.values()].every((rows) => rows.length >= 20)).toBe(true);
  });

  const bounded = ['fanOut', 'mergeBounded', 'switchMap', 'promises inside values', 'zip', 'share', 'shareHeld', 'queueScheduler', 'asapScheduler', 'distinctBy']; // prettier-ignore
  it('hold a bounded number of rows in front of a slow loop', { timeout: patienceMs }, async () => {
    for (const seed of ofTheDay(seeds.slice(0, pipes / 8), 1)) {
      const random = randomOf(seed);
      const concurrency = 1 + random(8);
      const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited', concurrency });
      let inside = 0;
      let most = 0;
      let rows: Observable<Row> = range(40).pipe(
        map((i) => ({ query: `coffee ${seed} ${i}`, ll: '@40.74,-73.98,14z' })),
        offsetPages(client.mapsSearch, { maxPages: 1 }),
        items(),
        map((place) => ({ id: place.data_id, key: place.data_id })),
        tap(() => (most = Math.max(most, (inside += 1)))),
      );
      const names = range(1 + random(2)).pipe(map(() => bounded[random(bounded.length)]!));
      const log: string[] = [];
      await names.forEach((name) => {
        log.push(name);
        rows = rows.pipe(steps[name]!((row) => client.mapsPosts({ data_id: row.key }).pipe(map(() => row)), random));
      });
      let taken = 0;
      for await (const _ of iterate(rows)) {
        inside -= 1;
        // Everything that can run ahead has run ahead.
        do await new Promise((resolve) => setImmediate(resolve));
        while (client.stats().inFlight > 0);
        if (++taken === 60) break;
      }
      await client.close();
      // A hundred in front of each step and what runs in it, and the pages that were on their way.
      expect([seed, log, most <= log.length * 108 + (concurrency + 1) * 20 ? 'bounded' : most]).toEqual([seed, log, 'bounded']);
    }
  });
});
