// trawler as a pipe: searches → places → reviews → file.
import { range, map, lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { toCsv, toJsonl } from 'trawler/sinks';
import { slowFileSystem } from '../slowDisk.mjs';

export default async function pipes({ url, searches, concurrency, out, format, diskMbPerSecond, validate }) {
  const disk = diskMbPerSecond === undefined ? {} : { fileSystem: slowFileSystem(diskMbPerSecond) };
  const client = createClient({ baseUrl: url, apiKey: 'key', concurrency, validate });
  const report = await lastValueFrom(
    range(0, searches).pipe(
      map((i) => ({ query: `coffee ${i}` })),
      offsetPages(client.mapsSearch, { maxPages: 5 }),
      items(),
      placeReviews(client, { concurrency }),
      items(),
      format === 'csv' ? toCsv(out, disk) : toJsonl(out, disk),
    ),
  );
  const { requests } = client.stats();
  await client.close();
  return { pages: requests, rows: report.rows };
}
