// Tests of your own code against a service that misbehaves to order. In `node:test`, Vitest or Jest they look just the same.
import assert from 'node:assert/strict';
import { count, lastValueFrom, of } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';

/** The code under test. */
function countReviews(client) {
  const places$ = of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), items());
  return lastValueFrom(places$.pipe(placeReviews(client, { onError: 'skip' }), items(), count()));
}

/** One test, with a service and a client of its own, so that nothing is left of the one before. */
async function it(fact, faults, test) {
  const sandbox = await startSandbox({ faults });
  // The retries of production, only without the waiting.
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, retry: { baseMs: 1 } });
  await test(() => countReviews(client), sandbox).finally(() => Promise.all([client.close(), sandbox.close()]));
  console.log('ok:', fact);
}

const all = 532; // the sandbox gives the same responses every time
const broken = { fault: 'reset', at: 'body', nth: [2, 5, 8] };
const gone = { fault: 'status', status: 404, operation: 'mapsReviews', nth: 1 };
const refused = { fault: 'status', status: 401 };
await it('counts the reviews', [], async (run) => assert.equal(await run(), all));
await it('loses none to broken connections', [broken], async (run, sandbox) => {
  assert.equal(await run(), all);
  assert.equal(sandbox.requests.filter(({ fault }) => fault === 'reset').length, 3);
});
await it('continues without a place that is gone', [gone], async (run) => assert((await run()) < all));
await it('stops at a key that is refused', [refused], (run) => assert.rejects(run, { name: 'AuthError' }));

/* prints
ok: counts the reviews
ok: loses none to broken connections
ok: continues without a place that is gone
ok: stops at a key that is refused
*/
