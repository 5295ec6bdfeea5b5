// A minute of real sockets against limits that nobody tells: npm run build && node bench/rate/sockets.mjs [--seconds 60] [--write]
import { parseArgs } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { createClient } from '../../dist/src/index.js';
import { startSandbox } from '../../dist/src/sandbox/index.js';
import { setting, table, writeSection } from '../harness/report.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, write: { type: 'boolean' } } });
const forMs = Number(values.seconds) * 1000;

/** Name, limit, what it lets through, what to tell a client that is told. */
const limits = [
  ['bucket 50/s, burst 50', { kind: 'bucket', perSecond: 50 }, (forMs * 50) / 1000 + 50, 'auto'],
  ['bucket 20/s, burst 100', { kind: 'bucket', perSecond: 20, burst: 100 }, (forMs * 20) / 1000 + 100, 'auto'],
  ['window 100 per 5 s', { kind: 'window', requests: 100, perMs: 5000 }, (forMs * 100) / 5000, 'auto'],
  ['bucket 50/s, told', { kind: 'bucket', perSecond: 50 }, (forMs * 50) / 1000, { requests: 50, perMs: 1000 }],
  ['window 100 per 5 s, told', { kind: 'window', requests: 100, perMs: 5000 }, (forMs * 100) / 5000, { requests: 100, perMs: 5000 }],
];

async function run(limit, rate) {
  const sandbox = await startSandbox({ rateLimit: limit, latencyMs: [10, 30] });
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate });
  const began = performance.now();
  let [answered, late, lost] = [0, 0, 0];
  const ask = async (query) => {
    try {
      await firstValueFrom(client.autocomplete({ query }));
      if (performance.now() - began < forMs) answered += 1;
      else late += 1;
    } catch (error) {
      lost += 1;
      console.error(error.message);
    }
  };
  const worker = async (_, w) => {
    for (let i = 0; performance.now() - began < forMs; i++) await ask(`q${w} ${i}`);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const { requests, throttled } = client.stats();
  await client.close();
  await sandbox.close();
  return { answered, requests, throttled, lost };
}

const percent = (/** @type {number} */ x) => (100 * x).toFixed(1);
const rounds = limits.flatMap((limit) => [true, false].map((retryAfter) => ({ limit, retryAfter })));
const rows = await Promise.all(
  rounds.map(async ({ limit: [name, rateLimit, allowed, rate], retryAfter }) => {
    const { answered, requests, throttled, lost } = await run({ ...rateLimit, retryAfter }, rate);
    return [name, retryAfter ? 'yes' : 'no', percent(answered / allowed), percent(throttled / requests), lost];
  }),
);
const text = table(['limit', 'Retry-After', 'share of the allowed, %', '429 responses, %', 'calls lost'], rows);
console.log(text);
if (values.write) {
  const how = `${setting('node bench/rate/sockets.mjs')} ${values.seconds} s each, side by side; 8 in flight, 10 to 30 ms.`;
  writeSection('rate sockets', `${how}\n\n${text}`);
}
