// A price watch: the cheapest seller of each product, round after round; a line for the first price and for each other one.
import { concatMap, distinctUntilChanged, firstValueFrom, from, groupBy, map, mergeMap, of, range, reduce } from 'rxjs';
import { createClient } from 'trawler';
import { fanOut, items, offsetPages } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const found = await firstValueFrom(client.webSearch({ query: 'green tea' }));
const products = found.data.immersive_products; // their tokens open products
const priceOf = ({ total_price }) => Number(total_price.replace(/[^\d.]/g, ''));

const cheapest = ({ title, page_token }) =>
  of({ page_token }).pipe(
    offsetPages(client.immersiveProduct), // every seller, not only the first few
    items(),
    reduce((best, store) => (priceOf(store) < priceOf(best) ? store : best)),
    map((store) => ({ title, price: priceOf(store), seller: store.name })),
  );

// `timer(0, 86_400_000)` would begin a round every day. With concatMap a round is over before the next one begins.
// (The sandbox's prices never change, so three rounds print each product once.)
const rounds$ = range(1, 3).pipe(concatMap(() => from(products).pipe(fanOut(cheapest, { concurrency: 1 }))));
const changes$ = rounds$.pipe(
  groupBy(({ title }) => title),
  mergeMap((ofProduct$) => ofProduct$.pipe(distinctUntilChanged((before, now) => before.price === now.price))),
);
await changes$.forEach(({ title, price, seller }) => console.log(`${title} $${price} at ${seller}`));

await client.close();
await sandbox.close();

/* prints
Music modern signal. $943.35 at Staff Store
Sample simple. $313.87 at River Outlet
*/
