// trawler as a pipe: searches → places → reviews → file.
import { range, map, lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { toCsv, toJsonl } from 'trawler/sinks';

export default async function pipes({ url, searches, concurrency, out, format }) {
  const client = createClient({ baseUrl: url, apiKey: 'key', concurrency });
  const report = await lastValueFrom(
    range(0, searches).pipe(
      map((i) => ({ query: `coffee ${i}` })),
      offsetPages(client.mapsSearch, { maxPages: 5 }),
      items(),
      placeReviews(client, { concurrency }),
      items(),
      format === 'csv' ? toCsv(out) : toJsonl(out),
    ),
  );
  const { requests } = client.stats();
  await client.close();
  return { pages: requests, rows: report.rows };
}
