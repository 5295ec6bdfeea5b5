// The news of every topic in the menu, with the articles of a story one by one.
import { count, from, groupBy, mergeMap, of, zip } from 'rxjs';
import { createClient } from 'trawler';
import { fanOut, items, newsTopics } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });

const articles$ = of({ query: 'headlines' }).pipe(
  fanOut((query) => client.newsSearch(query)),
  items({ rows: 'menu_links' }),
  newsTopics(client, { concurrency: 1 }), // one after the other, as in the menu
  items({ keep: { topic: '$.title' } }),
  // A result is an article, or a story that gathers several; the types tell them apart by this very question.
  mergeMap((result) => ('stories' in result ? from(result.stories.map((story) => ({ topic: result.topic, ...story }))) : of(result))),
);
await articles$
  .pipe(
    groupBy(({ topic }) => topic),
    mergeMap((ofTopic$) => zip(of(ofTopic$.key), ofTopic$.pipe(count()))),
  )
  .forEach(([topic, articles]) => console.log(`${topic}: ${articles} articles`));

await client.close();
await sandbox.close();

/* prints
World: 10 articles
Business: 10 articles
Technology: 15 articles
Science & Health: 25 articles
Sport: 9 articles
*/
