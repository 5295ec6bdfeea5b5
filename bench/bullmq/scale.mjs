// What a leader, its workers and one Redis can do on this machine: npm run build && node bench/bullmq/scale.mjs
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { lastValueFrom } from 'rxjs';
import { leadFlow } from '../../dist/src/bullmq/index.js';
import { setting, table } from '../harness/report.mjs';
import { startRedis } from './startRedis.mjs';
import { startWorkers } from './startWorkers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'trawler-scale-'));
const rate = 'unlimited';
const key = 'sandbox-key';
let runs = 0;

/** Runs that many queries; `canned`: without HTTP, with pages of that many bytes. */
async function run({ queries, workers, canned, baseUrl = 'http://localhost' }) {
  const redis = await startRedis();
  const seeds = join(folder, `seeds-${queries}.jsonl`);
  writeFileSync(seeds, Array.from({ length: queries }, (_, i) => JSON.stringify({ q: `query ${i}` })).join('\n'));
  const name = `scale-${++runs}`;
  const flow = { name, stages: { words: { call: 'autocomplete', each: seeds, with: { query: '$.q' }, to: 'words.jsonl' } } };
  const stop = await startWorkers(workers, { flow, queue: redis.url, baseUrl, concurrency: 16, canned }, key);
  const before = { memory: await redis.info('used_memory'), cpu: await cpuOf(redis) };
  let most = 0;
  const looking = setInterval(async () => (most = Math.max(most, (await redis.info('used_memory')) - before.memory)), 100);
  const ours = process.cpuUsage();
  const began = performance.now();
  const summary = await lastValueFrom(leadFlow(flow, { queue: redis.url, outDir: join(folder, name), rate }));
  const s = (performance.now() - began) / 1000;
  const leader = process.cpuUsage(ours);
  clearInterval(looking);
  const cpu = (await cpuOf(redis)) - before.cpu;
  if (summary.requests !== queries) throw new Error(`${summary.requests} requests`);
  await stop();
  await redis.close();
  return {
    perSecond: queries / s,
    memory: most,
    redisMs: (1000 * cpu) / queries,
    leaderMs: (leader.user + leader.system) / 1000 / queries,
  };
}

async function cpuOf(redis) {
  return (await redis.info('used_cpu_user')) + (await redis.info('used_cpu_sys'));
}

/** What jobs would take that are all added at once. */
async function waitingJobs(count) {
  const redis = await startRedis();
  const before = await redis.info('used_memory');
  const queue = new Queue('all', { connection: { url: redis.url } });
  const jobs = Array.from({ length: count }, (_, i) => ({
    name: 'words',
    data: { stage: 'words', operation: 'autocomplete', query: { query: `query ${i}` } },
  }));
  for (let from = 0; from < count; from += 1000) await queue.addBulk(jobs.slice(from, from + 1000));
  const bytes = (await redis.info('used_memory')) - before;
  await queue.close();
  await redis.close();
  return bytes;
}

const cli = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const port = 8931;
const sandbox = spawn(process.execPath, [cli, 'sandbox', '--port', `${port}`], {
  env: { ...process.env, TRAWLER_API_KEY: key },
  stdio: 'ignore',
});
await new Promise((resolve) => setTimeout(resolve, 1500));
const baseUrl = `http://127.0.0.1:${port}`;
const n = (x) => Math.round(x).toLocaleString('en');
const mb = (x) => (x / 2 ** 20).toFixed(1);
console.log(`${setting('node bench/bullmq/scale.mjs')}\n`);

await run({ queries: 1000, workers: 1, baseUrl }); // warms up
const rounds = [];
for (let round = 0; round < 3; round++) {
  for (const workers of [1, 2, 4]) rounds.push({ workers, ...(await run({ queries: 3000, workers, baseUrl })) });
}
const http = [1, 2, 4].map((workers) => {
  const own = rounds.filter((one) => one.workers === workers);
  const median = (of) => own.map(of).toSorted((a, b) => a - b)[1];
  return [workers, n(median((one) => one.perSecond)), median((one) => one.leaderMs).toFixed(2), median((one) => one.redisMs).toFixed(2)];
});
console.log(
  `Over HTTP, to the sandbox, medians of three rounds:\n\n${table(['workers', 'pages a second', 'leader, ms of CPU a page', 'Redis, ms of CPU a page'], http)}\n`,
);
sandbox.kill();

const fed = [];
for (const canned of [2000, 50_000]) {
  const { perSecond, redisMs, leaderMs } = await run({ queries: 10_000, workers: 2, canned });
  fed.push([`${canned / 1000} kB`, n(perSecond), leaderMs.toFixed(2), redisMs.toFixed(2), n(1000 / leaderMs), n(1000 / redisMs)]);
}
console.log(
  `Without HTTP, two workers:\n\n${table(['page', 'pages a second', 'leader, ms', 'Redis, ms', 'so one leader does', 'and one Redis feeds'], fed)}\n`,
);

const memory = [];
for (const queries of [10_000, 100_000]) {
  const { memory: bytes } = await run({ queries, workers: 2, canned: 2000 });
  memory.push([n(queries), mb(bytes), '']);
}
const all = await waitingJobs(10_000);
memory.push(['1,000,000, extrapolated', memory.at(-1)[1], mb(all * 100)]);
console.log(`Memory in Redis:\n\n${table(['queries', 'at most, MB', 'were all jobs added at once, MB'], memory)}`);
rmSync(folder, { recursive: true, force: true });
