// What the client does, as it does it: retries, pauses, caps.
import { lastValueFrom, of } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toJsonl } from 'trawler/sinks';

const faults = [
  { fault: 'status', status: 503, nth: 1 },
  { fault: 'status', status: 429, retryAfter: 1, nth: 3 },
];
const sandbox = await startSandbox({ faults });
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, retry: { baseMs: 10 } });

// Narrow by `type`, and an editor knows the rest. Listening sends no request.
client.events$.subscribe((event) => {
  if (event.type === 'response') console.log(`response    ${event.items} rows`);
  if (event.type === 'retry') console.log(`retry     after ${event.error.name} ${event.error.status}`);
  if (event.type === 'throttle') console.log('throttle  the whole client pauses');
  if (event.type === 'capped') console.log(`capped by ${event.limit}; ${JSON.stringify(event.nextCursor)} is where it would continue`);
});

await lastValueFrom(
  of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch, { maxPages: 2 }), items(), toJsonl('places.jsonl')),
);
const { requests, retries, throttled } = client.stats();
console.log({ requests, retries, throttled });

await client.close();
await sandbox.close();

/* prints
retry     after HttpError 503
response    20 rows
throttle  the whole client pauses
retry     after RateLimitError 429
response    20 rows
capped by maxPages; 40 is where it would continue
{ requests: 4, retries: 2, throttled: 1 }
*/
