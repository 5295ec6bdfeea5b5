// Every review of every café of a city, to a CSV file.
import { lastValueFrom, of } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toCsv } from 'trawler/sinks';

// An embedded service, so that this runs without a key. For the real service use `createClient()`, with TRAWLER_BASE_URL and TRAWLER_API_KEY set.
const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const report = await lastValueFrom(
  of({ query: 'café', ll: '@46.95,7.45,14z' }).pipe(
    offsetPages(client.mapsSearch), // to the last page of places
    items(),
    placeReviews(client), // each place once, to the last page of its reviews
    items({ keep: { place: '$.title', rating_of_place: '$.rating' } }),
    toCsv('reviews.csv'),
  ),
);
console.log(`${report.path}: ${report.rows} reviews of ${sandbox.count('mapsSearch')} pages of places`);

await client.close();
await sandbox.close();

/* prints
reviews.csv: 562 reviews of 3 pages of places
*/
