// A scholarly search → the profile of every author → who cites each article, year by year.
import { lastValueFrom, of } from 'rxjs';
import { createClient } from 'trawler';
import { authorCitations, authorProfiles, items, offsetPages } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toJsonl } from 'trawler/sinks';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const report = await lastValueFrom(
  of({ query: 'stream processing', as_ylo: '2018' }).pipe(
    offsetPages(client.scholarSearch, { maxPages: 1 }),
    items(),
    authorProfiles(client), // an author of several works is requested once
    items({ keep: { author: (page) => page.data.author.name } }),
    authorCitations(client), // one request an article, so this is where the requests go
    items(),
    toJsonl('citations.jsonl'),
  ),
);
console.log(`${sandbox.count('scholarAuthor') - report.rows} authors, ${report.rows} articles in ${report.path}`);

await client.close();
await sandbox.close();

/* prints
7 authors, 130 articles in citations.jsonl
*/
