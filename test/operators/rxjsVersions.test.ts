import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ofTheDay } from '../ofTheDay.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { packagesOf } from '../../bench/start/packagesOf.mjs';
import { resolveAs } from '../resolveAs.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

interface Results {
  /** Whether each is of this RxJS: a page, and what an operator makes. */
  readonly isUsed: readonly boolean[];
  readonly rows: number;
  readonly inside: readonly [values: number, stalled: number];
  readonly replacing: readonly number[];
  readonly later: number;
}

const versions = ['rxjs-7.5', 'rxjs', 'rxjs-8'];
const doors = Object.keys(packagesOf).map((door) => (door === 'trawler' ? 'index' : door.replace('trawler/', '')));

/** What some pipes do in a process where every published door imports this RxJS. */
async function run(rxjs: string): Promise<Results> {
  const bundle = `file://${inject('dist')}/bundle`;
  const source = `
    import { PassThrough } from 'node:stream';
    import { filter, firstValueFrom, lastValueFrom, map, mergeMap, Observable, of, range, tap, toArray } from '${import.meta.resolve(rxjs)}';
    import { createClient } from '${bundle}/index.js';
    import { fanOut, items, iterate, mergeBounded, offsetPages } from '${bundle}/operators.js';
    import { toJsonl } from '${bundle}/sinks.js';
    for (const door of ${JSON.stringify(doors)}) await import('${bundle}/' + door + '.js');

    const client = createClient(${JSON.stringify({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' })});
    const queries = (n) => range(n).pipe(map((i) => ({ query: 'coffee ' + i, ll: '@40.74,-73.98,14z' })));
    const places = (n) => queries(n).pipe(offsetPages(client.mapsSearch, { maxPages: 2 }), items());
    const reviewsOf = ({ data_id }) => client.mapsReviews({ data_id });
    const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
    let stalled = 0;
    client.events$.pipe(filter(({ type }) => type === 'stalled')).subscribe(() => stalled++);

    const { rows } = await lastValueFrom(places(2).pipe(fanOut(reviewsOf), items(), toJsonl(new PassThrough().resume())));

    const values = await lastValueFrom(places(6).pipe(
      map((place) => firstValueFrom(reviewsOf(place))),
      fanOut((page) => page, { concurrency: 2 }),
      toArray(),
    ));
    const inside = [values.length, stalled];

    const replacing = [];
    const before = client.stats().requests;
    for await (const _ of iterate(queries(100).pipe(mergeMap((query) => client.mapsSearch(query), 4)))) {
      do await soon();
      while (client.stats().inFlight > 0);
      if (replacing.push(client.stats().requests - before) === 8) break;
    }

    let seen = 0;
    let later = 0;
    for await (const _ of iterate(queries(5).pipe(offsetPages(client.mapsSearch, { maxPages: 1, concurrency: 1 }), tap(() => seen++)))) {
      if (++later === 1) while (seen < 2) await soon();
    }
    const isUsed = [client.mapsSearch({}), of(1).pipe(mergeBounded(of))].map((made) => made instanceof Observable);
    console.log(JSON.stringify({ isUsed, rows, inside, replacing, later }));
    await client.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...resolveAs('rxjs', import.meta.resolve(rxjs)),
    '--input-type=module',
    '-e',
    source,
  ]);
  return JSON.parse(stdout) as Results;
}

// `npm run package` opens the doors with each, `npm run rxjs` runs the tests of operators with each.
describe.each(ofTheDay(versions, 1))('with %s', (rxjs) => {
  let results: Results;
  beforeAll(async () => {
    results = await run(rxjs);
  });

  it('each published door opens, and uses it', () => expect(results.isUsed).toEqual([true, true]));
  it('a pipe runs to its end', () => expect(results.rows).toBeGreaterThan(80));
  it('a page inside a value isn’t held, so nothing stands still', () => expect(results.inside).toEqual([240, 0]));
  it('a page that replaces a value is held: four at once, and one for each turn of the loop', () =>
    expect(results.replacing.map((sent, turn) => sent <= 4 + turn)).toEqual(results.replacing.map(() => true)));
  it('a loop whose body waits for a later page of its own ends', () => expect(results.later).toBe(5));
});
