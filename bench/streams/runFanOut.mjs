// `node streams/runFanOut.mjs fanOut|mergeMap COUNT`: that many ids, all there at once, through eight workers that respond a tick later.
import { asapScheduler, lastValueFrom, mergeMap, of, observeOn, range, count } from 'rxjs';
import { fanOut } from 'trawler/operators';

const [name, amount] = process.argv.slice(2);
const response = (id) => of(id).pipe(observeOn(asapScheduler));
const stage = name === 'fanOut' ? fanOut(response, { concurrency: 8 }) : mergeMap(response, 8);
const before = process.cpuUsage();
const start = performance.now();
const rows = await lastValueFrom(range(0, Number(amount)).pipe(stage, count()));
const cpu = process.cpuUsage(before);
if (rows !== Number(amount)) throw new Error(`${rows} of ${amount} came`);
console.log(
  JSON.stringify({
    rows,
    wallMs: performance.now() - start,
    cpuMs: (cpu.user + cpu.system) / 1000,
    rssMb: process.resourceUsage().maxRSS / 1024,
  }),
);
