// Crawls places with 100 reviews each, or brings the folder up to date on the next day, on which one row in a hundred has
// changed. `node update/runUpdate.mjs ROWS since|full crawl|update FOLDER [DIST] [SENTENCES]`; prints one line of JSON.
import { lastValueFrom, Observable, Subject } from 'rxjs';

const [rows, kind, what, outDir, dist = new URL('../../dist', import.meta.url).pathname, sentences = 6] = process.argv.slice(2);
const { runFlow } = await import(`${dist}/src/flow/index.js`);
const places = Number(rows) / 100;
const day = what === 'update' ? 1 : 0;
const filler = 'a review of some length, as people write them '.repeat(Number(sentences));

/** Newest first. On the next day one place in ten has nine new reviews, and one that was edited. */
function reviewsOf(place, from, to) {
  const isBusy = day === 1 && place % 10 === 0;
  const all = isBusy ? 109 : 100;
  const indexes = Array.from({ length: Math.min(all, to) - from }, (_, i) => all - 1 - from - i);
  return { all, items: indexes.map((index) => review(place, index, isBusy && index === 99 ? 'edited' : '')) };
}

function review(place, index, edit) {
  const iso_date = new Date(Date.UTC(2026, 0, 1) + index * 86_400_000).toISOString();
  return { review_id: `p${place}-${index}`, rating: 1 + (index % 5), iso_date, snippet: edit + filler, user: { name: `user ${index}` } };
}

let requests = 0;
function dataOf(operation, query) {
  if (operation === 'mapsSearch') {
    const from = query.page ?? 0;
    const ids = Array.from({ length: Math.max(0, Math.min(20, places - from)) }, (_, i) => from + i);
    const search_results = ids.map((id) => ({ data_id: `p${id}`, reviews: 100 + (day === 1 && id % 10 === 0 ? 9 : 0) }));
    return { data: { search_results }, items: search_results, list: 'search_results' };
  }
  const from = Number(query.next_page_token ?? 0);
  const { all, items } = reviewsOf(Number(query.data_id.slice(1)), from, from + 20);
  const next = from + 20 < all ? { next_page_token: String(from + 20) } : {};
  return { data: { reviews_results: items, ...next }, items, list: 'reviews_results' };
}

const factory = (operation) => (query) =>
  new Observable((subscriber) => {
    const reply = setImmediate(() => {
      requests += 1;
      subscriber.next({ operation, query, ...dataOf(operation, query) });
      subscriber.complete();
    });
    return () => clearImmediate(reply);
  });
const stats = () => ({ inFlight: 0, waiting: 0, requests, hits: 0, answers: requests, retries: 0, throttled: 0, failedAttempts: [], failures: 0, pausedMs: 0, budgetLeft: Infinity }); // prettier-ignore
const client = { mapsSearch: factory('mapsSearch'), mapsReviews: factory('mapsReviews'), stats, events$: new Subject() };

const flow = {
  name: 'bench',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'x', ll: '@40.74,-73.98,14z' }, pages: 'all', by: 'data_id', to: 'places.jsonl' },
    reviews: {
      call: 'placeReviews',
      each: 'places',
      with: { results: 20 },
      pages: 'all',
      keep: { place: '$.data_id' },
      by: 'review_id',
      ...(kind === 'since' ? { since: { lookback: '3d' } } : {}),
      to: 'reviews.jsonl',
    },
  },
};
const started = performance.now();
const summary = await lastValueFrom(runFlow(flow, { client, outDir, update: what === 'update' }));
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const [, changes] = summary.changes ?? [];
console.log(
  JSON.stringify({
    outcome: summary.outcome,
    rows: summary.stages[1].rows,
    requests,
    changes,
    peakMb: Math.round(maxRSS / 1024),
    cpuS: (userCPUTime + systemCPUTime) / 1e6,
    wallS: (performance.now() - started) / 1000,
  }),
);
