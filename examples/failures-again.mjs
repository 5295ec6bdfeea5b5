// What failed goes to a file of its own, and is run again from there.
import { readFile } from 'node:fs/promises';
import { forkJoin, from, map, of } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toJsonl } from 'trawler/sinks';

// A service with a bad day: the reviews of some places can't be found.
const sandbox = await startSandbox({ faults: [{ fault: 'status', status: 404, operation: 'mapsReviews', nth: [3, 7] }] });
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const reviews = placeReviews(client, { maxPages: 1, concurrency: 1, onError: 'skip' });
const places$ = of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), items());

const first$ = places$.pipe(reviews, items(), toJsonl('reviews.jsonl'));
const failed$ = reviews.failures$.pipe(
  map(({ row }) => row),
  toJsonl('failed.jsonl'),
);
// The failures are listened to first; they complete when the stream they come from ends.
await forkJoin([failed$, first$]).forEach(([failed, done]) => console.log(`${done.rows} reviews; ${failed.rows} places failed`));

const failed = (await readFile('failed.jsonl', 'utf8'))
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
await from(failed)
  .pipe(placeReviews(client, { maxPages: 1 }), items(), toJsonl('reviews.jsonl', { append: true }))
  .forEach(({ rows }) => console.log(`${rows} more from these`));

await client.close();
await sandbox.close();

/* prints
156 reviews; 2 places failed
20 more from these
*/
