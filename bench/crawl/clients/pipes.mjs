// trawler as a pipe: searches → places → reviews → file.
import { range, map, lastValueFrom } from 'rxjs';
import { join } from 'node:path';
import { createClient } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { openStore } from 'trawler/store';
import { toCsv, toJsonl } from 'trawler/sinks';
import { slowFileSystem } from '../slowDisk.mjs';

export default async function pipes({ url, searches, concurrency, out, format, diskMbPerSecond, validate, store, folder, dispatcher }) {
  const disk = diskMbPerSecond === undefined ? {} : { fileSystem: slowFileSystem(diskMbPerSecond) };
  const responses = store === undefined ? undefined : openStore(store.folder ?? join(folder, 'responses'), { mode: store.mode });
  const client = createClient({
    baseUrl: url,
    apiKey: 'bench-key-7b1c0c0e57a54c3c9a550f6f',
    concurrency,
    validate,
    store: responses,
    dispatcher,
  });
  const report = await lastValueFrom(
    range(0, searches).pipe(
      map((i) => ({ query: `coffee ${i}`, ll: '@40.74,-73.98,14z' })),
      offsetPages(client.mapsSearch, { maxPages: 5 }),
      items(),
      placeReviews(client, { concurrency: 2 * concurrency }),
      items(),
      format === 'csv' ? toCsv(out, disk) : toJsonl(out, disk),
    ),
  );
  const { requests, hits } = client.stats();
  await client.close();
  await responses?.close();
  return { pages: requests + hits, rows: report.rows };
}
