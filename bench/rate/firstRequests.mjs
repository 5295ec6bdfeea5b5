// How many of its first requests a limit refuses that nobody tells, in virtual time: npm run build && node bench/rate/firstRequests.mjs
import { LearntPace } from '../../dist/src/client/rate/LearntPace.js';
import { table } from '../harness/report.mjs';
import { runClient } from './runClient.mjs';
import { fixedWindow, inFlightLimit, slidingWindow, tokenBucket } from './services.mjs';

const counts = [200, 1000, 5000];

/** Name, service, requests a second. */
const limits = [
  ['5 a second, bucket of 5', () => tokenBucket(5, 5), 5],
  ['20 a second, bucket of 20', () => tokenBucket(20, 20), 20],
  ['20 a second, saves nothing', () => tokenBucket(20, 1), 20],
  ['50 a second, bucket of 50', () => tokenBucket(50, 50), 50],
  ['20 in each second', () => fixedWindow(20, 1000, 0.3), 20],
  ['20 in any second', () => slidingWindow(20, 1000), 20],
  ['100 in each 5 seconds', () => fixedWindow(100, 5000, 0.3), 20],
  ['300 in each minute', () => fixedWindow(300, 60_000, 0.3), 5],
  ['4 in flight', () => inFlightLimit(4, 100), 40],
];

/** Refused of the first so many requests, in per cent: the mean of twelve runs. */
function refusedOf(make, perSecond, retryAfter) {
  const sums = counts.map(() => 0);
  const seeds = Array.from({ length: 12 }, (_, seed) => seed + 1);
  for (const seed of seeds) {
    const service = make();
    let [sent, refused] = [0, 0];
    const counting = {
      ...service,
      allowed: (untilMs) => service.allowed(untilMs),
      ask(arrival) {
        const refusedMs = service.ask(arrival);
        sent++;
        if (refusedMs !== undefined) refused++;
        const at = counts.indexOf(sent);
        if (at >= 0) sums[at] += refused / sent;
        return refusedMs;
      },
    };
    const untilMs = (1500 * counts.at(-1)) / perSecond;
    runClient({ service: counting, pace: new LearntPace(), retryAfter, concurrency: 8, latencyMs: 50, untilMs, seed });
  }
  return sums.map((sum) => ((100 * sum) / seeds.length).toFixed(1)).join(' / ');
}

const rows = limits.map(([name, make, perSecond]) => [name, ...[true, false].map((told) => refusedOf(make, perSecond, told))]);
console.log(table(['limit', '429 with Retry-After', '429 without'], rows));
