import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';

const flow: FlowDefinition = {
  name: 'claims',
  failAbove: 1,
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
  const said = await lastValueFrom(runFlow(definition, { client, outDir, ...options }).pipe(toArray()));
  return { ...(said.at(-1) as FlowSummary), said };
}

interface Line {
  readonly [field: string]: unknown;
}
async function lines(path: string): Promise<readonly Line[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Line); // prettier-ignore
}
const idsOf = (rows: readonly Line[]): readonly string[] => rows.map((row) => String(row['review_id'])).sort();

describe('a walk that ends too early', () => {
  let folder: string;
  let golden: readonly string[];
  let clean: { readonly requests: number; readonly perPlace: ReadonlyMap<string, number> };
  let count = 0;
  const outDir = (): string => join(folder, String((count += 1)));
  const faulty = async (faults: NonNullable<SandboxOptions['faults']>, work: (sandbox: Sandbox) => Promise<void>): Promise<void> => {
    await using sandbox = await startSandbox({ faults });
    await work(sandbox);
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-short-'));
    await faulty([], async (sandbox) => {
      const out = outDir();
      const { requests } = await run(sandbox, out);
      const rows = await lines(join(out, 'reviews.jsonl'));
      golden = idsOf(rows);
      const perPlace = new Map<string, number>();
      for (const row of rows) perPlace.set(String(row['place']), (perPlace.get(String(row['place'])) ?? 0) + 1);
      clean = { requests, perPlace };
    });
  });
  afterAll(() => rm(folder, { recursive: true }));

  const ways = [
    { fault: 'token', as: 'missing' },
    { fault: 'token', as: 'null' },
    { fault: 'token', as: 'empty' },
    { fault: 'emptyPage' },
    { fault: 'fewerRows' },
    { fault: 'fewerRows', keep: 9 },
    { fault: 'repeatedPage' },
  ] as const;
  const cases = ways.flatMap((way) => [0.01, 0.1, 0.5].map((share) => ({ ...way, operation: 'mapsReviews' as const, share })));

  it.each(cases)('is told with its figures, and healed by one more run of the failures: %o', async (fault) => {
    // Where a page lacks one row, the tolerance would hide it.
    const strict = 'keep' in fault;
    const tolerance = strict ? { rows: 0, share: 0 } : { rows: 3, share: 0.05 };
    const definition = { ...flow, stages: { ...flow.stages, reviews: { ...flow.stages['reviews']!, tolerance } } };
    await faulty([fault], async (sandbox) => {
      const out = outDir();
      const first = await run(sandbox, out, {}, definition);
      const rows = await lines(join(out, 'reviews.jsonl'));
      const failures = await lines(join(out, 'failures.jsonl'));
      const shortOnes = failures.filter((line) => 'short' in line);
      const astray = new Set(failures.filter((line) => 'error' in line).map((line) => String((line['query'] as Line)['data_id'])));
      const missing = new Map(clean.perPlace);
      for (const row of rows) missing.set(String(row['place']), missing.get(String(row['place']))! - 1);
      // Every place that lacks more than the tolerance is named, with the right figures, and no other is. There is no
      // tolerance for a walk that ended on a full page.
      const lacking = Array.from(missing).filter(([place, rest]) => {
        const all = clean.perPlace.get(place)!;
        return rest > (strict || (all - rest) % 10 === 0 ? 0 : Math.max(3, all * 0.05)) || astray.has(place);
      });
      // A walk that met a page twice, or three empty pages in a row, has failed, and says its figures too.
      const named = failures.map((line) => {
        const { got, claimed } = (line['short'] ?? line) as { got: number; claimed: number };
        return [String((line['query'] as Line)['data_id']), claimed - got] as const;
      });
      expect(new Map(named)).toEqual(new Map(lacking));
      expect(first.stages[1]).toMatchObject({ short: shortOnes.length, outcome: failures.length > shortOnes.length ? 'failed' : lacking.length > 0 ? 'short' : 'complete' }); // prettier-ignore
      expect(first.said.filter(({ type }) => type === 'short')).toHaveLength(shortOnes.length);
      if (failures.length === 0) return;

      await run(sandbox, out, { failures: true }, definition);
      const healed = idsOf(await lines(join(out, 'reviews.jsonl')));
      expect(new Set(healed).size).toBe(healed.length);
      expect(healed.length).toBeGreaterThanOrEqual(golden.length * 0.99);
    });
  });

  it.each(ways)('is healed wherever in the walk it meets %o', async (way) => {
    const [place, all] = Array.from(clean.perPlace).toSorted(([, a], [, b]) => b - a)[0]!;
    const one: FlowDefinition = {
      name: 'one',
      stages: {
        reviews: { call: 'mapsReviews', with: { data_id: place }, pages: 'all', tolerance: { rows: 0, share: 0 }, to: 'reviews.jsonl' },
      },
    };
    const pages = Math.ceil(all / 10);
    expect(pages).toBeGreaterThan(3);
    for (let nth = 1; nth <= pages; nth++) {
      await faulty([{ ...way, operation: 'mapsReviews', nth }], async (sandbox) => {
        const out = outDir();
        const { stages } = await run(sandbox, out, {}, one);
        const rows = idsOf(await lines(join(out, 'reviews.jsonl')));
        const [failure] = await lines(join(out, 'failures.jsonl'));
        const { got = all, claimed = all } = (failure?.['short'] ?? failure ?? {}) as { readonly got?: number; readonly claimed?: number };
        // It is either whole, or on record with the figures.
        expect({ nth, got, claimed, rows: new Set(rows).size }).toEqual({ nth, got: rows.length, claimed: all, rows: rows.length });
        expect(stages[0]!.short + stages[0]!.failed).toBe(rows.length === all ? 0 : 1);
        if (rows.length < all) await run(sandbox, out, { failures: true }, one);
        const healed = idsOf(await lines(join(out, 'reviews.jsonl')));
        expect([healed.length, new Set(healed).size]).toEqual([all, all]);
      });
    }
  });

  const seeds = process.env['TRAWLER_LONG'] === '1' ? 200 : 20;
  it(`costs nothing where nothing is wrong, in ${seeds} worlds`, { timeout: 120_000 }, async () => {
    for (let seed = 0; seed < seeds; seed++) {
      await using sandbox = await startSandbox({ seed: `clean ${seed}` });
      const out = outDir();
      const { outcome, stages, requests, said } = await run(sandbox, out);
      expect({ seed, outcome, short: said.filter(({ type }) => type === 'short') }).toEqual({ seed, outcome: expect.stringMatching(/^(complete|capped)$/) as string, short: [] }); // prettier-ignore
      expect(stages[1]).toMatchObject({ outcome: 'complete', short: 0, nearly: 0 });
      expect(stages[1]!.got).toBe(stages[1]!.claimed);
      const walks = (await lines(join(out, 'places.jsonl'))).map(({ reviews }) => Math.max(1, Math.ceil(Number(reviews) / 10)));
      expect({ seed, requests }).toEqual({ seed, requests: walks.reduce((sum, pages) => sum + pages, 1) });
    }
  });

  it('is left alone once no more rows came in any order', async () => {
    // One place of which every page but the first is empty, and its token gone: its claim can't be met.
    await using probe = await startSandbox();
    await run(probe, join(folder, 'probe'));
    const places = await lines(join(folder, 'probe', 'places.jsonl'));
    const [place] = Array.from(clean.perPlace).find(([, rows]) => rows > 20)!;
    expect(places.some((row) => row['data_id'] === place)).toBe(true);
    await faulty([{ fault: 'token', as: 'null', operation: 'mapsReviews', query: { data_id: place } }], async (sandbox) => {
      const out = outDir();
      expect(await run(sandbox, out)).toMatchObject({ outcome: 'short' });
      const second = await run(sandbox, out, { failures: true }); // other orders bring other first pages
      expect(second.stages[1]).toMatchObject({ short: 1 });
      const third = await run(sandbox, out, { failures: true });
      const [line] = await lines(join(out, 'failures.jsonl'));
      expect(line).toMatchObject({ short: { final: 'it was walked again in every order, and no more rows came' } });
      const fourth = await run(sandbox, out, { failures: true });
      expect({ third: third.requests > 0, fourth: fourth.requests }).toEqual({ third: true, fourth: 0 });
    });
  });
});

describe('a run during an outage', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-outage-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('stays open, and the same command gives the rows of an undisturbed run once the service is back', async () => {
    await using good = await startSandbox();
    await run(good, join(folder, 'golden'));
    const golden = idsOf(await lines(join(folder, 'golden', 'reviews.jsonl')));
    const out = join(folder, 'out');
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
        const { outcome, because, files } = await run(sandbox, out);
        done = outcome !== 'interrupted';
        expect(files.every(({ sha256 }) => (sha256 !== undefined) === done)).toBe(true);
        expect(because ?? 'done').toMatch(
          attempt === 0 ? /^1 query failed for a reason that may pass/ : /pass|done|have failed|first page/,
        );
      });
    }
    expect(idsOf(await lines(join(out, 'reviews.jsonl')))).toEqual(golden);
    expect(await lines(join(out, 'failures.jsonl'))).toEqual([]);
  });

  it('stops after a handful when nothing has come and all failures are of one kind, and says which', async () => {
    const many: FlowDefinition = {
      name: 'many',
      stages: { a: { call: 'webSearch', with: { query: Array.from({ length: 50 }, (_, i) => `q${i}`) }, to: 'a.jsonl' } },
    };
    await faultyRun([{ fault: 'status', status: 500 }], async (sandbox) => {
      const { outcome, because, requests } = await run(sandbox, join(folder, 'many'), { concurrency: 1 }, many);
      expect({ outcome, because }).toEqual({
        outcome: 'interrupted',
        because: expect.stringMatching(/^nothing has come, and the first 5 queries all failed with HttpError 500: /) as string,
      });
      expect(requests).toBeLessThanOrEqual(15);
    });
  });

  const faultyRun = async (faults: NonNullable<SandboxOptions['faults']>, work: (sandbox: Sandbox) => Promise<void>): Promise<void> => {
    await using sandbox = await startSandbox({ faults });
    await work(sandbox);
  };
});
