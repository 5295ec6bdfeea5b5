// What a leader, its workers and one Redis cost on this machine:
// npm run build && node bench/bullmq/scale.mjs [--rounds 3] [--searches 20] [--queries 100000] [--formats jsonl,csv]
// `--postgres URL`: only two workers, with their queue in that PostgreSQL and in a Redis, in turns.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Queue } from 'bullmq';
import pg from 'pg';
import { lastValueFrom } from 'rxjs';
import { initQueue, leadFlow } from '../../dist/src/bullmq/index.js';
import { runFlow } from '../../dist/src/flow/index.js';
import { createClient } from '../../dist/src/index.js';
import { setting, table } from '../harness/report.mjs';
import { median } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';
import { startRedis } from './startRedis.mjs';
import { startWorkers } from './startWorkers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    searches: { type: 'string', default: '20' },
    queries: { type: 'string', default: '100000' },
    formats: { type: 'string', default: 'jsonl,csv' },
    postgres: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'trawler-scale-'));
const rate = 'unlimited';
const apiKey = 'bench-key-7b1c0c0e57a54c3c9a550f6f';
let runs = 0;

/** Searches × 5 pages × 20 places × 3 pages of 20 reviews, 26 kB each, with the reviews in a file. */
const crawl = (format) => ({
  places: {
    call: 'mapsSearch',
    with: { query: Array.from({ length: Number(values.searches) }, (_, i) => `coffee ${i}`), ll: '@40.74,-73.98,14z' },
    pages: 5,
  },
  reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 'all', to: `rows.${format}` },
});

/** One query for each seed, with a page of 1 kB. */
function suggestions(queries) {
  const seeds = join(folder, `seeds-${queries}.jsonl`);
  writeFileSync(seeds, Array.from({ length: queries }, (_, i) => JSON.stringify({ q: `query ${i}` })).join('\n'));
  return { words: { call: 'autocomplete', each: seeds, with: { query: '$.q' }, to: 'words.jsonl' } };
}

async function runLocal({ stages, baseUrl }) {
  const client = createClient({ baseUrl, apiKey, concurrency: 32, rate });
  const flow = { name: `scale-${++runs}`, stages };
  const { cpuMs, s, summary } = await measured(() => lastValueFrom(runFlow(flow, { client, outDir: join(folder, flow.name) })));
  await client.close();
  return { perSecond: summary.requests / s, leaderMs: cpuMs / summary.requests, workerMs: 0, redisMs: 0 };
}

async function run({ stages, workers, canned, baseUrl = 'http://localhost' }) {
  const redis = await startRedis();
  const flow = { name: `scale-${++runs}`, stages };
  const stop = await startWorkers(workers, { flow, queue: redis.url, baseUrl, concurrency: 32, canned }, apiKey);
  const before = { memory: await redis.info('used_memory'), cpu: await cpuOf(redis) };
  let most = 0;
  const looking = setInterval(async () => (most = Math.max(most, (await redis.info('used_memory')) - before.memory)), 100);
  const leading = () => lastValueFrom(leadFlow(flow, { queue: redis.url, outDir: join(folder, flow.name), rate }));
  const { cpuMs, s, summary } = await measured(leading);
  clearInterval(looking);
  const redisMs = 1000 * ((await cpuOf(redis)) - before.cpu);
  const workerMs = await stop();
  await redis.close();
  const pages = summary.requests;
  return { perSecond: pages / s, memory: most, leaderMs: cpuMs / pages, workerMs: workerMs / pages, redisMs: redisMs / pages };
}

async function runOverPostgres({ stages, workers, baseUrl }) {
  const queue = values.postgres;
  const flow = { name: `scale-${++runs}`, stages };
  const stop = await startWorkers(workers, { flow, queue, baseUrl, concurrency: 32 }, apiKey);
  const client = new pg.Client(queue);
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const server = statOf(rows[0].pid)[1];
  const before = cpuBelow(server);
  const { cpuMs, s, summary } = await measured(() => lastValueFrom(leadFlow(flow, { queue, outDir: join(folder, flow.name), rate })));
  const redisMs = cpuBelow(server) - before;
  await client.end();
  const workerMs = await stop();
  const pages = summary.requests;
  return { perSecond: pages / s, leaderMs: cpuMs / pages, workerMs: workerMs / pages, redisMs: redisMs / pages };
}

/** What /proc says of a process after its name: state, parent … */
function statOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
}

/** Milliseconds of CPU of a server on this machine: its processes, and those of its processes that have ended. */
function cpuBelow(server) {
  let ticks = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const stat = statOf(pid);
      if (pid === server) ticks += Number(stat[11]) + Number(stat[12]) + Number(stat[13]) + Number(stat[14]);
      else if (stat[1] === server) ticks += Number(stat[11]) + Number(stat[12]);
    } catch {
      // it has just ended
    }
  }
  return 10 * ticks;
}

async function measured(work) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const summary = await work();
  const s = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { summary, s, cpuMs: (user + system) / 1000 };
}

async function cpuOf(redis) {
  return (await redis.info('used_cpu_user')) + (await redis.info('used_cpu_sys'));
}

/** What jobs would take that are all added at once, one for each page. */
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

const n = (x) => Math.round(x).toLocaleString('en');
const mb = (x) => (x / 2 ** 20).toFixed(1);
const service = await startService();
const baseUrl = service.url;
if (values.postgres !== undefined) await initQueue(values.postgres);
const both = (format) => [
  { name: `2 workers over Redis, to ${format.toUpperCase()}`, go: () => run({ stages: crawl(format), workers: 2, baseUrl }) },
  {
    name: `2 workers over PostgreSQL, to ${format.toUpperCase()}`,
    go: () => runOverPostgres({ stages: crawl(format), workers: 2, baseUrl }),
  },
];
const all = (format) => [
  { name: `a local run, to ${format.toUpperCase()}`, go: () => runLocal({ stages: crawl(format), baseUrl }) },
  { name: `1 worker, to ${format.toUpperCase()}`, go: () => run({ stages: crawl(format), workers: 1, baseUrl }) },
  { name: `2 workers, to ${format.toUpperCase()}`, go: () => run({ stages: crawl(format), workers: 2, baseUrl }) },
  { name: `2 workers without HTTP, to ${format.toUpperCase()}`, go: () => run({ stages: crawl(format), workers: 2, canned: true }) },
];
const kinds = values.formats.split(',').flatMap(values.postgres === undefined ? all : both);
const results = new Map(kinds.map(({ name }) => [name, []]));
for (let round = 0; round < Number(values.rounds); round++) {
  for (const { name, go } of kinds) results.get(name).push(await go());
}
service.stop();
const rows = kinds.map(({ name }) => {
  const middle = (of) => median(results.get(name).map(of));
  const [leader, worker, redis] = [middle((one) => one.leaderMs), middle((one) => one.workerMs), middle((one) => one.redisMs)];
  const figures = [leader, worker, redis, leader + worker + redis].map((ms) => (ms === 0 ? '' : ms.toFixed(3)));
  return [name, n(middle((one) => one.perSecond)), ...figures];
});
console.log(`${setting('node bench/bullmq/scale.mjs')} Medians of ${values.rounds} rounds of ${n(305 * Number(values.searches))} pages.\n`);
console.log(`${table(['', 'pages a second', 'leader, ms of CPU a page', 'workers, ms', 'database, ms', 'all, ms'], rows)}\n`);

if (values.postgres !== undefined) {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}
const memory = [];
for (const queries of [Number(values.queries) / 10, Number(values.queries)]) {
  const { memory: bytes } = await run({ stages: suggestions(queries), workers: 2, canned: true });
  memory.push([n(queries), mb(bytes), '']);
}
const waiting = await waitingJobs(10_000);
memory.push(['1,000,000, extrapolated', memory.at(-1)[1], mb(waiting * 100)]);
console.log(`Memory in Redis:\n\n${table(['queries', 'at most, MB', 'were all jobs added at once, MB'], memory)}`);
rmSync(folder, { recursive: true, force: true });
