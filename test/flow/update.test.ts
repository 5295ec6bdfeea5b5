import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createClient, HttpError } from '../../src/index.ts';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openStore } from '../../src/store/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { moodCount } from '../disk/MemoryDisk.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { fakeClient, type Asked } from './fakeClient.ts';
import { anyDay, busyDay, foundTown, serve, type Place } from './town.ts';

const flow: FlowDefinition = {
  name: 'fresh',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: 'coffee', ll: '@40.74,-73.98,14z' },
      limit: 12,
      by: 'data_id',
      to: ['places.jsonl', 'places.csv'],
    },
    reviews: {
      call: 'placeReviews',
      each: 'places',
      pages: 'all',
      keep: { place: '$.data_id' },
      since: { lookback: '3d', unless: '$.reviews' },
      to: ['reviews.jsonl', 'reviews.csv'],
    },
  },
};

interface Row {
  readonly [field: string]: unknown;
}
/** All runs, each in a folder of its own. */
const runs = new MemoryDisk();
const fileSystem = new MemoryFileSystem(runs);
const textOf = (out: string, file: string): string => runs.read(`/${out}/${file}`)?.toString() ?? '';
const lines = (out: string, file: string): readonly Row[] =>
  textOf(out, file)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
const lineLengths = (out: string, file: string): readonly number[] =>
  textOf(out, file)
    .split('\n')
    .map((line) => line.length + 1);
const filesIn = (folder: string): string[] =>
  runs.paths.flatMap((path) => (path.startsWith(`/${folder}/`) ? [path.slice(folder.length + 2)] : []));
const copy = (from: string, to: string): void => {
  for (const file of filesIn(from)) runs.put(`/${to}/${file}`, runs.read(`/${from}/${file}`)!);
};

async function run(
  day: number,
  out: string,
  options: Partial<RunFlowOptions> = {},
  definition = flow,
): Promise<FlowSummary & { said: readonly FlowProgress[] }> {
  await using sandbox = await startSandbox({ day });
  await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' });
  const said = await lastValueFrom(runFlow(definition, { client, outDir: `/${out}`, fileSystem, ...options }).pipe(toArray()));
  return { ...(said.at(-1) as FlowSummary), said };
}

const byId = (rows: readonly Row[], id: string): ReadonlyMap<unknown, Row> => new Map(rows.map((row) => [row[id], withoutAges(row)]));
/** Without what says how long ago something was. */
const withoutAges = ({ response, ...row }: Row): Row => ({
  ...row,
  date: undefined,
  ...(response === undefined ? {} : { response: { ...(response as Row), date: undefined } }),
});
/** The list of changes that the last update made. */
const changesOf = (out: string, file: string): readonly Row[] =>
  lines(
    out,
    filesIn(out).findLast((path) => path.startsWith('changes/') && path.endsWith(file))!,
  );

describe('an update', () => {
  it('requests only what is new, changes the files into the current rows, and says what changed', async () => {
    const first = await run(0, 'a');
    const before = byId(lines('a', 'reviews.jsonl'), 'review_id');
    const second = await run(3, 'a', { update: true });
    await run(3, 'a-fresh');
    const after = byId(lines('a', 'reviews.jsonl'), 'review_id');
    const fresh = byId(lines('a-fresh', 'reviews.jsonl'), 'review_id');
    // All that a fresh crawl has, and what was removed since, which an update that stops early can't know.
    const news = [...fresh].filter(([id]) => !before.has(id));
    expect(news.length).toBeGreaterThan(2);
    expect([...fresh.keys()].filter((id) => !after.has(id))).toEqual([]);
    expect([...after.keys()].filter((id) => !fresh.has(id) && !before.has(id))).toEqual([]);
    const changes = changesOf('a', 'reviews.jsonl');
    const added = changes.filter(({ change }) => change === 'new').map(({ row }) => (row as Row)['review_id']);
    expect(new Set(added)).toEqual(new Set(news.map(([id]) => id)));
    const csv = textOf('a', 'reviews.csv');
    expect(csv.match(/^/gm)!.length).toBeGreaterThan(after.size);
    // A place whose number of reviews is what it was isn't asked for at all.
    expect(second.requests).toBeLessThan(first.requests / 4);
    expect(second.already).toBe(false);
    expect((await run(3, 'a')).already).toBe(true);
  });

  it('tells what was capped and what found nothing in the runs before, as long as it requests no more of it', async () => {
    const { places, reviews } = flow.stages;
    const narrow = { ...flow, stages: { places: { ...places!, pages: 3, limit: 60 }, reviews: { ...reviews!, pages: 1 } } };
    const first = (await run(0, 'left', {}, narrow)).stages[1]!;
    expect([first.outcome, first.capped, first.empty]).toEqual(['capped', 50, 2]);
    const same = (await run(0, 'left', { update: true }, narrow)).stages[1]!;
    expect([same.capped, same.cappedBefore, same.emptyBefore, same.unchanged]).toEqual([0, 50, 2, 60]);
    for (const day of [3, 4]) {
      const next = (await run(day, 'left', { update: true }, narrow)).stages[1]!;
      expect([next.outcome, next.capped + (next.cappedBefore ?? 0)], `day ${day}`).toEqual(['capped', 50]);
    }
  });

  it("requests one page of each query that can't be skipped", async () => {
    const always = { ...flow, stages: { ...flow.stages, reviews: { ...flow.stages['reviews']!, since: { lookback: '1m' } } } };
    await run(3, 'b', {}, always);
    const { requests, stages } = await run(3, 'b', { update: true }, always);
    expect(requests).toBe(1 + stages[1]!.done);
    expect(changesOf('b', 'reviews.jsonl').length).toBe(0);
  });

  it('keeps at most 64 bytes a query', async () => {
    const { stages } = await run(0, 'c');
    const size = textOf('c', '.trawler/watermarks.jsonl').length;
    expect(size / stages[1]!.done).toBeLessThanOrEqual(64);
  });

  const wholes: [string, object][] = [
    ['all rows', {}],
    ['rows that a condition takes', { where: { rating: { '>=': 4 } } }],
  ];
  it.each(ofTheDay(wholes, 1))(
    'of %s equals a fresh crawl of the sandbox, day after day, closed places and removed reviews included',
    async (name, wanted) => {
      const { reviews } = flow.stages;
      const { limit: _, ...places } = flow.stages['places']!;
      /** `fullEvery`: the last update requests everything, the others only what is new. */
      const whole = (fullEvery: string): FlowDefinition => ({
        name: 'whole',
        stages: {
          places: { ...places, with: { query: 'coffee', ll: '@40.74,-73.98,15z' }, pages: 'all', gone: 'drop', to: 'places.jsonl' },
          reviews: { ...reviews!, ...wanted, with: { results: 20 }, since: { lookback: '7d', fullEvery }, gone: 'drop' },
        },
      });
      const [own, fresh] = [`d ${name}`, `d ${name} afresh`];
      const days = process.env['TRAWLER_LONG'] === '1' ? [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [4, 7, 9];
      for (const day of days) {
        const isLast = day === days.at(-1);
        const { changes, stages } = await run(day, own, { update: true }, whole(isLast ? '0h' : '30d'));
        expect([stages[1]!.short, isLast || (changes?.[1]?.gone ?? 0) === 0]).toEqual([0, true]);
      }
      await run(days.at(-1)!, fresh, {}, whole('30d'));
      for (const [file, id] of [
        ['places.jsonl', 'data_id'],
        ['reviews.jsonl', 'review_id'],
      ] as const) {
        expect(byId(lines(own, file), id)).toEqual(byId(lines(fresh, file), id));
      }
      expect(changesOf(own, 'reviews.jsonl').some(({ change }) => change === 'gone')).toBe(true);
    },
  );

  it('says on request when a row was seen for the first and the last time', async () => {
    const seeing = { ...flow, stages: { ...flow.stages, places: { ...flow.stages['places']!, seen: true } } };
    await run(0, 'e', {}, seeing);
    const [first] = lines('e', 'places.jsonl');
    await run(1, 'e', { update: true }, seeing);
    const again = lines('e', 'places.jsonl').find((row) => row['data_id'] === first!['data_id'])!;
    expect(again['first_seen']).toBe(first!['first_seen']);
    expect(String(again['last_seen']) > String(first!['last_seen'])).toBe(true);
    expect(textOf('e', 'places.csv')).toMatch(/^.*first_seen,last_seen\n/);
  });

  it('finishes an unfinished run first, and resumes a stopped update', async () => {
    expect((await run(0, 'f', { update: true, maxRequests: 5 })).outcome).toBe('interrupted');
    expect((await run(0, 'f', { update: true })).outcome).not.toBe('interrupted');
    const stopped = await run(5, 'f', { update: true, maxRequests: 2 });
    expect(stopped.outcome).toBe('interrupted');
    const before = lines('f', 'reviews.jsonl');
    expect(before.length).toBeGreaterThan(100); // the files are whole all the while
    const done = await run(5, 'f', { update: true });
    expect(done.outcome).not.toBe('interrupted');
    expect(filesIn('f/.trawler/update')).toEqual([]);
  });
});

describe('an update that the disk fails in', () => {
  const small: FlowDefinition = {
    name: 'small',
    stages: {
      places: { call: 'mapsSearch', with: { query: 'x' }, by: 'data_id', to: 'places.jsonl' },
      reviews: { call: 'placeReviews', each: 'places', pages: 'all', since: { lookback: '1d' }, to: ['reviews.jsonl', 'reviews.csv'] },
    },
  };
  /** Two places with three pages of reviews each; from the second day on one more review, and one that was edited. */
  const service =
    (day: number) =>
    ({ operation, query }: Asked): unknown => {
      if (operation === 'mapsSearch')
        return { search_results: ['a', 'b'].map((data_id) => ({ data_id, title: data_id, reviews: 6 + day })) };
      const all = Array.from({ length: 6 + day }, (_, index) => ({
        review_id: `${String(query['data_id'])}${index}`,
        iso_date: new Date(Date.UTC(2026, 0, 1) + index * 86_400_000).toISOString(),
        snippet: index === 5 && day > 0 ? 'edited' : 'as it was',
      })).toReversed();
      const page = Number(query['next_page_token'] ?? 0);
      return {
        reviews_results: all.slice(2 * page, 2 * page + 2),
        ...(2 * page + 2 < all.length ? { next_page_token: String(page + 1) } : {}),
      };
    };
  const go = (disk: MemoryDisk, day: number, update: boolean): Promise<unknown> =>
    lastValueFrom(
      runFlow(small, {
        client: fakeClient(service(day)),
        outDir: '/out',
        fileSystem: new MemoryFileSystem(disk),
        commitMs: 0,
        concurrency: 1,
        update,
      }),
    );
  /** What a user sees of the folder, changes under a time of their own. */
  const shown = (disk: MemoryDisk): object =>
    Object.fromEntries(
      disk.paths
        .filter((name) => /^\/out\/(reviews|places|changes)/.test(name))
        .map((name) => [name.replace(/changes\/[^/]+/, 'changes/time'), disk.read(name)!.toString().split('\n').sort()]),
    );

  /** Every eleventh step of a run, the next ones tomorrow: updates of simulated worlds stop at all others. */
  const turns = ofTheDay([...Array(11).keys()], 1);
  const tried = ({ log }: MemoryDisk): readonly number[] => [...log.keys()].filter((at) => turns.includes(at % 11));

  it('has the same files and changes, wherever it stopped', async () => {
    const start = new MemoryDisk();
    await go(start, 0, false);
    const golden = start.copy();
    await go(golden, 1, true);
    expect(shown(golden)).toMatchObject({ '/out/changes/time/reviews.jsonl': expect.arrayContaining([expect.stringContaining('"new"'), expect.stringContaining('"fields":["snippet"]')]) as unknown }); // prettier-ignore
    expect(golden.log.length).toBeGreaterThan(100);
    for (const at of tried(golden)) {
      const sick = start.copy({ fault: (_, index) => (index === at ? 'EIO' : undefined) });
      await go(sick, 1, true).catch(() => undefined);
      const well = sick.copy({});
      // What may have come before the fault is that the update was done: another finds nothing.
      await go(well, 1, true);
      const files = shown(well) as { [name: string]: string[] };
      expect(files['/out/reviews.jsonl'], `after a fault at ${at}`).toEqual((shown(golden) as typeof files)['/out/reviews.jsonl']);
      expect(files['/out/reviews.csv']).toEqual((shown(golden) as typeof files)['/out/reviews.csv']);
      const lists = well.paths.filter((name) => /changes\/[^/]+\/reviews/.test(name)).map((name) => well.read(name)!.toString());
      expect(
        lists
          .join('')
          .split('\n')
          .filter((line) => line !== ''),
      ).toHaveLength(4);
    }
  });

  const endingsLeft: [string, string[]][] = [
    ['only', ['.part']],
    ['too', ['', '.part']],
  ];
  it.each(ofTheDay(endingsLeft, 1))(
    'ends with the same files after a power cut in any step, where one had left those before under working names %s',
    async (_, endings) => {
      const whole = new MemoryDisk();
      await go(whole, 0, false);
      const fileSystem = new MemoryFileSystem(whole);
      for (const path of whole.paths.filter((one) => /out\/\w+\.(jsonl|csv)$/.test(one))) {
        fileSystem.link(path, `${path}.part`);
        if (!endings.includes('')) fileSystem.unlink(path);
      }
      const start = whole.copy();
      const golden = whole.copy();
      await go(golden, 1, true);
      const update = start.copy();
      await go(update, 1, true);
      expect(shown(update)).toEqual(shown(golden));
      for (const at of tried(update)) {
        const well = update.powerCut(seeded(at), { until: at, mood: at % moodCount });
        await go(well, 1, true);
        await go(well, 1, false);
        const files = shown(well) as { [name: string]: string[] };
        for (const file of ['/out/places.jsonl', '/out/reviews.jsonl', '/out/reviews.csv'])
          expect(files[file], `after a cut at ${at}`).toEqual((shown(golden) as typeof files)[file]);
        expect(well.paths.filter((name) => name.endsWith('.part'))).toEqual([]);
      }
    },
  );
});

describe('an update of a town', () => {
  /** Removed reviews and closed places are dropped, so that the files equal those of a fresh crawl. */
  const walked = (since: object): FlowDefinition => ({
    name: 'town',
    stages: {
      places: {
        call: 'mapsSearch',
        with: { query: 'x', ll: '@40.74,-73.98,14z' },
        pages: 'all',
        by: 'data_id',
        gone: 'drop',
        to: 'places.jsonl',
      },
      reviews: {
        call: 'placeReviews',
        each: 'places',
        pages: 'all',
        keep: { place: '$.data_id' },
        since: { fullEvery: '30d', ...since },
        gone: 'drop',
        to: ['reviews.jsonl', 'reviews.csv'],
      },
    },
  });
  const crawl = async (
    out: string,
    town: readonly Place[],
    definition: FlowDefinition,
    options: Partial<RunFlowOptions> = {},
  ): Promise<{ readonly summary: FlowSummary; readonly asked: readonly Asked[] }> => {
    const client = fakeClient(serve(town));
    const summary = await lastValueFrom(runFlow(definition, { client, outDir: `/${out}`, fileSystem, ...options }));
    return { summary: summary as FlowSummary, asked: client.asked.filter(({ operation }) => operation === 'mapsReviews') };
  };
  const expectEqual = (out: string, other: string): void => {
    for (const file of ['places.jsonl', 'reviews.jsonl', 'reviews.csv'])
      expect(textOf(out, file).split('\n').sort()).toEqual(textOf(other, file).split('\n').sort());
  };

  it('finds 300 new and 40 edited reviews of 120 places, asks for one page of each other place, and for none with unless', async () => {
    const places = process.env['TRAWLER_LONG'] === '1' ? 1000 : 130;
    const [before, after] = [foundTown(places), busyDay(foundTown(places), 1)];
    const always = walked({ lookback: '7d' });
    const unless = walked({ lookback: '7d', unless: '$.reviews' });
    expect((await crawl('fresh-town', after, always)).asked.length).toBeGreaterThan(places * 1.5);
    await crawl('unless', before, unless);
    copy('unless', 'always'); // how an update looks may change in between
    const busy = new Set(after.slice(0, 120).map(({ data_id }) => data_id));
    const ways = [
      ['always', always, places - 120],
      ['unless', unless, 0],
    ] as const;
    for (const [out, definition, idle] of ofTheDay(ways, 1)) {
      const { summary, asked } = await crawl(out, after, definition, { update: true });
      const found = lines(out, summary.changes![1]!.file);
      expect(found.filter(({ change }) => change === 'new')).toHaveLength(300);
      const edited = found.filter(({ change }) => change === 'changed');
      expect(edited.map(({ fields }) => fields)).toEqual(Array.from({ length: 40 }, () => ['snippet']));
      expect(found).toHaveLength(340);
      expect(new Set(found.map(({ row }) => (row as Row)['place'])).size).toBe(120);
      expectEqual(out, 'fresh-town');
      expect(asked.filter(({ query }) => !busy.has(String(query['data_id'])))).toHaveLength(idle);
      expect(summary.stages[1]!.unchanged ?? 0).toBe(places - 120 - idle);
    }
  });

  it('finds what is new each day, and on the days on which it requests everything equals a fresh crawl', async () => {
    const definition = walked({ lookback: '7d' });
    const everything = walked({ lookback: '7d', fullEvery: '0h' });
    let town = foundTown(12);
    await crawl('ten', town, definition);
    let [gone, asked, full] = [0, 0, 0];
    const days = process.env['TRAWLER_LONG'] === '1' ? 600 : 10;
    for (let day = 1; day <= days; day++) {
      town = anyDay(town, day);
      const isFull = day % 5 === 0;
      const update = await crawl('ten', town, isFull ? everything : definition, { update: true });
      const reviews = update.summary.changes!.find(({ stage }) => stage === 'reviews')!;
      asked += isFull ? 0 : update.asked.length;
      gone += reviews.gone;
      const known = new Set(idsIn('ten'));
      expect(reviewIds(town).filter((id) => !known.has(id))).toEqual([]);
      expect(isFull || reviews.gone === 0).toBe(true);
      if (!isFull) continue;
      full += 4 * (await crawl('ten-fresh', town, definition, { fresh: true })).asked.length;
      expectEqual('ten', 'ten-fresh');
      expect(Math.max(...lineLengths('ten', '.trawler/watermarks.jsonl'))).toBeLessThanOrEqual(64);
    }
    expect(gone).toBeGreaterThan(10);
    expect(asked).toBeLessThan(full * 0.7);
  });

  it('leaves a row alone that was edited out of the condition, as long as the service has it', async () => {
    const [place] = foundTown(1);
    const rated = (ratings: readonly number[], edited: number) =>
      serve([
        {
          ...place!,
          reviews: ratings.map((rating, i) => {
            const at = new Date(Date.UTC(2026, 5, 30 - i + (i === edited ? 40 : 0))).toISOString();
            return { review_id: `r${i}`, iso_date: at, snippet: '', rating };
          }).toSorted((one, other) => (one.iso_date < other.iso_date ? 1 : -1)),
        },
      ]); // prettier-ignore
    const { reviews } = since.stages;
    const rating = { ...since, stages: { ...since.stages, reviews: { ...reviews!, where: { rating: { '>=': 4 } } } } };
    await crawlWith('edited', rated([5, 5, 4], -1), {}, rating);
    for (let update = 0; update < 3; update++) {
      const { changes } = await crawlWith('edited', rated([5, 2, 4], 1), { update: true }, rating);
      expect(changes![1]).toMatchObject({ new: 0, gone: 0 });
      expect(idsIn('edited')).toEqual(['r0', 'r1', 'r2']);
    }
  });

  const since = walked({ lookback: '7d' });
  /** Nothing of `definition` is left out: everything that the town has. */
  const reviewIds = (town: readonly Place[]): string[] => town.flatMap(({ reviews }) => reviews.map(({ review_id }) => review_id)).sort();
  const idsIn = (out: string): string[] =>
    lines(out, 'reviews.jsonl')
      .map((row) => String(row['review_id']))
      .sort();
  const failing =
    (town: readonly Place[], data_id: string, page: string): ((asked: Asked) => unknown) =>
    (asked) => {
      const { query } = asked;
      if (query['data_id'] === data_id && (query['next_page_token'] ?? '0') === page)
        throw new HttpError('status 404', { operation: asked.operation, query, status: 404, attempts: 1 });
      return serve(town)(asked);
    };
  const crawlWith = async (
    out: string,
    answer: (asked: Asked) => unknown,
    options: Partial<RunFlowOptions> = {},
    definition: FlowDefinition = since,
  ): Promise<FlowSummary & { readonly said: readonly string[] }> => {
    const progress$ = runFlow(definition, { client: fakeClient(answer), outDir: `/${out}`, fileSystem, ...options });
    const all = await lastValueFrom(progress$.pipe(toArray()));
    const said = all.flatMap((one) => (one.type === 'notice' ? [one.message] : []));
    return { ...(all.at(-1) as FlowSummary), said };
  };

  it('retries what failed in an update by another one: changed rows are replaced, and nothing is doubled or lost', async () => {
    const towns = [foundTown(12), busyDay(foundTown(12), 1)] as const;
    await crawlWith('fails', serve(towns[0]));
    const failed = await crawlWith('fails', failing(towns[1], 'p3', '0'), { update: true });
    expect(failed.outcome).toBe('failed');
    expect(lines('fails', 'failures.jsonl')).toHaveLength(1);
    const client = fakeClient(serve(towns[1]));
    await lastValueFrom(runFlow(since, { client, outDir: '/fails', fileSystem, failures: true }));
    expect(client.asked.every(({ query }) => query['data_id'] === 'p3')).toBe(true);
    expect(lines('fails', 'reviews.jsonl').filter(({ snippet }) => snippet !== 'as it was')).toHaveLength(4);
    await crawlWith('fails-fresh', serve(towns[1]));
    expectEqual('fails', 'fails-fresh');
    expect(
      changesOf('fails', 'reviews.jsonl')
        .map(({ change }) => String(change))
        .sort(),
    ).toEqual(['changed', 'new', 'new', 'new']);
    expect(filesIn('fails')).not.toContain('failures.jsonl');
    expect((await crawlWith('fails', serve(towns[1]), { failures: true })).already).toBe(true);
  });

  it('looks again, without being asked to, at what failed or was short the last time', async () => {
    const town = foundTown(12);
    const big = town.find(({ reviews }) => reviews.length > 15)!;
    const cut = (asked: Asked): unknown => {
      const data = serve(town)(asked) as { reviews_results?: unknown };
      return asked.query['data_id'] === big.data_id ? { reviews_results: data.reviews_results } : data; // its token is lost
    };
    expect((await crawlWith('short', cut)).outcome).toBe('short');
    expect((await crawlWith('short', serve(town), { update: true })).outcome).toBe('complete');
    expect(idsIn('short')).toEqual(reviewIds(town));
    await crawlWith('failed', failing(town, big.data_id, '10'));
    expect((await crawlWith('failed', serve(town), { update: true })).outcome).toBe('complete');
    expect(idsIn('failed')).toEqual(reviewIds(town));
  });

  it('costs one request for each place and day, also where a place has new rows', async () => {
    const [days, places] = process.env['TRAWLER_LONG'] === '1' ? [10, 120] : [2, 40];
    const busy: FlowDefinition = {
      name: 'busy',
      stages: {
        reviews: {
          call: 'mapsReviews',
          with: { data_id: Array.from({ length: places }, (_, place) => `p${place}`) },
          pages: 'all',
          keep: { place: 'data_id' },
          since: { lookback: '3d' },
          to: 'reviews.jsonl',
        },
      },
    };
    const dayMs = 86_400_000;
    // Thirty days of reviews, one in two days at each place; the newest of them first, ten on a page.
    const reviewsOf = (place: number, day: number): object[] =>
      Array.from({ length: 30 + day }, (_, at) => day - at)
        .filter((on) => (on + place) % 2 === 0)
        .map((on) => ({ review_id: `${place}/${on}`, iso_date: new Date(Date.UTC(2026, 0, 1) + on * dayMs).toISOString(), snippet: '' }));
    const answers =
      (day: number) =>
      ({ query }: Asked): unknown => {
        const [place, from] = [Number(String(query['data_id']).slice(1)), Number(query['next_page_token'] ?? 0)];
        const all = reviewsOf(place, day);
        const next_page_token = from + 10 < all.length ? String(from + 10) : undefined;
        return { reviews_results: all.slice(from, from + 10), locationDetails: { reviews: all.length }, next_page_token };
      };
    await crawlWith('busy', answers(0), {}, busy);
    let requests = 0;
    for (let day = 1; day <= days; day++) requests += (await crawlWith('busy', answers(day), { update: true }, busy)).requests;
    expect(requests).toBeLessThanOrEqual(1.05 * places * days);
    const ids = lines('busy', 'reviews.jsonl').map((row) => row['review_id']);
    const all = Array.from({ length: places }, (_, place) => reviewsOf(place, days).map((row) => (row as { review_id: string }).review_id));
    expect(new Set(ids)).toEqual(new Set(all.flat()));
    expect(ids).toHaveLength(all.flat().length);
  });

  it('leaves the watermark where it was when a limit ends a walk before it', async () => {
    const limited = { ...since, stages: { ...since.stages, reviews: { ...since.stages['reviews']!, pages: 1 } } };
    const before = [{ ...foundTown(1)[0]!, reviews: foundTown(1)[0]!.reviews.slice(0, 5) }];
    const many = Array.from({ length: 15 }, (_, i) => ({
      review_id: `n${i}`,
      iso_date: new Date(Date.UTC(2026, 6, 30 - i)).toISOString(),
      snippet: '',
    }));
    await crawlWith('limited', serve(before), {}, limited);
    const after = [{ ...before[0]!, reviews: [...many, ...before[0]!.reviews] }];
    expect((await crawlWith('limited', serve(after), { update: true }, limited)).outcome).toBe('capped');
    expect(idsIn('limited')).toHaveLength(15);
    const mark = textOf('limited', '.trawler/watermarks.jsonl');
    expect(mark).toContain(String(Date.parse(before[0]!.reviews[0]!.iso_date)));
  });

  it.each([
    ['a limit', 'capped', (): object => ({ reviews_results: [], next_page_token: '20' })],
    ['a failure', 'failed', (): object => { throw new HttpError('status 404', { operation: 'mapsReviews', status: 404 }); }], // prettier-ignore
  ])('counts the rows above a watermark that %s left where it was', async (of, outcome, second) => {
    const [place] = foundTown(1);
    const news = Array.from({ length: 15 }, (_, i) => ({
      review_id: `n${i}`,
      iso_date: new Date(Date.UTC(2026, 6, 30 - i)).toISOString(),
      snippet: '',
    }));
    const before = [{ ...place!, reviews: place!.reviews.slice(0, 5) }];
    const after = serve([{ ...place!, reviews: [...news, ...before[0]!.reviews] }]);
    const limited = { ...since, stages: { ...since.stages, reviews: { ...since.stages['reviews']!, pages: 2 } } };
    const out = `counts ${of}`;
    await crawlWith(out, serve(before), {}, limited);
    const cut = (asked: Asked): unknown => (asked.query['next_page_token'] === undefined ? after(asked) : second());
    expect((await crawlWith(out, cut, { update: true }, limited)).outcome).toBe(outcome);
    expect(idsIn(out)).toHaveLength(15);
    expect((await crawlWith(out, after, { update: true }, limited)).outcome).toBe('complete');
    expect(idsIn(out)).toHaveLength(20);
  });

  it('stops at known rows also where some rows are left out, keys have kept columns, and rows say in seconds when they are from', async () => {
    const town = foundTown(30).filter(({ reviews }) => reviews.length > 12);
    const inSeconds = (asked: Asked): unknown => {
      const { reviews_results: rows, ...data } = serve(town)(asked) as { reviews_results?: { iso_date: string }[] };
      return rows === undefined
        ? data
        : { ...data, reviews_results: rows.map((row, i) => ({ ...row, rating: i % 3, likes: Date.parse(row.iso_date) / 1000 })) };
    };
    const picky: FlowDefinition = {
      ...since,
      stages: {
        ...since.stages,
        reviews: {
          ...since.stages['reviews']!,
          by: ['place', 'review_id'],
          where: { rating: { '>=': 1 } },
          since: { field: 'likes', lookback: '1m', fullEvery: '30d' },
        },
      },
    };
    const first = await crawlWith('picky', inSeconds, {}, picky);
    const update = await crawlWith('picky', inSeconds, { update: true }, picky);
    expect(first.requests).toBeGreaterThan(update.requests);
    expect(update.stages[1]!.pages).toBe(town.length);
    expect(update.changes!.map(({ new: added, changed, gone }) => added + changed + gone)).toEqual([0, 0]);
  });

  it('says so where no row says when it is from', async () => {
    const undated = {
      ...since,
      stages: { ...since.stages, reviews: { ...since.stages['reviews']!, since: { field: 'snippet', fullEvery: '30d' } } },
    };
    expect((await crawlWith('undated', serve(foundTown(2)), {}, undated)).said).toContain(
      "reviews: no row says in 'snippet' when it is from, so updates walk all of its pages",
    );
  });

  it('is told of by a run that leaves it half done; every way to finish it does, and a fresh start moves it aside', async () => {
    const towns = [foundTown(6), busyDay(foundTown(6), 1)] as const;
    await crawlWith('half', serve(towns[0]));
    const whole = idsIn('half');
    expect((await crawlWith('half', serve(towns[1]), { update: true, maxRequests: 4 })).outcome).toBe('interrupted');
    for (const out of ['half-failures', 'half-fresh', 'half-damaged']) copy('half', out);
    const plain = await crawlWith('half', serve(towns[1]));
    expect([plain.already, plain.update, plain.requests]).toEqual([true, true, 0]);
    expect(plain.said.join()).toMatch(/an update of 2\S+Z isn't finished; it has \d pages so far.*Finish it with the option 'update'/);
    expect(idsIn('half')).toEqual(whole);
    await crawlWith('half', serve(towns[1]), { update: true });
    expect(idsIn('half')).toEqual(reviewIds(towns[1]));
    await crawlWith('half-failures', serve(towns[1]), { failures: true });
    expect(idsIn('half-failures')).toEqual(reviewIds(towns[1]));

    // Watermarks and an update of another run would make the next update pass over rows.
    await crawlWith('half-fresh', failing(towns[0], 'p3', '0'), { fresh: true });
    expect(filesIn('half-fresh/.trawler')).toEqual(['journal.jsonl', 'watermarks.jsonl']);
    await crawlWith('half-fresh', serve(towns[0]), { update: true });
    expect(idsIn('half-fresh')).toEqual(reviewIds(towns[0]));

    const journal = '.trawler/update/.trawler/journal.jsonl';
    runs.put(`/half-damaged/${journal}`, textOf('half-damaged', journal).replace('"commit"', '"comnit"'));
    await expect(crawlWith('half-damaged', serve(towns[1]), { update: true })).rejects.toThrow('is damaged');
    await crawlWith('half-damaged', serve(towns[1]), { update: true, repair: true });
    expect(idsIn('half-damaged')).toEqual(reviewIds(towns[1]));
  });

  it('takes no stored response from before it began, and its own again when it is resumed', async () => {
    await using store = openStore('/responses', { fileSystem });
    const few: FlowDefinition = { ...flow, stages: { ...flow.stages, places: { ...flow.stages['places']!, limit: 6 } } };
    const onDay = async (day: number, options: Partial<RunFlowOptions>): Promise<FlowSummary> => {
      await using sandbox = await startSandbox({ day });
      await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited', store });
      return (await lastValueFrom(runFlow(few, { client, outDir: '/stored', fileSystem, ...options }))) as FlowSummary;
    };
    const first = await onDay(0, {});
    expect((await onDay(0, { fresh: true })).requests).toBe(0);
    const update = await onDay(5, { update: true });
    expect(update.requests).toBeGreaterThan(1);
    expect(update.requests).toBeLessThan(first.requests);
    await run(5, 'stored-fresh', {}, few);
    const news = [...byId(lines('stored-fresh', 'reviews.jsonl'), 'review_id').keys()];
    const updated = byId(lines('stored', 'reviews.jsonl'), 'review_id');
    expect(news.filter((id) => !updated.has(id))).toEqual([]);
    expect((await onDay(5, { fresh: true })).requests).toBeLessThan(first.requests / 2 + update.requests); // they are stored
  });

  it('takes no more memory for more rows than their digests: a million rows in a heap of 64 MB', async () => {
    // Without TRAWLER_LONG fewer and longer ones. They are 43 MB as text, and 24 MB of heap is what an update of any size needs.
    const [rows, heapMb, sentences] = process.env['TRAWLER_LONG'] === '1' ? [1_000_000, 64, 6] : [3000, 56, 300];
    const runner = fileURLToPath(new URL('../../bench/update/runUpdate.mjs', import.meta.url));
    const folder = mkdtempSync(join(tmpdir(), 'trawler-million-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const child = async (what: string, ...flags: string[]): Promise<{ readonly rows: number; readonly changes: Row }> => {
      const argv = [...flags, runner, String(rows), 'since', what, folder, inject('dist'), String(sentences)];
      const { stdout } = await promisify(execFile)(process.execPath, argv);
      return JSON.parse(stdout) as { readonly rows: number; readonly changes: Row };
    };
    await child('crawl');
    const update = await child('update', `--max-old-space-size=${heapMb}`);
    expect(update.rows).toBe(rows + (rows / 1000) * 9);
    expect(update.changes).toMatchObject({ new: (rows / 1000) * 9, changed: rows / 1000, gone: 0 });
  }, 600_000);
});
