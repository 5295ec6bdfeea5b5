// Prints what a learnt rate makes of limits it isn't told, in virtual time. `npm run build && node bench/rate/simulate.mjs`
import { FixedPace } from '../../dist/src/client/rate/FixedPace.js';
import { LearntPace } from '../../dist/src/client/rate/LearntPace.js';
import { runClient } from './runClient.mjs';
import { fixedWindow, slidingWindow, tokenBucket } from './services.mjs';

const minutes = Number(process.argv[2] ?? 30);
const untilMs = minutes * 60_000;

/** @type {[name: string, service: () => import('./services.mjs').Service, told: [number, number], concurrency: number, latencyMs: number][]} */
const known = [];
for (const rate of [1, 5, 50, 500]) {
  for (const burst of rate === 1 ? [1, 10] : [1, rate, 10 * rate]) {
    known.push([`bucket ${rate}/s, burst ${burst}`, () => tokenBucket(rate, burst), [rate, 1000], rate === 500 ? 64 : 8, 50]);
  }
}
known.push(['window 300/min', () => fixedWindow(300, 60_000, 0.3), [300, 60_000], 8, 50]);
known.push(['sliding 300/min', () => slidingWindow(300, 60_000), [300, 60_000], 8, 50]);
known.push(['sliding 20/s', () => slidingWindow(20, 1000), [20, 1000], 8, 50]);
for (const rate of [5, 50]) {
  const third = untilMs / 3;
  const steps = /** @type {const} */ ([
    [0, rate],
    [third, rate / 2],
    [2 * third, rate],
  ]);
  known.push([`bucket ${rate}/s, halves, doubles`, () => tokenBucket(steps, rate), [rate / 2, 1000], 8, 50]);
}

/** Not looked at while the defaults were chosen. */
const heldOut = known.slice(0, 0);
const percent = (/** @type {number} */ x) => (100 * x).toFixed(1).padStart(5);
const unlimited = { waitMs: () => 0, started() {}, succeeded() {}, throttled() {} };

function table(title, rows) {
  console.log(`\n${title}`);
  console.log(`${''.padEnd(44)} Retry-After |  learnt: share  429s  lost | backoff: share  429s  lost | told: share  429s`);
  for (const [name, service, [requests, perMs], concurrency, latencyMs] of rows) {
    for (const retryAfter of [true, false]) {
      const common = { retryAfter, concurrency, latencyMs, untilMs, seed: 1 };
      const ours = runClient({ ...common, service: service(), pace: new LearntPace() });
      const plain = runClient({ ...common, service: service(), pace: unlimited, pauses: false, holdsSlot: true });
      const told = runClient({ ...common, service: service(), pace: new FixedPace({ requests, perMs }) });
      const label = `${name}; ${concurrency} × ${latencyMs} ms`;
      console.log(
        `${label.padEnd(44)} ${(retryAfter ? 'yes' : 'no').padEnd(11)} |  ${percent(ours.share).padStart(13)} ${percent(ours.waste)} ${String(ours.lost).padStart(5)} | ${percent(plain.share).padStart(14)} ${percent(plain.waste)} ${String(plain.lost).padStart(5)} | ${percent(told.share).padStart(11)} ${percent(told.waste)}`,
      );
    }
  }
}
table(`${minutes} simulated minutes each`, known);
if (heldOut.length > 0) table('Held out', heldOut);
