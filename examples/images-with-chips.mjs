// Images, and those behind each suggested term ("chip"), without the ones that came already.
import { from, lastValueFrom, mergeMap, of, take } from 'rxjs';
import { createClient } from 'trawler';
import { distinctBy, fanOut, items, offsetPages } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toCsv } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const query = { query: 'lighthouse', imgar: 'w' };
const withChips$ = of(query).pipe(
  fanOut((plain) => client.imageSearch(plain)),
  // `suggested_searches` isn't documented; whatever an answer holds beyond the documented fields is kept all the same.
  mergeMap(({ data }) => from(data.suggested_searches)),
  mergeMap(({ chips }) => of(query, { ...query, chips })),
  distinctBy(({ chips }) => chips ?? 'none'),
);
const report = await lastValueFrom(
  withChips$.pipe(
    offsetPages(client.imageSearch, { maxPages: 2, lookahead: 2 }), // both pages of a term side by side
    items({ keep: { chip: 'chips' } }),
    distinctBy('original'),
    take(120),
    toCsv('images.csv', { columns: ['title', 'original', 'original_width', 'original_height', 'source'] }),
  ),
);
console.log(
  `${report.path}: ${report.rows} images from ${new Set(sandbox.calls('imageSearch').map((call) => call.query.chips)).size} searches`,
);

await client.close();
await sandbox.close();

/* prints
images.csv: 120 images from 5 searches
*/
