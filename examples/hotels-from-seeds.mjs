// Hotels for a list of cities, with the details of the cheapest of each.
import { from, groupBy, lastValueFrom, mergeMap, take } from 'rxjs';
import { createClient } from 'trawler';
import { expandCursor, hotelDetails, items } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toCsv } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const stay = { check_in_date: '2030-05-01', check_out_date: '2030-05-04' };
const seeds = ['Lisbon', 'Oslo', 'Kyoto'].map((query) => ({ query, ...stay, sort_by: '3', currency: 'EUR' }));

const report = await lastValueFrom(
  from(seeds).pipe(
    expandCursor(client.hotelSearch, { maxPages: 1 }),
    items({ keep: { city: 'query' } }), // the advertised hotels; `rows: 'properties'` would read the others
    groupBy(({ city }) => city),
    mergeMap((ofCity$) => ofCity$.pipe(take(2))), // sorted by price, so these are the cheapest
    hotelDetails(client, { with: { ...stay, currency: 'EUR' } }),
    items({ rows: 'ads', keep: { city: '$.city', hotel: '$.title' } }), // the response of one hotel isn't documented, so say where its offers are
    toCsv('offers.csv', { columns: ['city', 'hotel', 'source', 'price', 'free_cancellation'] }),
  ),
);
console.log(`${report.rows} offers for ${sandbox.calls('hotelSearch').filter(({ query }) => query.property_token).length} hotels`);

await client.close();
await sandbox.close();

/* prints
18 offers for 6 hotels
*/
