import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, map, of, tap, type Observable, type OperatorFunction } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LazyRow } from '../../operators/LazyRow.ts';
import { defineOperator } from '../../operators/kit/defineOperator.ts';
import type { PageLike, PageRequest } from '../../operators/PageLike.ts';
import { RowSpan } from '../../src/client/spans/RowSpan.ts';
import { SpanReader } from '../../src/client/spans/SpanReader.ts';
import { defineFlow, runFlow, type FlowSummary } from '../../src/flow/index.ts';
import { createClient, type Client, type Place } from '../../src/index.ts';
import { expandCursor, fanOut, items, offsetPages, placeReviews } from '../../src/operators.ts';
import { toCsv, toJsonl } from '../../src/sinks/index.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { more } from '../sandbox/moreFaults/more.ts';

type Fault = NonNullable<SandboxOptions['faults']>[number];
type Ask = (query: object, request?: PageRequest) => Observable<PageLike>;

describe('rows that go into a file as they came', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-lazy-'))));
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs the flow; gives the text of its files, and how many rows were never parsed. */
  async function run(
    sandbox: Sandbox,
    flow: Parameters<typeof runFlow>[0],
    lazy: boolean,
  ): Promise<readonly [text: string, lazyRows: number, doubts: readonly string[]]> {
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 1 });
    let lazyRows = 0;
    const counted =
      (ask: Ask): Ask =>
      (query, request) =>
        ask(query, request).pipe(
          defineOperator((source, out) => {
            const next = (page: PageLike): void => {
              lazyRows += page.items.filter((row) => row instanceof LazyRow).length;
              out.next(page);
            };
            out.listen(source, { next }, out.node, lazy && out.lazy);
          }),
        );
    const outDir = await mkdtemp(join(folder, 'out-'));
    const asking = {
      stats: () => client.stats(),
      events$: client.events$,
      mapsSearch: counted(client.mapsSearch as Ask),
      mapsReviews: counted(client.mapsReviews as Ask),
    };
    const summary = (await lastValueFrom(runFlow(flow, { client: asking, outDir, concurrency: 1 }))) as FlowSummary;
    const texts = await Promise.all(['reviews.jsonl', 'reviews.csv'].map((file) => readFile(join(outDir, file), 'utf8')));
    return [texts.join(), lazyRows, summary.stages[1]!.doubts];
  }

  const flowOf = (more: object): Parameters<typeof runFlow>[0] =>
    defineFlow({
      name: 'lazy',
      stages: {
        places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, limit: 4 },
        reviews: {
          call: 'mapsReviews',
          each: 'places',
          with: { data_id: '$.data_id' },
          pages: 'all',
          to: ['reviews.jsonl', 'reviews.csv'],
          ...more,
        },
      },
    });

  const flows: [string, object][] = [
    ['all rows', {}],
    ['columns of the parent', { keep: { place: '$.title', rank: '$.rank' } }],
    ['some rows', { where: { rating: { '>=': 4 } }, by: 'review_id' }],
    ['a limit', { limit: 7 }],
  ];
  it.each(ofTheDay(flows, 1))('%s: the same bytes as from parsed rows', async (_, more) => {
    await using sandbox = await startSandbox({ seed: 5 });
    const [text, lazyRows] = await run(sandbox, flowOf(more), true);
    const [parsed, none] = await run(sandbox, flowOf(more), false);
    expect(lazyRows).toBeGreaterThan(20);
    expect(none).toBe(0);
    expect(text).toBe(parsed);
  });

  it('are read for their id, kept columns, conditions and filled fields only, if they go to JSONL', async () => {
    await using sandbox = await startSandbox({ seed: 5 });
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const reads = vi.spyOn(SpanReader.prototype, 'read');
    const parse = vi.spyOn(RowSpan.prototype, 'parse');
    onTestFinished(() => [reads, parse].forEach((spy) => spy.mockRestore()));
    const more = { to: 'r.jsonl', where: { rating: { '>=': 1 } }, keep: { place: '$.title' }, expect: { filled: { 'user.link': 1 } } };
    const parsed: number[] = [];
    for (const to of ['r.jsonl', 'r.csv']) {
      const before = parse.mock.calls.length;
      const flow = flowOf({ ...more, to });
      await lastValueFrom(runFlow(flow, { client, outDir: await mkdtemp(join(folder, 'out-')) }));
      parsed.push(parse.mock.calls.length - before);
    }
    const wanted = reads.mock.calls.map(([, { operation, lazy }]) => operation.name === 'mapsReviews' && lazy).filter((lazy) => lazy);
    expect(new Set(wanted.map(String))).toEqual(new Set(['rating,review_id,place,user.link,user', 'true']));
    for (const rows of parsed) expect(rows).toBeLessThan(30); // samples
  });

  it('counts the filled fields of rows that are not parsed as those of parsed ones', async () => {
    await using sandbox = await startSandbox({ seed: 5 });
    const filled = Object.fromEntries(['snippet', 'likes', 'user.local_guide', 'user.link', 'details.meal_type', 'response', 'place', 'none'].map((field) => [field, 1])); // prettier-ignore
    const flow = flowOf({ keep: { place: '$.title', none: '$.price' }, expect: { filled } });
    const [, lazyRows, doubts] = await run(sandbox, flow, true);
    const [, , parsed] = await run(sandbox, flow, false);
    expect(lazyRows).toBeGreaterThan(20);
    expect(doubts).toEqual(parsed);
    expect(doubts.map((doubt) => doubt.split(' ')[0])).toEqual(['snippet', 'details.meal_type', 'none']);
  });

  it.each<[string, object]>([
    ['a condition on a nested field', { where: { 'user.local_guide': true } }],
    ['picked fields', { pick: ['rating'] }],
    ['the times when a row was seen', { seen: true }],
  ])('%s: every row is parsed', async (_, more) => {
    await using sandbox = await startSandbox({ seed: 5 });
    expect((await run(sandbox, flowOf(more), true))[1]).toBe(0);
  });

  const faults: Fault[] = [
    more({ fault: 'token', operation: 'mapsReviews', share: 0.3 }),
    more({ fault: 'samePage', operation: 'mapsReviews', share: 0.3 }),
    more({ fault: 'badRows', operation: 'mapsReviews', share: 0.3 }),
    more({ fault: 'escapes', operation: 'mapsReviews', share: 0.5 }),
    more({ fault: 'bigNumbers', operation: 'mapsReviews', share: 0.5 }),
    more({ fault: 'protoKeys', operation: 'mapsReviews', share: 0.5 }),
    more({ fault: 'overlap', operation: 'mapsReviews', share: 0.5 }),
  ];
  it.each(ofTheDay(faults, 1))('%j: the same bytes as from parsed rows', async (fault) => {
    const texts: string[] = [];
    for (const lazy of [true, false]) {
      await using sandbox = await startSandbox({ seed: 5, faults: [fault] });
      texts.push((await run(sandbox, flowOf({}), lazy))[0]);
    }
    expect(texts[0]).toBe(texts[1]);
  });
});

describe('rows of a pipe that go into a file as they came', () => {
  let folder: string;
  let sandbox: Sandbox;
  let client: Client;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-lazy-'));
    sandbox = await startSandbox({ seed: 5 });
    client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 1 });
  });
  afterAll(async () => {
    await client.close();
    await sandbox.close();
    await rm(folder, { recursive: true });
  });

  const search = { query: 'coffee', ll: '@40.74,-73.98,14z' };
  const places = (): Observable<Place> => of(search).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), items());
  /** The text of the file, and how many of its rows were never parsed. */
  async function write(
    rows$: Observable<unknown>,
    between: OperatorFunction<unknown, unknown>,
    to: typeof toJsonl = toJsonl,
  ): Promise<readonly [string, number]> {
    const path = join(folder, to === toCsv ? 'rows.csv' : 'rows.jsonl');
    let lazyRows = 0;
    const count = defineOperator<unknown, unknown>((source, out) => {
      const next = (row: unknown): void => {
        if (row instanceof LazyRow) lazyRows += 1;
        out.next(row);
      };
      out.listen(source, { next }, out.node, out.lazy);
    });
    await lastValueFrom(rows$.pipe(count, between, to(path, { overwrite: true })));
    return [await readFile(path, 'utf8'), lazyRows];
  }
  const nothing: OperatorFunction<unknown, unknown> = (source) => source;
  const aLook = map((row: unknown) => row);

  const pipes: [string, () => Observable<unknown>][] = [
    ['places', () => of(search).pipe(offsetPages(client.mapsSearch, { maxPages: 2 }), items())],
    ['places asked for ahead', () => of(search).pipe(offsetPages(client.mapsSearch, { maxPages: 2, lookahead: 2 }), items())],
    ['reviews of places', () => places().pipe(placeReviews(client, { maxPages: 2 }), items())],
    [
      'columns of the parent',
      () => places().pipe(placeReviews(client, { maxPages: 2 }), items({ keep: { place: '$.title', data_id: 'data_id' } })),
    ],
    [
      'a fan-out of one page each',
      () =>
        places().pipe(
          fanOut(({ data_id }) => client.mapsReviews({ data_id })),
          items(),
        ),
    ],
    [
      'walks',
      () =>
        places().pipe(
          map(({ data_id }) => ({ data_id })),
          expandCursor(client.mapsReviews, { maxPages: 2 }),
          items(),
        ),
    ],
  ];
  it.each(ofTheDay(pipes, 1))('%s: the same bytes as from parsed rows', async (_, rows) => {
    const [text, lazyRows] = await write(rows(), nothing);
    const [parsed, none] = await write(rows(), aLook);
    expect(lazyRows).toBe(text.split('\n').length - 1);
    expect(lazyRows).toBeGreaterThan(20);
    expect(none).toBe(0);
    expect(text).toBe(parsed);
  });

  it.each<[string, () => Observable<unknown>]>([
    [
      'an operator before items',
      () =>
        of(search).pipe(
          offsetPages(client.mapsSearch, { maxPages: 1 }),
          tap(() => {}),
          items(),
        ),
    ],
    [
      'one behind each request',
      () =>
        places().pipe(
          fanOut(({ data_id }) => client.mapsReviews({ data_id }).pipe(tap(() => {}))),
          items(),
        ),
    ],
    [
      'a function of the row',
      () => of(search).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), items({ keep: { name: (_, { title }) => title } })),
    ],
  ])('%s: every row is parsed', async (_, rows) => {
    expect((await write(rows(), nothing))[1]).toBe(0);
  });

  const cells: [string, () => Observable<unknown>][] = [
    ['places', () => of(search).pipe(offsetPages(client.mapsSearch, { maxPages: 2 }), items())],
    ['columns of the parent', () => places().pipe(placeReviews(client, { maxPages: 2 }), items({ keep: { place: '$.title' } }))],
  ];
  it.each(ofTheDay(cells, 1))('%s: the same cells as from parsed rows', async (_, rows) => {
    const [text, lazyRows] = await write(rows(), nothing, toCsv);
    const [parsed, none] = await write(rows(), aLook, toCsv);
    expect(lazyRows).toBeGreaterThan(20);
    expect(none).toBe(0);
    expect(text).toBe(parsed);
  });
});
