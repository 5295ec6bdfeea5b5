import { lastValueFrom, toArray } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient, defineOperation, defineService } from '../../src/index.ts';
import { startServer } from '../client/startServer.ts';
import { nextSteps } from '../../src/flow/report/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { more } from '../sandbox/moreFaults/more.ts';

const fileSystem = new MemoryFileSystem();

const flow: FlowDefinition = {
  name: 'claims',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' },
    reviews: { call: 'placeReviews', each: 'places', pages: 'all', keep: { place: '$.data_id', has: '$.reviews' }, to: 'reviews.jsonl' },
  },
};

interface Ran extends FlowSummary {
  readonly said: readonly FlowProgress[];
}

async function run(sandbox: Sandbox, outDir: string, options: Partial<RunFlowOptions> = {}, definition = flow): Promise<Ran> {
  await using client = createClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    rate: 'unlimited',
    retry: { baseMs: 1, capMs: 5, maxAttempts: 3 },
  });
  const said = await lastValueFrom(runFlow(definition, { client, outDir, fileSystem, ...options }).pipe(toArray()));
  return { ...(said.at(-1) as FlowSummary), said };
}

interface Line {
  readonly [field: string]: unknown;
}
function lines(path: string): readonly Line[] {
  const text = fileSystem.disk.read(path)?.toString() ?? '';
  return text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Line); // prettier-ignore
}
const idsOf = (rows: readonly Line[]): readonly string[] => rows.map((row) => String(row['review_id'])).sort();

/** How many rows each place has. The sandbox keeps its word. */
const claimsIn = (places: readonly Line[]): ReadonlyMap<string, number> =>
  new Map(places.map((place) => [String(place['data_id']), Number(place['reviews'])]));

describe('a walk that ends too early', () => {
  let places: ReadonlyMap<string, number>;
  let count = 0;
  const outDir = (): string => `/${(count += 1)}`;
  const faulty = async (options: SandboxOptions, work: (sandbox: Sandbox) => Promise<void>): Promise<void> => {
    await using sandbox = await startSandbox(options);
    await work(sandbox);
  };
  beforeAll(async () => {
    await faulty({}, async (sandbox) => {
      const { places: stage } = flow.stages;
      const out = outDir();
      await run(sandbox, out, {}, { ...flow, stages: { places: stage! } });
      places = claimsIn(lines(`${out}/places.jsonl`));
    });
  });

  const long = process.env['TRAWLER_LONG'] === '1';
  const tolerance = { rows: 0, share: 0 };
  const strict = { ...flow, stages: { ...flow.stages, reviews: { ...flow.stages['reviews']!, tolerance } } };
  const ways = [
    { fault: 'token', as: 'missing' },
    { fault: 'token', as: 'null' },
    { fault: 'token', as: 'empty' },
    { fault: 'emptyPage' },
    { fault: 'fewerRows' },
    { fault: 'fewerRows', keep: 9 },
    { fault: 'repeatedPage' },
  ] as const;
  const cases = ways.flatMap((way) =>
    (long ? [0.01, 0.1, 0.5] : [0.1]).map((share) => ({ ...way, operation: 'mapsReviews' as const, share })),
  );

  it.each(ofTheDay(cases, 1))('is named with its figures, stops nothing, and is healed by one more run: %o', async (fault) => {
    let played = 0;
    for (let seed = 0; played === 0 || (long && seed < 10); seed++) {
      await faulty({ seed: `${seed}`, faults: [more(fault)] }, async (sandbox) => {
        const out = outDir();
        const first = await run(sandbox, out, {}, strict);
        played += sandbox.requests.filter((request) => request.fault !== undefined).length;
        const claims = claimsIn(lines(`${out}/places.jsonl`));
        const rows = lines(`${out}/reviews.jsonl`);
        const lacking = new Map(claims);
        for (const { place } of rows) lacking.set(String(place), lacking.get(String(place))! - 1);
        for (const [place, rest] of lacking) if (rest === 0) lacking.delete(place);
        const failures = lines(`${out}/failures.jsonl`);
        const named = failures.map(({ query, short }) => {
          const { got, claimed } = short as { readonly got: number; readonly claimed: number };
          const place = String((query as Line)['data_id']);
          expect({ seed, place, claimed }).toEqual({ seed, place, claimed: claims.get(place) });
          return [place, claimed - got] as const;
        });
        expect(new Map(named)).toEqual(lacking);
        expect(first.stages[1]).toMatchObject({ failed: 0, short: lacking.size, outcome: lacking.size > 0 ? 'short' : 'complete' });
        expect(first.said.filter(({ type }) => type === 'short')).toHaveLength(lacking.size);
        if (lacking.size === 0) return;

        await run(sandbox, out, { failures: true }, strict);
        const healed = idsOf(lines(`${out}/reviews.jsonl`));
        expect(new Set(healed).size).toBe(healed.length);
        expect(healed.length).toBeGreaterThanOrEqual(Array.from(claims.values()).reduce((sum, claim) => sum + claim, 0) * 0.99);
      });
    }
  });

  it.each(ofTheDay(ways, 2, 1))('is healed wherever in the walk it meets %o', async (way) => {
    const [place, all] = Array.from(places).find(([, reviews]) => reviews > 31 && reviews < 40)!;
    const one: FlowDefinition = {
      name: 'one',
      stages: { reviews: { call: 'mapsReviews', with: { data_id: place }, pages: 'all', tolerance, to: 'reviews.jsonl' } },
    };
    const pages = Math.ceil(all / 10);
    for (let nth = 1; nth <= pages; nth++) {
      await faulty({ faults: [more({ ...way, operation: 'mapsReviews', nth })] }, async (sandbox) => {
        const out = outDir();
        const { stages, requests } = await run(sandbox, out, {}, one);
        const rows = idsOf(lines(`${out}/reviews.jsonl`));
        const failures = lines(`${out}/failures.jsonl`);
        // Only the end of a walk can tell that a page in the middle lacked rows. Whatever else it meets costs one request.
        const isShort = way.fault === 'fewerRows' && nth < pages;
        const harmless = (nth === pages && (way.fault === 'token' || 'keep' in way)) || (nth === 1 && way.fault === 'repeatedPage');
        expect({ nth, requests }).toEqual({ nth, requests: harmless ? pages : pages + 1 });
        expect({ nth, whole: rows.length === all, short: stages[0]!.short }).toEqual({ nth, whole: !isShort, short: isShort ? 1 : 0 });
        expect(failures).toMatchObject(isShort ? [{ query: { data_id: place }, short: { got: rows.length, claimed: all } }] : []);
        if (isShort) await run(sandbox, out, { failures: true }, one);
        const healed = idsOf(lines(`${out}/reviews.jsonl`));
        expect([healed.length, new Set(healed).size]).toEqual([all, all]);
      });
    }
  });

  it('writes a row once where it comes again on the next page, and counts it once', async () => {
    await faulty({ faults: [more({ fault: 'overlap', rows: 4, operation: 'mapsReviews' })] }, async (sandbox) => {
      const out = outDir();
      expect((await run(sandbox, out, {}, strict)).stages[1]!.outcome).toBe('complete');
      const rows = lines(`${out}/reviews.jsonl`);
      expect(new Set(idsOf(rows)).size).toBe(rows.length);
      expect(rows).toHaveLength(Array.from(places.values()).reduce((sum, claim) => sum + claim, 0));
    });
    const [place, all] = Array.from(places).find(([, reviews]) => reviews > 31 && reviews < 40)!;
    const query = { data_id: place };
    const two = [more({ fault: 'fewerRows', keep: 9, query, nth: 2 }), more({ fault: 'repeatedPage', query, nth: 3 })] as const;
    await faulty({ faults: two.map((fault) => ({ ...fault, operation: 'mapsReviews' })) }, async (sandbox) => {
      const out = outDir();
      const { said } = await run(sandbox, out, {}, strict);
      expect(said.filter(({ type }) => type === 'short')).toMatchObject([{ query, got: all - 10, claimed: all }]);
      await run(sandbox, out, { failures: true }, strict);
      const rows = idsOf(lines(`${out}/reviews.jsonl`).filter(({ place: its }) => its === place));
      expect([rows.length, new Set(rows).size]).toEqual([all, all]);
    });
  });

  it('counts as whole, and is shown, where so few rows are missing that the claim may be wrong', async () => {
    await faulty({ faults: [more({ fault: 'fewerRows', keep: 9, operation: 'mapsReviews', nth: 1 })] }, async (sandbox) => {
      const out = outDir();
      expect((await run(sandbox, out)).stages[1]).toMatchObject({ outcome: 'complete', short: 0, withinTolerance: 1 });
      expect(lines(`${out}/failures.jsonl`)).toEqual([]);
    });
  });

  it('is no longer unexpected once it is healed', async () => {
    const [place, all] = Array.from(places).find(([, reviews]) => reviews > 20)!;
    const expecting: FlowDefinition = {
      name: 'expecting',
      stages: { reviews: { call: 'mapsReviews', with: { data_id: place }, pages: 'all', expect: { rowsPerQuery: { '>=': all } } } },
    };
    await faulty({ faults: [more({ fault: 'token', operation: 'mapsReviews', nth: [1, 2] })] }, async (sandbox) => {
      const out = outDir();
      const doubts = [`1 query has another number of rows than at least ${all}`];
      expect((await run(sandbox, out, {}, expecting)).stages).toMatchObject([{ outcome: 'doubtful', short: 1, doubts }]);
      expect((await run(sandbox, out, { failures: true }, expecting)).stages).toMatchObject([{ outcome: 'complete', doubts: [] }]);
    });
  });

  it('says why where its walk could not go on', async () => {
    await faulty({ faults: [more({ fault: 'tokenRing', operation: 'mapsReviews' })] }, async (sandbox) => {
      const out = outDir();
      const { stages } = await run(sandbox, out);
      expect(stages[1]).toMatchObject({ failed: 0, outcome: 'short' });
      const [line] = lines(`${out}/failures.jsonl`);
      expect(line).toMatchObject({ short: { because: expect.stringContaining('the walk would never end') as string } });
    });
  });

  const seeds = ofTheDay(Array.from({ length: 200 }, (_, nth) => nth), 1); // prettier-ignore
  it(`costs nothing where nothing is wrong, in ${long ? 'all' : 'one'} of 200 worlds`, async () => {
    for (const seed of seeds) {
      await using sandbox = await startSandbox({ seed: `clean ${seed}` });
      const out = outDir();
      const { outcome, stages, requests, said } = await run(sandbox, out);
      expect({ seed, outcome, short: said.filter(({ type }) => type === 'short') }).toEqual({ seed, outcome: expect.stringMatching(/^(complete|capped)$/) as string, short: [] }); // prettier-ignore
      expect(stages[1]).toMatchObject({ outcome: 'complete', short: 0, withinTolerance: 0 });
      expect(stages[1]!.got).toBe(stages[1]!.claimed);
      const walks = lines(`${out}/places.jsonl`).map(({ reviews }) => Math.max(1, Math.ceil(Number(reviews) / 10)));
      expect({ seed, requests }).toEqual({ seed, requests: walks.reduce((sum, pages) => sum + pages, 1) });
    }
  });

  it('is walked once more by each run of its failures, and says that it is still short', async () => {
    const [place] = Array.from(places).find(([, rows]) => rows > 20)!; // its tokens are lost always
    await faulty(
      { faults: [more({ fault: 'token', as: 'null', operation: 'mapsReviews', query: { data_id: place } })] },
      async (sandbox) => {
        const out = outDir();
        expect(await run(sandbox, out)).toMatchObject({ outcome: 'short' });
        for (let again = 0; again < 2; again++) {
          const { stages, requests } = await run(sandbox, out, { failures: true });
          expect([stages[1]!.short, requests]).toEqual([1, 2]); // its first page, which is looked at again
          const rows = idsOf(lines(`${out}/reviews.jsonl`));
          expect(new Set(rows).size).toBe(rows.length);
        }
      },
    );
  });
});

describe('a service of your own with claims', () => {
  const query = { page: '${page:1}' } as const;
  const library = defineService({
    name: 'library',
    operations: {
      books: defineOperation({
        name: 'books',
        get: '/books',
        about: 'Books on a subject.',
        params: { subject: { type: 'string', required: true, about: 'what they are about' } },
        response: { total: 'integer', books: [{ isbn: 'string', editions: 'integer' }] },
        rows: 'books',
        query,
        total: 'total',
        id: 'isbn',
      }),
      editions: defineOperation({
        name: 'editions',
        get: '/editions',
        about: 'Editions of a book.',
        params: { isbn: { type: 'string', required: true, about: 'the book' } },
        response: { editions: [{ id: 'string' }] },
        rows: 'editions',
        query,
        id: 'id',
      }),
    },
    fanOuts: { bookEditions: { call: 'editions', with: { isbn: '$.isbn' }, walks: true, claims: '$.editions', about: 'editions of each' } },
  });
  const borrowing: FlowDefinition = {
    name: 'library',
    service: library,
    stages: {
      books: { call: 'books', with: { subject: ['sea', 'stars'] }, pages: 'all', to: 'books.jsonl' },
      editions: { call: 'bookEditions', each: 'books', pages: 'all', tolerance: { rows: 0 }, to: 'editions.jsonl' },
    },
  };

  it('names what it has too little of, from the response or the parent row, and fetches it', async () => {
    const booksOn = (subject: string): readonly object[] =>
      Array.from({ length: 12 }, (_, index) => ({ isbn: `${subject}-${index}`, editions: (index % 4) + 1 }));
    const editionsOf = (isbn: string): readonly object[] =>
      Array.from({ length: (Number(isbn.split('-')[1]) % 4) + 1 }, (_, index) => ({ id: `${isbn}-${index}` }));
    const times = new Map<string, number>();
    await using server = await startServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://library');
      const { subject = '', isbn = '', page = '1' } = Object.fromEntries(searchParams) as { readonly [param: string]: string };
      times.set(url, (times.get(url) ?? 0) + 1);
      const pageOf = (rows: readonly object[], size: number): readonly object[] =>
        rows.slice((Number(page) - 1) * size, Number(page) * size);
      if (pathname === '/books') {
        const all = booksOn(subject);
        const isLost = subject === 'stars' && page === '2' && times.get(url)! <= 2; // it comes late
        response.end(JSON.stringify({ total: all.length, books: isLost ? [] : pageOf(all, 5) }));
      } else {
        const isLost = isbn === 'sea-3' && page === '1' && times.get(url)! <= 2; // it comes late
        response.end(JSON.stringify({ editions: isLost ? [] : pageOf(editionsOf(isbn), 2) }));
      }
    });
    await using client = createClient({ service: library, baseUrl: server.url, apiKey: 'none', rate: 'unlimited' });
    const go = async (failures: boolean): Promise<FlowSummary> =>
      (await lastValueFrom(runFlow(borrowing, { client, outDir: '/library', fileSystem, failures }))) as FlowSummary;
    expect((await go(false)).stages).toMatchObject([
      { short: 1, got: 17, claimed: 24 },
      { short: 1, failed: 0 },
    ]);
    const named = lines('/library/failures.jsonl').map(({ query, short }) => ({ query, short }));
    expect(named.toSorted((one) => ('isbn' in (one.query as Line) ? -1 : 1))).toEqual([
      { query: { isbn: 'sea-3' }, short: { got: 0, claimed: 4 } },
      { query: { subject: 'stars' }, short: { got: 5, claimed: 12 } },
    ]);
    const healed = { short: 0, failed: 0, outcome: 'complete' };
    expect((await go(true)).stages).toMatchObject([{ ...healed, got: 24, claimed: 24 }, healed]);
    const distinct = (file: string): readonly number[] => {
      const written = lines(`/library/${file}`).map((row) => JSON.stringify(row));
      return [written.length, new Set(written).size];
    };
    expect([distinct('books.jsonl'), distinct('editions.jsonl')]).toEqual([
      [24, 24],
      [60, 60],
    ]);
  });
});

describe('a run during an outage', () => {
  it('stays open, and the same command gives the rows of an undisturbed run once the service is back', async () => {
    await using good = await startSandbox();
    await run(good, '/golden');
    const golden = idsOf(lines('/golden/reviews.jsonl'));
    const out = '/out';
    let done = false;
    for (let attempt = 0; !done; attempt++) {
      expect(attempt).toBeLessThan(12);
      // Down, up half-way, down again, and so on; up for good at last.
      const faults: NonNullable<SandboxOptions['faults']> =
        attempt === 0
          ? [{ fault: 'status', status: 503 }]
          : attempt < 4
            ? [{ fault: 'status', status: 502, share: 0.7 }, { fault: 'reset', share: 0.3 }] // prettier-ignore
            : [];
      await faultyRun(faults, async (sandbox) => {
        // While some get through, what fails again and again is a failure on record.
        const { outcome, because, files } = await run(sandbox, out, { failures: attempt > 0 });
        done = outcome !== 'interrupted' && outcome !== 'failed';
        expect(files.every(({ sha256 }) => (sha256 !== undefined) === (outcome !== 'interrupted'))).toBe(true);
        expect(because ?? 'done').toMatch(attempt === 0 ? /^nothing has come/ : /pass|done|failed|first page/);
      });
    }
    expect(idsOf(lines(`${out}/reviews.jsonl`))).toEqual(golden);
    expect(lines(`${out}/failures.jsonl`)).toEqual([]);
  });

  it('stops after a handful when nothing has come, and says why', async () => {
    const many: FlowDefinition = {
      name: 'many',
      stages: { a: { call: 'webSearch', with: { query: Array.from({ length: 50 }, (_, i) => `q${i}`) }, to: 'a.jsonl' } },
    };
    await faultyRun([{ fault: 'status', status: 500 }], async (sandbox) => {
      const { outcome, because, requests } = await run(sandbox, '/many', { concurrency: 1 }, many);
      expect({ outcome, because }).toEqual({
        outcome: 'interrupted',
        because: expect.stringMatching(/^nothing has come, and queries have failed 5 times. The last error: .*HTTP 500/) as string,
      });
      expect(requests).toBeLessThanOrEqual(15);
    });
  });

  it('counts no request that was let go and not sent when it stopped', async () => {
    const many: FlowDefinition = {
      name: 'many',
      stages: { a: { call: 'webSearch', with: { query: Array.from({ length: 50 }, (_, i) => `q${i}`) }, to: 'a.jsonl' } },
    };
    await using sandbox = await startSandbox({ faults: [{ fault: 'status', status: 400 }] });
    const first = await run(sandbox, '/unsent', {}, many);
    expect([first.outcome, first.earlierRequests]).toEqual(['interrupted', undefined]);
    const second = await run(sandbox, '/unsent', {}, many);
    expect(second.earlierRequests).toBe(first.requests);
  });

  const faultyRun = async (faults: NonNullable<SandboxOptions['faults']>, work: (sandbox: Sandbox) => Promise<void>): Promise<void> => {
    await using sandbox = await startSandbox({ faults });
    await work(sandbox);
  };
});

describe('an operation that gives one page', () => {
  const described = {
    get: '/events',
    query: { from: '${from}', to: '${to}' },
    response: { rows: [{ id: 'string', day: 'string' }], total: 'integer' },
    rows: 'rows',
    time: 'day',
    id: 'id',
    most: '9999d',
  } as const;
  const events = defineService({
    name: 'events',
    operations: {
      events: defineOperation({ ...described, name: 'events', total: 'total' }),
      uncounted: defineOperation({ ...described, name: 'uncounted' }),
    },
  });
  const all = ['01', '02', '03'].flatMap((day) =>
    Array.from({ length: day === '02' ? 9 : 3 }, (_, index) => ({ id: `${day}-${index}`, day: `2025-01-${day}` })),
  );
  let runs = 0;
  /** `isUntil`: whether a row of a day lies below the upper bound. */
  const go = async (stage: object, isUntil = (day: string, to: string): boolean => day <= to) => {
    await using server = await startServer(({ url = '' }, response) => {
      const { searchParams } = new URL(url, 'http://events');
      const found = all.filter(({ day }) => day >= searchParams.get('from')! && isUntil(day, searchParams.get('to')!));
      response.end(JSON.stringify({ rows: found.slice(0, 5), total: found.length }));
    });
    await using client = createClient({ service: events, baseUrl: server.url, apiKey: 'none', rate: 'unlimited' });
    const definition = { name: 'events', service: events, stages: { events: { call: 'events', to: 'events.jsonl', ...stage } } };
    const outDir = `/events-${runs++}`;
    const summary = (await lastValueFrom(runFlow(definition as FlowDefinition, { client, outDir, fileSystem }))) as FlowSummary;
    return { summary, said: nextSteps(summary, undefined).map(({ text }) => text), failures: lines(`${outDir}/failures.jsonl`) };
  };

  it('is short where it says that it has more, which asking once more does not bring', async () => {
    const query = { from: '2025-01-01', to: '2025-01-03' };
    const { summary, said, failures } = await go({ with: query });
    expect(summary).toMatchObject({ outcome: 'short', stages: [{ short: 1, got: 5, claimed: 15 }] });
    expect(said).toEqual([
      'events: 1 of 1 query is short: 5 of 15 rows. See failures.jsonl. Asking again brings no more: ask for longer responses, or divide the query.',
    ]);
    expect(failures).toMatchObject([{ query, short: { got: 5, claimed: 15 } }]);
  });

  it('is short by the days that are still full when they are divided no further, and names them', async () => {
    const { summary, failures } = await go({ split: { from: '2025-01-01', to: '2025-01-03', full: 5 } });
    expect(summary).toMatchObject({ outcome: 'short', stages: [{ short: 1, capped: 0, got: 11, claimed: 15 }] });
    expect(failures).toMatchObject([{ query: { from: '2025-01-02', to: '2025-01-02' }, short: { got: 5, claimed: 9 } }]);
  });

  it('is capped where it does not say how many it has, and names the days that are divided no further', async () => {
    const { summary, failures } = await go({ call: 'uncounted', split: { from: '2025-01-01', to: '2025-01-03', full: 5 } });
    expect(summary).toMatchObject({ outcome: 'capped', stages: [{ short: 0, capped: 1 }] });
    expect(failures).toMatchObject([{ query: { from: '2025-01-02', to: '2025-01-02' }, capped: { got: 5 } }]);
  });

  it('is doubtful where it has more rows for a query than for its pieces, as it leaves out their last days', async () => {
    const { summary } = await go({ split: { from: '2025-01-01', to: '2025-01-03', full: 5 } }, (day, to) => day < to);
    expect(summary).toMatchObject({ outcome: 'doubtful', stages: [{ failed: 0, short: 0, capped: 0 }] });
    expect(summary.stages[0]!.doubts).toEqual([
      expect.stringContaining('the queries that were divided have 12 rows, says the service, and their pieces 0'),
    ]);
  });
});
