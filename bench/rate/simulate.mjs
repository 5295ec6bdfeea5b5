// What a learnt rate makes of limits it isn't told, in virtual time: npm run build && node bench/rate/simulate.mjs [--minutes 30] [--write]
import { parseArgs } from 'node:util';
import { FixedPace } from '../../dist/src/client/rate/Pace.js';
import { LearntPace } from '../../dist/src/client/rate/LearntPace.js';
import { setting, table, writeSection } from '../harness/report.mjs';
import { runClient } from './runClient.mjs';
import { delayingBucket, fixedWindow, inFlightLimit, leakyNginx, slidingWindow, tokenBucket } from './services.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' }, write: { type: 'boolean' } } });
const minutes = Number(values.minutes);
const untilMs = minutes * 60_000;
const parts = (/** @type {number[]} */ ...rates) => rates.map((rate, i) => /** @type {const} */ ([(i * untilMs) / rates.length, rate]));

/** Name, service, what to tell a client that is told, concurrency, latency. */
const chosenOn = [
  ['bucket 1/s, burst 10', () => tokenBucket(1, 10), [1, 1000], 8, 50],
  ['bucket 5/s, burst 5', () => tokenBucket(5, 5), [5, 1000], 8, 50],
  ['bucket 5/s, burst 50', () => tokenBucket(5, 50), [5, 1000], 1, 5],
  ['bucket 50/s, burst 50', () => tokenBucket(50, 50), [50, 1000], 8, 50],
  ['bucket 50/s, burst 500', () => tokenBucket(50, 500), [50, 1000], 64, 500],
  ['bucket 500/s, burst 500', () => tokenBucket(500, 500), [500, 1000], 64, 50],
  ['bucket 500/s, burst 5000', () => tokenBucket(500, 5000), [500, 1000], 64, 50],
  ['window 300/min', () => fixedWindow(300, 60_000, 0.3), [300, 60_000], 8, 50],
  ['window 10 per 10 s', () => fixedWindow(10, 10_000), [10, 10_000], 8, 5],
  ['sliding 300/min', () => slidingWindow(300, 60_000), [300, 60_000], 8, 50],
  ['sliding 20/s', () => slidingWindow(20, 1000), [20, 1000], 8, 50],
  ['bucket 5/s, halves, doubles', () => tokenBucket(parts(5, 2.5, 5), 5), undefined, 8, 50],
  ['bucket 50/s, halves, doubles', () => tokenBucket(parts(50, 25, 50), 50), undefined, 8, 50],
  ['bucket 50/s, doubles, halves', () => tokenBucket(parts(50, 100, 50), 50), undefined, 64, 50],
  ['bucket 30/s, a third, then double', () => tokenBucket(parts(30, 10, 60), 30), undefined, 16, 60],
  ['bucket 8/s, another every 5 min', () => tokenBucket(parts(8, 4, 12, 6, 3, 9), 16), undefined, 10, 80],
  ['bucket 1/s, no burst', () => tokenBucket(1, 1), [1, 1000], 8, 5],
  ['bucket 5/s, no burst', () => tokenBucket(5, 1), [5, 1000], 8, 5],
  ['bucket 50/s, no burst', () => tokenBucket(50, 1), [50, 1000], 8, 50],
  ['bucket 500/s, no burst', () => tokenBucket(500, 1), [500, 1000], 64, 50],
];
const heldOut = [
  ['bucket 0.5/s, burst 3', () => tokenBucket(0.5, 3), [1, 2000], 4, 120],
  ['bucket 2/s, burst 20', () => tokenBucket(2, 20), [2, 1000], 12, 90],
  ['bucket 12/s, burst 6', () => tokenBucket(12, 6), [12, 1000], 16, 30],
  ['bucket 130/s, burst 40', () => tokenBucket(130, 40), [130, 1000], 24, 70],
  ['window 1000/min', () => fixedWindow(1000, 60_000, 0.8), [1000, 60_000], 10, 150],
  ['window 5000 per 15 min', () => fixedWindow(5000, 900_000), [5000, 900_000], 6, 40],
  ['window 30 per 3 s', () => fixedWindow(30, 3000, 0.5), [30, 3000], 20, 20],
  ['sliding 60/min', () => slidingWindow(60, 60_000), [60, 60_000], 6, 200],
  ['sliding 600 per 10 s', () => slidingWindow(600, 10_000), [600, 10_000], 32, 100],
  ['bucket 20/s, to a quarter, back', () => tokenBucket(parts(20, 5, 20), 40), undefined, 12, 75],
  ['bucket 15/s, another every 6 min', () => tokenBucket(parts(15, 6, 12, 30, 10), 10), undefined, 14, 110],
  ['bucket 200/s, to a twentieth', () => tokenBucket(parts(200, 10), 200), undefined, 32, 90],
];

/** Name, service, concurrency, latency: what the first minute of each comes to. */
const firstMinutes = [
  ['bucket 1/s, burst 10', () => tokenBucket(1, 10), 8, 30],
  ['bucket 5/s, burst 5', () => tokenBucket(5, 5), 8, 30],
  ['bucket 20/s, burst 5', () => tokenBucket(20, 5), 32, 20],
  ['bucket 20/s, burst 20', () => tokenBucket(20, 20), 32, 20],
  ['bucket 20/s, burst 100', () => tokenBucket(20, 100), 16, 20],
  ['bucket 50/s, burst 50', () => tokenBucket(50, 50), 16, 20],
  ['bucket 100/s, burst 50', () => tokenBucket(100, 50), 32, 20],
  ['bucket 500/s, burst 50', () => tokenBucket(500, 50), 32, 20],
  ['bucket 500/s, burst 500', () => tokenBucket(500, 500), 32, 20],
  ['window 20 per 1 s', () => fixedWindow(20, 1000, 0.3), 32, 20],
  ['window 200 per 1 s', () => fixedWindow(200, 1000, 0.3), 32, 20],
  ['window 100 per 5 s', () => fixedWindow(100, 5000), 32, 20],
  ['window 50 per 10 s', () => fixedWindow(50, 10_000, 0.4), 16, 20],
  ['sliding 20/s', () => slidingWindow(20, 1000), 32, 20],
  ['sliding 100 per 5 s', () => slidingWindow(100, 5000), 32, 20],
  ['4 in flight, 100 ms', () => inFlightLimit(4, 100), 8, 2],
  ['4 in flight, 100 ms, of 16', () => inFlightLimit(4, 100), 16, 1],
  ['11 in flight, 80 ms', () => inFlightLimit(11, 80), 24, 5],
  ['20 in flight, 50 ms', () => inFlightLimit(20, 50), 32, 2],
  ['20/s, 10 may wait', () => delayingBucket(20, 10), 32, 5],
  ['bucket 20/s, no burst', () => tokenBucket(20, 1), 8, 3],
  ['nginx 50r/s, burst 20 nodelay', () => leakyNginx(50, 20), 16, 1],
  ['nginx 20r/s, burst 4', () => leakyNginx(20, 4, true), 16, 1],
];

const unlimited = { waitMs: () => 0, started() {}, succeeded() {}, throttled() {} };
const percent = (/** @type {number} */ x) => (100 * x).toFixed(1);

function rowsOf(cases) {
  return cases.map(([name, service, told, concurrency, latencyMs]) => {
    const run = (pace, retryAfter, rest = {}) => {
      const outcome = runClient({ service: service(), pace, retryAfter, concurrency, latencyMs, untilMs, seed: 1, ...rest });
      return `${percent(outcome.share)} / ${percent(outcome.waste)} / ${outcome.lost}`;
    };
    const cells = [true, false].flatMap((retryAfter) => [
      run(new LearntPace(), retryAfter),
      run(unlimited, retryAfter, { pauses: false, holdsSlot: true }),
    ]);
    const oracle = told ? run(new FixedPace({ requests: told[0], perMs: told[1] }), false) : '';
    return [name, `${concurrency} × ${latencyMs} ms`, ...cells, oracle];
  });
}

/** The mean of six seeds: share of the allowed, share refused beyond the first burst. */
function minuteOf(service, concurrency, latencyMs, retryAfter) {
  const outcomes = [1, 2, 3, 4, 5, 6].map((seed) =>
    runClient({ service: service(), pace: new LearntPace(), retryAfter, concurrency, latencyMs, untilMs: 60_000, seed }),
  );
  const mean = (of) => outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / outcomes.length;
  const waste = mean(({ throttled, firstBurst, requests }) => (throttled - firstBurst) / requests);
  return `${percent(mean(({ share }) => share))} / ${percent(waste)}`;
}

function minuteRowsOf(cases) {
  return cases.map(([name, service, concurrency, latencyMs]) => {
    const cells = [true, false].map((retryAfter) => minuteOf(service, concurrency, latencyMs, retryAfter));
    return [name, `${concurrency} × ${latencyMs} ms`, ...cells];
  });
}

const head = ['limit', 'in flight', 'learnt, Retry-After', 'backoff, Retry-After', 'learnt', 'backoff', 'told'];
const text = `${minutes} simulated minutes each, latency varying by a quarter either way: share of the allowed requests that got through, in
per cent / share of the requests answered with 429, in per cent / calls lost after five attempts. _Backoff_ is the same
concurrency with full jitter and no rate; _told_ is \`FixedPace\` with the right limit.

Limits that the defaults were chosen on:

${table(head, rowsOf(chosenOn))}

Limits that they were not:

${table(head, rowsOf(heldOut))}

Where the latency varies by more than the distance between two requests and the service saves nothing up (50 and 500 a
second, no burst), no pace can do well: requests don't arrive as evenly as they are sent.

The first minute alone, mean of six runs. 429s of what was in flight at the first one don't count:

${table(['limit', 'in flight', 'learnt, Retry-After', 'learnt'], minuteRowsOf(firstMinutes))}`;

console.log(text);
if (values.write) writeSection('rate', `${setting('npm run bench:rate')}\n\n${text}`);
