// A flow that is stopped midway and resumed. Here its budget stops it. Ctrl-C, a crash or a power cut are no different.
import { lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { defineFlow, runFlow } from 'trawler/flow';
import { startSandbox } from 'trawler/sandbox';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const flow = defineFlow({
  name: 'coffee',
  maxRequests: 20, // of one run: run it every night, and it never costs more a day
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 2, to: 'places.csv' },
    reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, keep: { place: '$.title' }, to: 'reviews.csv' },
  },
});

let summary;
do {
  // The same call each time. What an earlier run left in `outDir` says what is done; no recorded page is requested again.
  summary = await lastValueFrom(runFlow(flow, { client, outDir: 'coffee' }));
  console.log(summary.outcome, 'after', summary.requests, 'requests');
} while (summary.outcome === 'interrupted'); // `capped`: all is done, and `pages` is why there isn't more
for (const { path, rows } of summary.files) console.log(`${path}: ${rows} rows`);

await client.close();
await sandbox.close();

/* prints
interrupted after 20 requests
interrupted after 20 requests
capped after 2 requests
places.csv: 40 rows
reviews.csv: 359 rows
*/
