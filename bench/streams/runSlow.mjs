// `node streams/runSlow.mjs trawler|rxjs SECONDS`: 5,000 places and their reviews into a loop body that takes 50 rows a second.
// Counts what waits: places and rows that came and weren't taken, and requests that went out.
import { EMPTY, expand, filter, from, map, mergeMap, tap } from 'rxjs';
import { createClient } from 'trawler';
import { expandCursor, fanOut, items, iterate, offsetPages } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';

const [name, seconds] = process.argv.slice(2);
const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 8, rate: 'unlimited' });
const queries = Array.from({ length: 100 }, (_, i) => ({ query: `coffee ${i}`, ll: '@40.74,-73.98,14z' }));
let places = 0;
let asked = 0;
let rows = 0;
let taken = 0;
const most = { places: 0, rows: 0 };
const seen = () => {
  most.places = Math.max(most.places, places - asked);
  most.rows = Math.max(most.rows, rows - taken);
};
const plain = (source) =>
  source.pipe(
    filter(() => true),
    map((value) => value),
  ); // plain operators in between
const stream =
  name === 'trawler'
    ? from(queries).pipe(
        offsetPages(client.mapsSearch),
        plain,
        items(),
        tap(() => (places += 1)),
        plain,
        fanOut((place) => {
          asked += 1;
          return from([{ data_id: place.data_id }]).pipe(expandCursor(client.mapsReviews));
        }),
        items(),
        tap(() => ((rows += 1), seen())),
      )
    : from(queries).pipe(
        mergeMap(
          (query) =>
            client
              .mapsSearch(query)
              .pipe(
                expand((page) => (page.items.length < 20 ? EMPTY : client.mapsSearch({ ...query, page: (page.query.page ?? 0) + 20 }))),
              ),
          8,
        ),
        plain,
        mergeMap((page) => page.items),
        tap(() => (places += 1)),
        plain,
        mergeMap((place) => {
          asked += 1;
          return client
            .mapsReviews({ data_id: place.data_id })
            .pipe(
              expand((page) =>
                page.data.next_page_token
                  ? client.mapsReviews({ data_id: place.data_id, next_page_token: page.data.next_page_token })
                  : EMPTY,
              ),
            );
        }, 8),
        mergeMap((page) => page.items),
        tap(() => ((rows += 1), seen())),
      );
const end = Date.now() + Number(seconds) * 1000;
let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().heapUsed);
  seen();
}, 50);
const queue = name === 'trawler' ? iterate(stream, { ahead: 100 }) : (await import('./toAsyncIterable.mjs')).toAsyncIterable(stream);
for await (const _ of queue) {
  taken += 1;
  seen();
  if (Date.now() > end) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
clearInterval(watch);
console.log(
  JSON.stringify({
    taken,
    requests: sandbox.requests.length,
    waitingPlaces: most.places,
    waitingRows: most.rows,
    heapMb: peak / 2 ** 20,
    rssMb: process.resourceUsage().maxRSS / 1024,
  }),
);
await client.close();
await sandbox.close();
process.exit(0);
