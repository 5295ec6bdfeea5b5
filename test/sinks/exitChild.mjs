// `node exitChild.mjs waits|unfinished PATH URL KEY DIST`: a script whose stream waits for itself, and one whose stream never ends.
import { firstValueFrom, from, map, NEVER, of, startWith } from 'rxjs';

const [what, path, baseUrl, apiKey, dist] = process.argv.slice(2);
const { createClient } = await import(`${dist}/bundle/index.js`);
const { fanOut, items, offsetPages } = await import(`${dist}/bundle/operators.js`);
const { toJsonl } = await import(`${dist}/bundle/sinks.js`);
const client = createClient({ baseUrl, apiKey, rate: 'unlimited' });
if (what === 'unfinished') NEVER.pipe(startWith({ id: 1 }), toJsonl(path)).subscribe();
else {
  from([1, 2, 3, 4, 5, 6].map((i) => ({ query: `coffee ${i}`, ll: '@40.74,-73.98,14z' })))
    .pipe(
      offsetPages(client.mapsSearch),
      items(),
      map((place) => ({ place, reviews: firstValueFrom(client.mapsReviews({ data_id: place.data_id })) })),
      fanOut(({ place, reviews }) => from(reviews).pipe(map((page) => ({ id: place.data_id, n: page.items.length })))),
      toJsonl(path),
    )
    .subscribe({ next: ({ rows }) => console.log(rows > 100), complete: () => of(client.close()) });
}
