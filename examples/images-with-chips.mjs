// Images, and those of each term that the service suggests (a "chip"), each image once.
import { lastValueFrom, of, startWith } from 'rxjs';
import { createClient } from 'trawler';
import { distinctBy, fanOut, items, offsetPages } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toCsv } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const search = { query: 'lighthouse', imgar: 'w' };
const imagesOf = ({ name, chips }) =>
  of({ ...search, chips }).pipe(
    offsetPages(client.imageSearch, { maxPages: 2, lookahead: 2 }), // both pages side by side
    items({ keep: { chip: () => name } }),
  );

const report = await lastValueFrom(
  client.imageSearch(search).pipe(
    // This list isn't documented, but can be read: a response keeps all its fields.
    items({ rows: 'suggested_searches' }),
    startWith({ name: 'all' }),
    fanOut(imagesOf, { by: 'name' }),
    distinctBy('original'),
    toCsv('images.csv'),
  ),
);
console.log(`${report.path}: ${report.rows} images, from ${sandbox.count()} requests`);

await client.close();
await sandbox.close();

/* prints
images.csv: 200 images, from 11 requests
*/
