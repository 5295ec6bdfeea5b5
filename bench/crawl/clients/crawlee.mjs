// Crawlee's BasicCrawler with fetch, its storage in memory.
import { BasicCrawler, Configuration, log } from '@crawlee/basic';
import { openFile } from '../openFile.mjs';
import { headers } from './shared.mjs';

export default async function crawlee({ url, searches, concurrency, out, format, diskMbPerSecond }) {
  log.setLevel(log.LEVELS.OFF);
  const prefix = `${url}/api/v1/engine`;
  const file = openFile(out, format, diskMbPerSecond);
  let pages = 0;
  let rows = 0;
  const crawler = new BasicCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      async requestHandler({ request, addRequests }) {
        const { data } = await (await fetch(request.url, { headers })).json();
        pages += 1;
        if (request.userData.kind === 'search') {
          await addRequests(
            data.search_results.map((place) => ({
              url: `${prefix}/maps/reviews?data_id=${encodeURIComponent(place.data_id)}`,
              userData: { kind: 'reviews' },
            })),
          );
          return;
        }
        for (const row of data.reviews_results) {
          rows += 1;
          await file.write(row);
        }
        if (data.next_page_token) {
          const next = new URL(request.url);
          next.searchParams.set('next_page_token', data.next_page_token);
          await addRequests([{ url: next.href, userData: { kind: 'reviews' } }]);
        }
      },
    },
    new Configuration({ persistStorage: false, purgeOnStart: false, availableMemoryRatio: 0.5 }),
  );
  const first = [];
  for (let i = 0; i < searches; i += 1) {
    for (let page = 0; page < 100; page += 20)
      first.push({ url: `${prefix}/maps/search?query=coffee%20${i}&page=${page}`, userData: { kind: 'search' } });
  }
  await crawler.run(first);
  await file.close();
  return { pages, rows };
}
