import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, of, toArray, type Observable } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as door from '../../operators/index.ts';
import { leadFlow, startWorker } from '../../src/bullmq/index.ts';
import { createClient, FixedPace, searchService, showProgress, type Client } from '../../src/index.ts';
import { checkFlow, loadFlow, planFlow, runFlow } from '../../src/flow/index.ts';
import { authorProfiles, placeReviews, reviewsByTopic } from '../../src/operators.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { openOutput, toCsv, toJsonl, toSink } from '../../src/sinks/index.ts';
import { openStore } from '../../src/store/index.ts';

let folder: string;
let sandbox: Sandbox;
let client: Client;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-options-'));
  sandbox = await startSandbox();
  client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});
const { expandCursor, offsetPages, items, fanOut, mergeBounded, distinctBy, iterate, backoff, createRateLimit, limitRate } = door;
const { coverArea, splitWhenFull, byYear } = door;
/** What somebody without types could pass. */
const any = (value: unknown): never => value as never;

describe('an option that does not exist', () => {
  it.each<readonly [string, string, () => unknown]>([
    ['offsetPages', 'maxPages', () => offsetPages(client.mapsSearch, any({ maxpages: 1 }))],
    ['expandCursor', 'maxItems', () => expandCursor(client.mapsReviews, any({ maxItem: 1 }))],
    ['placeReviews', 'maxPages', () => placeReviews(client, any({ maxPage: 1 }))],
    ['items', 'keep', () => items(any({ kep: {} }))],
    ['fanOut', 'concurrency', () => fanOut(() => of(1), any({ concurency: 1 }))],
    ['mergeBounded', 'backlog', () => mergeBounded(() => of(1), any({ backlogs: 1 }))],
    ['distinctBy', 'memory', () => distinctBy('id' as never, any({ memry: 1 }))],
    ['iterate', 'ahead', () => iterate(of(1), any({ aheads: 1 }))],
    ['backoff', 'maxAttempts', () => backoff(any({ attempts: 1, maxAttempt: 3 }))],
    ['createRateLimit', 'perMs', () => createRateLimit(any({ requests: 1, perMS: 3 }))],
    ['createRateLimit', 'requests', () => limitRate(any({ request: 1, perMs: 3 }))],
    ['toJsonl', 'overwrite', () => toJsonl('x.jsonl', any({ overwrites: true }))],
    ['createClient', 'timeoutMs', () => createClient(any({ timeoutms: 1 }))],
    ['openStore', 'maxAgeMs', () => openStore('x', any({ maxAge: 1 }))],
    ['runFlow', 'outDir', () => runFlow(any({}), any({ outdir: 'x' }))],
    ['coverArea', 'within', () => coverArea(client.mapsSearch, any({ withing: [0, 0, 1, 1], query: 'x' }))],
    ['splitWhenFull', 'split', () => splitWhenFull(client.scholarSearch, any({ splits: byYear() }))],
    ['byYear', 'from', () => byYear(any({ form: 1990 }))],
    [
      'toSink',
      'batchRows',
      () =>
        toSink(
          any(() => ({})),
          any({ batch: 1 }),
        ),
    ],
    ['mapsSearch', 'signal', () => client.mapsSearch({ query: 'x' }, any({ singal: 1 }))],
    ['createClient', 'requests', () => createClient({ baseUrl: sandbox.url, apiKey: 'x', rate: any({ requests: 1, perMs: 1, burst: 2 }) })],
    ['openOutput', 'overwrite', () => openOutput('x.jsonl', any({ overwrit: true }))],
    ['showProgress', 'everyMs', () => showProgress(client, any({ evryMs: 1 }))],
    ['FixedPace', 'perMs', () => new FixedPace(any({ requests: 1, perSecond: 1 }))],
    ['checkFlow', 'service', () => checkFlow({}, any({ servce: searchService }))],
    ['leadFlow', 'queue', () => leadFlow(any({}), any({ que: 'x' }))],
  ])('%s: refuses it when it is called, and names %s', (caller, right, call) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(
      new RegExp(`^${caller}.*: there is no option '[\\w.]+'.*; (did you mean '(?:\\w+\\.)?${right}'\\?|it has .*${right})`),
    );
  });

  it('is refused by functions that return a promise, too', async () => {
    await expect(planFlow(any({ name: 'x', stages: {} }), any({ prices: 1 }))).rejects.toThrow("did you mean 'price'?");
    await expect(startSandbox(any({ latency: 1 }))).rejects.toThrow("did you mean 'latencyMs'?");
    await expect(startSandbox({ map: any({ place: 1 }) })).rejects.toThrow("did you mean 'map.places'?");
    await expect(startSandbox({ rateLimit: any({ kind: 'bucket', perSec: 1 }) })).rejects.toThrow("did you mean 'rateLimit.perSecond'?");
    await expect(startWorker(any({}), any({ queues: 1 }))).rejects.toThrow("did you mean 'queue'?");
    await expect(loadFlow('x.json', any({ allowread: [] }))).rejects.toThrow("did you mean 'allowRead'?");
  });
});

describe('an argument that is none', () => {
  it.each<readonly [RegExp, () => unknown]>([
    [
      /^offsetPages: the first argument must be an operation, such as client\.webSearch, .*; this is a client$/,
      () => offsetPages(any(client)),
    ],
    [/^offsetPages: mapsReviews has pages by token; use expandCursor for it$/, () => offsetPages(any(client.mapsReviews))],
    [/^expandCursor: mapsSearch has pages by count; use offsetPages for it$/, () => expandCursor(any(client.mapsSearch))],
    [/^offsetPages: autocomplete has one page only/, () => offsetPages(any(client.autocomplete))],
    [
      /^offsetPages\(mapsSearch\): maxPages must be a whole number from 1 on, not '1'$/,
      () => offsetPages(client.mapsSearch, { maxPages: any('1') }),
    ],
    [/^placeReviews: it needs a client that has mapsReviews/, () => placeReviews(any({}))],
    [/^items: the options must be an object, not 'rows'$/, () => items(any('rows'))],
  ])('is refused with %s', (message, call) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});

describe('a part of a pipe that would do nothing', () => {
  const places = () => of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }));
  const reviews = () => places().pipe(items(), placeReviews(client, { maxPages: 1 }));
  const run = (stream: Observable<unknown>): Promise<unknown> => lastValueFrom(stream.pipe(toArray()));

  it.each<readonly [string, string, () => Observable<unknown>]>([
    [
      'a fan-out of rows behind pages',
      'placeReviews: it got a page of mapsSearch and needs rows with data_id; put items() before it',
      () => places().pipe(any(placeReviews(client))),
    ],
    [
      'a fan-out of pages behind rows',
      'reviewsByTopic: it got a row and needs pages',
      () => reviews().pipe(items(), any(reviewsByTopic(client))),
    ],
    [
      'a fan-out behind rows of another kind',
      'authorProfiles: it got a row of mapsSearch and needs one with authors or author_id; it has ',
      () => places().pipe(items(), any(authorProfiles(client))),
    ],
    ['a fan-out behind rows of another spelling', "did you mean 'dataId'?", () => of({ dataId: 'x' }).pipe(any(placeReviews(client)))],
    [
      'a list that is misspelt',
      "items: the response of mapsSearch has no list 'search_result'; did you mean 'search_results'?",
      () => places().pipe(items({ rows: 'search_result' })),
    ],
    [
      'a list with a name like none',
      "items: the response of mapsSearch has no list 'xyz'; it has search_results. For a list that few",
      () => places().pipe(items({ rows: 'xyz' })),
    ],
    [
      'a column of documented rows with a name like none',
      "columns: 'xyz': neither mapsSearch nor its first row has that field; there are ",
      () => places().pipe(items(), toCsv(join(folder, 'a.csv'), { columns: ['title', 'xyz'] })),
    ],
    ['items twice', 'items: it got a row of mapsSearch and needs pages; leave out one items()', () => places().pipe(items(), any(items()))],
    [
      'a kept column that is misspelt',
      "items: keep.place reads '$.titel', and the row that the page was requested for has no titel; did you mean '$.title'?",
      () => reviews().pipe(items({ keep: any({ place: '$.titel' }) })),
    ],
    [
      'a kept column with a name like none',
      "items: keep.place reads '$.xyz', and the row that the page was requested for has no xyz; it has title, place_id, ",
      () => reviews().pipe(items({ keep: any({ place: '$.xyz' }) })),
    ],
    [
      'a kept parameter that is misspelt',
      "items: keep.q reads 'qury', and the query of mapsSearch has no qury; did you mean 'query'?",
      () => places().pipe(items({ keep: any({ q: 'qury' }) })),
    ],
  ])('%s says so on the first row', async (_, message, stream) => {
    await expect(run(stream())).rejects.toThrow(message);
  });
});

describe('signal', () => {
  const signal = any('stop');
  it.each<readonly [string, () => unknown]>([
    ['offsetPages', () => offsetPages(client.mapsSearch, { signal })],
    ['expandCursor', () => expandCursor(client.mapsReviews, { signal })],
    ['placeReviews', () => placeReviews(client, { signal })],
    ['fanOut', () => fanOut(() => of(1), { signal })],
    ['mergeBounded', () => mergeBounded(() => of(1), { signal })],
    ['iterate', () => iterate(of(1), { signal })],
    ['toJsonl', () => toJsonl('x.jsonl', { signal })],
    [
      'toSink',
      () =>
        toSink(
          any(() => ({})),
          { signal },
        ),
    ],
    ['mapsSearch', () => client.mapsSearch({ query: 'x' }, { signal })],
    ['runFlow', () => runFlow(any({}), { client, outDir: 'x', signal })],
  ])('%s: refuses one that is none when it is called', (caller, call) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(new RegExp(`^${caller}(\\(\\w+\\))?: signal must be an AbortSignal, not 'stop'$`));
  });

  it.each<readonly [string, (signal: AbortSignal) => Observable<unknown>]>([
    ['offsetPages', (signal) => of({ query: 'coffee' }).pipe(offsetPages(client.webSearch, { signal }))],
    ['expandCursor', (signal) => of({ data_id: 'place 2', results: 1 }).pipe(expandCursor(client.mapsReviews, { signal }))],
    ['placeReviews', (signal) => of({ data_id: 'place 2' }).pipe(placeReviews(client, { signal }))],
    ['fanOut', (signal) => of({ data_id: 'place 2' }).pipe(fanOut((row) => client.mapsReviews(row), { signal }))],
    ['mergeBounded', (signal) => of({ data_id: 'place 2' }).pipe(mergeBounded((row) => client.mapsReviews(row), { signal }))],
  ])('ends %s with its reason, before and in the middle, and sends nothing more', async (_, make) => {
    await expect(lastValueFrom(make(AbortSignal.abort(new Error('mine'))))).rejects.toThrow('mine');
    const stop = new AbortController();
    const running = lastValueFrom(make(stop.signal));
    stop.abort(new Error('mine'));
    await expect(running).rejects.toThrow('mine');
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  it('ends a loop', async () => {
    const stop = new AbortController();
    let turns = 0;
    const loop = async (): Promise<void> => {
      for await (const _ of iterate(of({ query: 'coffee' }).pipe(offsetPages(client.webSearch)), { signal: stop.signal })) {
        turns += 1;
        stop.abort(new Error('mine'));
      }
    };
    await expect(loop()).rejects.toThrow('mine');
    expect(turns).toBe(1);
  });
});
