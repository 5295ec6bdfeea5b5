// Questions to the result, in SQL: DuckDB reads the files as they are.
import { DuckDBInstance } from '@duckdb/node-api';
import { lastValueFrom, of } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toJsonl } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

await lastValueFrom(
  of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(
    offsetPages(client.mapsSearch, { maxPages: 2 }),
    items(),
    placeReviews(client),
    items({ keep: { place: '$.title' } }),
    toJsonl('reviews.jsonl'),
  ),
);
const database = await (await DuckDBInstance.create()).connect();
const best = await database.runAndReadAll(`
  select place, count(*)::int as reviews, round(avg(rating), 2) as stars
  from 'reviews.jsonl' group by place having reviews >= 10 order by stars desc, place limit 3`);
console.table(best.getRowObjectsJS());

database.closeSync();
await client.close();
await sandbox.close();

/* prints
┌─────────┬───────────────────────┬─────────┬───────┐
│ (index) │ place                 │ reviews │ stars │
├─────────┼───────────────────────┼─────────┼───────┤
│ 0       │ 'Often Park'          │ 13      │ 4.38  │
│ 1       │ 'Cake Espresso Bar'   │ 28      │ 4     │
│ 2       │ 'Return Espresso Bar' │ 21      │ 3.95  │
└─────────┴───────────────────────┴─────────┴───────┘
*/
