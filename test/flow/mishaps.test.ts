import { parse } from 'csv-parse/sync';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../../src/index.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { MemoryDisk, MemoryFileSystem } from '../../src/testing/index.ts';
import { moodCount } from '../../src/testing/MemoryDisk.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { fakeClient, type Asked } from './fakeClient.ts';
import { anyDay, foundTown, serve, type Place, type Review } from './town.ts';

const towns = ofTheDay(
  Array.from({ length: 1000 }, (_, nth) => 1 + nth),
  3,
);
const size = 10;

type Mishap = 'none' | 'error' | 'token' | 'empty' | 'cut' | 'repeated';
interface Reviews {
  readonly reviews_results: readonly Review[];
}

/** A service of a town in which a share of the requests has a mishap. Only reviews say how many there are, so places only fail. */
function clumsy(town: readonly Place[], mishap: () => Mishap): (asked: Asked) => unknown {
  const answer = serve(town);
  return (asked) => {
    const { operation, query } = asked;
    const what = mishap();
    const isClosed = operation === 'mapsReviews' && !town.some(({ data_id }) => data_id === query['data_id']);
    if (what === 'error' || isClosed) throw new HttpError(`${operation}: status 404`, { operation, query, status: 404, attempts: 1 });
    if (operation === 'mapsSearch') return answer(asked);
    const data = answer(asked) as Reviews;
    const rows = data.reviews_results;
    const at = Number(query['next_page_token'] ?? 0);
    if (what === 'token') return { reviews_results: rows };
    if (what === 'empty') return { ...data, reviews_results: [] };
    if (what === 'cut') return { ...data, reviews_results: rows.slice(0, rows.length / 2) };
    if (what !== 'repeated' || at === 0) return data;
    return { ...data, ...(answer({ operation, query: { ...query, next_page_token: at - size } }) as Reviews), next_page_token: (data as { next_page_token?: string }).next_page_token }; // prettier-ignore
  };
}

const flowOf = (since: boolean, gone: 'keep' | 'drop'): FlowDefinition => ({
  name: 'town',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'x', ll: '@40.74,-73.98,14z' }, pages: 'all', by: 'data_id', gone, to: 'places.jsonl' },
    reviews: {
      call: 'placeReviews',
      each: 'places',
      pages: 'all',
      keep: { place: '$.data_id' },
      tolerance: { rows: 0, share: 0 },
      ...(since ? { since: { lookback: '7d' } } : {}),
      gone,
      to: ['reviews.jsonl', 'reviews.csv'],
    },
  },
});

/** What is wrong with the files after a run: nothing, if it is as the run says. */
function wrongIn(disk: MemoryDisk, summary: FlowSummary, days: readonly (readonly Place[])[]): string[] {
  const idsOf = (town: readonly Place[]): string[] => town.flatMap(({ reviews }) => reviews.map(({ review_id }) => review_id));
  const textOf = (file: string): string => disk.read(`/data/out/${file}`)?.toString() ?? '';
  const ids = textOf('reviews.jsonl').split('\n').slice(0, -1).map((line) => (JSON.parse(line) as Review).review_id); // prettier-ignore
  const inCsv = (parse(textOf('reviews.csv'), { columns: true }) as Review[]).map(({ review_id }) => review_id);
  const known = new Set(days.flatMap(idsOf));
  const isSaid = summary.stages.some(({ suspect = 0 }) => suspect > 0) || (summary.changes ?? []).some(({ unfound }) => unfound > 0);
  const there = new Set(ids);
  const missing = summary.outcome === 'complete' && !isSaid ? idsOf(days.at(-1)!).filter((id) => !there.has(id)) : [];
  return [
    ...(isSaid || there.size === ids.length ? [] : ['rows are there twice']),
    ...(ids.every((id) => known.has(id)) ? [] : ['rows that never were']),
    ...(String(inCsv.sort()) === String(ids.sort()) ? [] : ['other rows in the CSV file']),
    ...(missing.length === 0 ? [] : [`complete without ${missing.slice(0, 3).join(', ')}`]),
  ];
}

/** A few days of a town, each crawled until a run comes to its end, and at last without mishaps. Returns what went wrong. */
async function crawlDays(seed: number): Promise<string[]> {
  const random = seeded(seed);
  const oneOf = <T>(...all: T[]): T => all[Math.floor(random() * all.length)]!;
  const flow = flowOf(random() < 0.7, oneOf('keep', 'drop'));
  const [mishaps, cuts] = [oneOf(0, 0.05, 0.2, 0.4), oneOf(0, 0.5)];
  const mishap = (): Mishap => (random() < mishaps ? oneOf<Mishap>('error', 'token', 'empty', 'cut', 'repeated') : 'none');
  const days: (readonly Place[])[] = [foundTown(24).slice(Math.floor(random() * 16))];
  const wrong: string[] = [];
  let disk = new MemoryDisk();
  const run = async (next: () => Mishap, cut: boolean): Promise<FlowSummary | undefined> => {
    const now = disk.copy();
    const options = { update: true, ...(random() < 0.3 ? { maxRequests: 1 + Math.floor(random() * 20) } : {}) };
    const client = fakeClient(clumsy(days.at(-1)!, next));
    const run$ = runFlow(flow, {
      client,
      outDir: '/data/out',
      fileSystem: new MemoryFileSystem(now),
      concurrency: 3,
      commitMs: 0,
      ...options,
    });
    const summary = (await lastValueFrom(run$)) as FlowSummary;
    disk = cut ? now.powerCut(random, { until: Math.floor(random() * now.log.length), mood: oneOf(...Array(moodCount).keys()) }) : now; // prettier-ignore
    if (cut) return undefined;
    if (summary.outcome !== 'interrupted') wrong.push(...wrongIn(now, summary, days).map((what) => `day ${days.length}: ${what}`));
    return summary;
  };
  for (let day = 0, end = oneOf(1, 2, 3, 4); day < end; day++) {
    if (day > 0) days.push(anyDay(days.at(-1)!, day));
    let summary: FlowSummary | undefined;
    while (summary === undefined || summary.outcome === 'interrupted') summary = await run(mishap, random() < cuts);
  }
  for (let run_ = 0, ended = 0; ended < 3 && run_ < 60; run_++) {
    const summary = await run(() => 'none', false);
    if (summary!.outcome !== 'interrupted') ended += 1;
    if (ended === 3 && summary!.outcome !== 'complete') wrong.push(`at last: ${summary!.outcome}: ${summary!.because}`);
  }
  return wrong;
}

describe('a flow that is brought up to date day after day, by a service whose pages come wrong, on a disk that loses its power', () => {
  it(`gives no row twice and none that never was, and lacks none without a word: ${towns.length} towns`, async () => {
    const wrong: string[] = [];
    for (const seed of towns) wrong.push(...(await crawlDays(seed)).map((what) => `town ${seed}, ${what}`));
    expect(wrong).toEqual([]);
  });
});
