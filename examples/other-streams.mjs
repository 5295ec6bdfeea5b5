// Each place's rating from a service without a trawler client: three operators limit and retry the requests.
import { createServer } from 'node:http';
import { defer, lastValueFrom, of, toArray } from 'rxjs';
import { createClient } from 'trawler';
import { backoff, fanOut, items, limitConcurrency, limitRate, offsetPages } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';

const seen = { requests: 0, open: 0, mostAtOnce: 0 };
const ratings = createServer((_, response) => {
  seen.mostAtOnce = Math.max(seen.mostAtOnce, ++seen.open);
  setTimeout(() => (seen.open--, response.writeHead(++seen.requests % 7 === 0 ? 503 : 200).end('4.5')), 10);
});
await new Promise((done) => ratings.listen(0, '127.0.0.1', done));

// Made once, outside of the stream: all lookups share these limits.
const twoAtOnce = limitConcurrency(2);
const tenInASecond = limitRate({ requests: 10, perMs: 1000 });
const lookUp = async ({ title }) => {
  const response = await fetch(`http://127.0.0.1:${ratings.address().port}/?place=${encodeURIComponent(title)}`);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return { title, rating: Number(await response.text()) };
};
// `backoff` comes last: a retry waits for its turn like any other lookup, and holds no slot while it waits.
const ratingOf = (place) => defer(() => lookUp(place)).pipe(tenInASecond, twoAtOnce, backoff({ maxAttempts: 3, baseMs: 50 }));

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
const places$ = of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), items());
const rated = await lastValueFrom(places$.pipe(fanOut(ratingOf), toArray()));
console.log(`${rated.length} ratings, ${seen.requests} requests, ${seen.mostAtOnce} at once`);
await Promise.all([client.close(), sandbox.close(), new Promise((done) => (ratings.close(done), ratings.closeAllConnections()))]);

/* prints
20 ratings, 23 requests, 2 at once
*/
