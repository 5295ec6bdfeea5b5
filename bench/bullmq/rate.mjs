// One rate for all workers, against a limit that nobody tells: npm run build && node bench/bullmq/rate.mjs [--seconds 60]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lastValueFrom } from 'rxjs';
import { leadFlow } from '../../dist/src/bullmq/index.js';
import { startSandbox } from '../../dist/src/sandbox/index.js';
import { setting, table } from '../harness/report.mjs';
import { startRedis } from './startRedis.mjs';
import { startWorkers } from './startWorkers.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'trawler-rate-'));
const seeds = join(folder, 'seeds.jsonl');
writeFileSync(seeds, Array.from({ length: 100 * seconds }, (_, i) => JSON.stringify({ q: `query ${i}` })).join('\n'));

async function run(workers, rateLimit) {
  const redis = await startRedis();
  const sandbox = await startSandbox({ rateLimit, latencyMs: [50, 150] });
  const name = `rate-${workers}`;
  const flow = { name, stages: { words: { call: 'autocomplete', each: seeds, with: { query: '$.q' }, to: 'words.jsonl' } } };
  const stop = await startWorkers(workers, { flow, queue: redis.url, baseUrl: sandbox.url, concurrency: 32 / workers }, sandbox.apiKey);
  let pages = 0;
  const options = {
    queue: redis.url,
    outDir: join(folder, name + JSON.stringify(rateLimit).replace(/\W/g, '')),
    signal: AbortSignal.timeout(seconds * 1000),
  };
  const summary = await lastValueFrom(leadFlow(flow, options));
  for (const stage of summary.stages) pages += stage.pages;
  await stop();
  await sandbox.close();
  await redis.close();
  return { pages, requests: summary.requests, throttled: summary.throttled };
}

const percent = (x) => (100 * x).toFixed(1);
const limits = [
  ['bucket 50/s, burst 50', { kind: 'bucket', perSecond: 50 }, 50 * seconds + 50],
  ['the same, Retry-After', { kind: 'bucket', perSecond: 50, retryAfter: true }, 50 * seconds + 50],
  ['bucket 20/s, burst 100', { kind: 'bucket', perSecond: 20, burst: 100 }, 20 * seconds + 100],
];
const rows = [];
for (const [name, limit, allowed] of limits) {
  const results = await Promise.all([1, 4].map(async (workers) => ({ workers, ...(await run(workers, limit)) })));
  for (const { workers, pages, requests, throttled } of results)
    rows.push([name, workers, percent(pages / allowed), percent(throttled / requests)]);
}
rmSync(folder, { recursive: true, force: true });
console.log(`${setting('node bench/bullmq/rate.mjs')} ${seconds} s each.\n`);
console.log(table(['limit', 'workers', 'share of the allowed, %', '429 responses, %'], rows));
