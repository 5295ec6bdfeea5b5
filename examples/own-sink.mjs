// Rows into a database, with demand: while inserts are slow, no further page is requested.
import { bufferCount, of } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'trawler';
import { items, iterate, offsetPages, placeReviews } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';

/** Stands for your database: an insert takes a while, and replaces what has the same id. */
class Table extends Map {
  async insert(rows) {
    await sleep(5);
    for (const row of rows) this.set(row.review_id, row);
  }
}

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
const table = new Table();

const reviews$ = of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(
  offsetPages(client.mapsSearch),
  items(),
  placeReviews(client),
  items(),
);

// The loop is the sink. Its body holds the requests above it; leaving it ends them.
for await (const batch of iterate(reviews$.pipe(bufferCount(50)))) {
  await table.insert(batch);
  if (table.size >= 300) break;
}
// Every review of these places would be 202 requests.
console.log(table.size, 'reviews in the table;', sandbox.count() < 60 ? 'most pages were never requested' : 'too many were requested');

await client.close();
await sandbox.close();

/* prints
300 reviews in the table; most pages were never requested
*/
