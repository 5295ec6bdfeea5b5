// Web searches with the AI overview of each, requested before its address expires.
import { from, tap } from 'rxjs';
import { createClient } from 'trawler';
import { aiOverviews, items, offsetPages } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';

const sandbox = await startSandbox();
const client = createClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  retry: { codes: { 410: 'final' } }, // the address was too old: the same address won't work again
});

let sentences = 0;
await from(['why is the sky blue', 'how do tides work', 'what is a solstice'].map((query) => ({ query })))
  .pipe(
    offsetPages(client.webSearch, { maxPages: 1, concurrency: 1 }),
    // An address lives for two minutes, so these requests go before all others, however many searches wait.
    aiOverviews(client),
    tap(({ parent }) => console.log(parent.query.query)),
    items({ rows: 'ai_overview.text_blocks' }),
  )
  .forEach((block) => (sentences += 'snippet' in block ? 1 : block.list.length));
console.log(`${sentences} sentences and list entries`);

await client.close();
await sandbox.close();

/* prints
why is the sky blue
what is a solstice
9 sentences and list entries
*/
