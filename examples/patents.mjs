// Patents by their numbers: one row each, and one row for each event in their lives.
import { forkJoin, from, map, share } from 'rxjs';
import { createClient } from 'trawler';
import { fanOut, items } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toCsv } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const ids = ['patent/US11734097B1/en', 'patent/EP3457283A1/en', 'patent/JP6789012B2/en'];
// Two files from one stream: shared, so that each patent is requested once.
const pages$ = from(ids).pipe(
  fanOut((patent_id) => client.patentDetails({ patent_id })),
  share(),
);
const events$ = pages$.pipe(items({ rows: 'events', keep: { patent: (page) => page.data.publication_number } }));
const patents$ = pages$.pipe(map(({ data }) => data));

await forkJoin([
  patents$.pipe(toCsv('patents.csv', { columns: ['publication_number', 'title', 'filing_date', 'assignees'] })),
  events$.pipe(toCsv('events.csv')),
]).forEach((reports) => console.log(reports.map(({ path, rows }) => `${path}: ${rows} rows`).join('\n')));
console.log(`${sandbox.count()} requests`);

await client.close();
await sandbox.close();

/* prints
patents.csv: 3 rows
events.csv: 15 rows
3 requests
*/
