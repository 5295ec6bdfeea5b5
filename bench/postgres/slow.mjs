// What a slow database costs a crawl: the same crawl beside a PostgreSQL behind a proxy that delays each statement by 10 ms, and beside
// one behind the same proxy that delays nothing, in pairs, each in a process of its own. `--pairs N`, default 5; `--delay MS`;
// `--places N`, of up to five pages each. Needs psql, and DATABASE_URL of a database in which it may make tables.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { startSandbox } from '../../dist/bundle/sandbox.js';

const number = (value) => ({ type: 'string', default: String(value) });
const { values } = parseArgs({ options: { pairs: number(5), delay: number(10), places: number(1000) } });
const { DATABASE_URL: url } = process.env;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-slow-'));
const psql = async (sql) => (await run('psql', [url, '-XqAt', '-v', 'ON_ERROR_STOP=1', '-c', sql])).stdout.trim();

/** A proxy before the database. What the client writes arrives `delayMs` later. */
async function proxyTo(address, delayMs) {
  const server = createServer((client) => {
    const database = connect(Number(address.port || 5432), address.hostname);
    const end = () => (client.destroy(), database.destroy());
    for (const socket of [client, database]) socket.on('error', end).on('close', end).setNoDelay(true);
    client.on('data', (bytes) =>
      delayMs === 0 ? database.write(bytes) : setTimeout(() => database.writable && database.write(bytes), delayMs),
    );
    database.on('data', (bytes) => client.write(bytes));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(address);
  [through.hostname, through.port] = ['127.0.0.1', String(server.address().port)];
  return { url: through.href, server };
}

const sandbox = await startSandbox({ latencyMs: [4, 8] });
const proxies = { prompt: await proxyTo(new URL(url), 0), slow: await proxyTo(new URL(url), Number(values.delay)) };
const crawl = fileURLToPath(new URL('slowCrawl.mjs', import.meta.url));
let nth = 0;
/** The crawl in a process of its own, in milliseconds: until its last row is on disk, until its end, and of CPU. */
async function beside(name) {
  const table = `slow_${(nth += 1)}`;
  await psql(`DROP TABLE IF EXISTS ${table}`);
  const task = {
    sandbox: sandbox.url,
    apiKey: sandbox.apiKey,
    postgres: proxies[name].url,
    outDir: join(folder, table),
    table,
    places: Number(values.places),
  };
  const told = JSON.parse((await run(process.execPath, [crawl, JSON.stringify(task)])).stdout);
  const rows = Number(await psql(`SELECT count(*) FROM ${table}`));
  if (told.outcome !== 'complete' || rows !== told.rows) throw new Error(`${name}: ${rows} of ${JSON.stringify(told)}`);
  await psql(`DROP TABLE ${table}`);
  return told;
}

const median = (of) => of.toSorted((one, other) => one - other)[Math.floor(of.length / 2)];
const inWords = (of) => `${median(of).toFixed(3)} (${Math.min(...of).toFixed(3)} to ${Math.max(...of).toFixed(3)})`;
await beside('prompt'); // warm
const pairs = [];
for (let pair = 0; pair < Number(values.pairs); pair += 1) {
  const order = pair % 2 === 0 ? ['prompt', 'slow'] : ['slow', 'prompt'];
  const told = {};
  for (const name of order) told[name] = await beside(name);
  for (const name of ['prompt', 'slow']) {
    const { crawlMs, wholeMs, cpuMs, transactions, requests } = told[name];
    console.log(
      `${name.padEnd(7)} crawl ${crawlMs} ms, with the load ${wholeMs} ms, CPU ${cpuMs} ms, ${transactions} transactions, ${requests} requests`,
    );
  }
  pairs.push(told);
}
const ratio = (what) => inWords(pairs.map(({ prompt, slow }) => slow[what] / prompt[what]));
console.log(`each statement ${String(values.delay)} ms later, ${pairs.length} pairs, slow / prompt, median (least to most):`);
console.log(
  `crawl ${ratio('crawlMs')}; with the load ${ratio('wholeMs')}; CPU ${ratio('cpuMs')}; requests ${ratio('requests')}; rows ${ratio('rows')}`,
);
for (const { server } of Object.values(proxies)) server.close();
await sandbox.close();
rmSync(folder, { recursive: true });
