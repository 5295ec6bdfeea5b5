// RxJS as one would first write it: mergeMap, expand, fetch.
import { EMPTY, expand, from, lastValueFrom, map, mergeMap, range, reduce, tap } from 'rxjs';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { format as csv } from 'fast-csv';
import { slowStream } from '../slowDisk.mjs';
import { flatten } from '../flatten.mjs';
import { headers } from './shared.mjs';

export default async function rxjsFirst({ url, searches, concurrency, out, format, diskMbPerSecond }) {
  const plain = createWriteStream(out);
  const file = diskMbPerSecond === undefined ? plain : slowStream(plain, diskMbPerSecond);
  const sink = format === 'csv' ? csv({ headers: true }) : file;
  if (format === 'csv') sink.pipe(file);
  let pages = 0;
  const get = (path) =>
    from(fetch(`${url}/api/v1/engine${path}`, { headers }).then((response) => response.json())).pipe(tap(() => (pages += 1)));
  const search = (query, page = 0) =>
    get(`/maps/search?query=${encodeURIComponent(query)}&page=${page}`).pipe(map(({ data }) => ({ data, page })));
  const reviews = (id, token) => get(`/maps/reviews?data_id=${encodeURIComponent(id)}${token ? `&next_page_token=${token}` : ''}`);
  const rows = await lastValueFrom(
    range(0, searches).pipe(
      mergeMap((i) => search(`coffee ${i}`).pipe(expand(({ page }) => (page < 80 ? search(`coffee ${i}`, page + 20) : EMPTY)))),
      mergeMap(({ data }) => data.search_results),
      mergeMap(
        (place) =>
          reviews(place.data_id).pipe(expand(({ data }) => (data.next_page_token ? reviews(place.data_id, data.next_page_token) : EMPTY))),
        concurrency,
      ),
      mergeMap(({ data }) => data.reviews_results),
      tap((row) => sink.write(format === 'csv' ? flatten(row) : `${JSON.stringify(row)}\n`)),
      reduce((n) => n + 1, 0),
    ),
  );
  sink.end();
  await finished(file);
  return { pages, rows };
}
