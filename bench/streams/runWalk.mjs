// `node streams/runWalk.mjs expandCursor|expand COUNT`: one walk of that many pages, which respond at once (cached) or a tick later.
import { asapScheduler, EMPTY, expand, lastValueFrom, map, observeOn, of, reduce } from 'rxjs';
import { expandCursor } from 'trawler/operators';

const [name, amount, when] = process.argv.slice(2);
const last = Number(amount);
let requests = 0;
const factory = Object.assign(
  (query) => {
    requests += 1;
    const n = Number(query.token ?? 0) + 1;
    const page = of({ operation: 'walk', query, data: n < last ? { token: String(n) } : {}, items: [{ n }] });
    return when === 'sync' ? page : page.pipe(observeOn(asapScheduler));
  },
  { paging: { kind: 'cursor', param: 'token', at: ['token'] } },
);
const walk =
  name === 'expandCursor'
    ? of({}).pipe(expandCursor(factory))
    : factory({}).pipe(expand((page) => (page.data.token ? factory({ token: page.data.token }) : EMPTY)));
const before = process.cpuUsage();
const start = performance.now();
const pages = await lastValueFrom(
  walk.pipe(
    map(() => 1),
    reduce((a, b) => a + b, 0),
  ),
);
const cpu = process.cpuUsage(before);
console.log(
  JSON.stringify({
    pages,
    requests,
    complete: pages === last,
    wallMs: performance.now() - start,
    cpuMs: (cpu.user + cpu.system) / 1000,
    rssMb: process.resourceUsage().maxRSS / 1024,
  }),
);
