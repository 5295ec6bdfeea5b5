// The CPU of a crawl that somebody watches, as a multiple of the same crawl without `--show`: `node bench/show/watched.mjs
// [--pairs 9] [--searches 20] [--latency 0] [--perSecond 0]`. 20 searches are 6,100 pages. The two of a pair run one after the other,
// in turns of who is first. The browser is this process.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';

const option = (value) => ({ type: 'string', default: value });
const { values } = parseArgs({ options: { pairs: option('9'), searches: option('20'), latency: option('0'), perSecond: option('0') } });
const cli = fileURLToPath(new URL('../../dist/bundle/cli.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
const flow = join(root, 'bench.json');
writeFileSync(
  flow,
  JSON.stringify({
    name: 'bench',
    stages: {
      places: {
        call: 'mapsSearch',
        with: { query: Array.from({ length: Number(values.searches) }, (_, n) => `coffee ${n}`), ll: '@40.74,-73.98,14z' },
        pages: 5,
      },
      reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 'all', to: 'reviews.jsonl' },
    },
  }),
);
// Prints what the process took, as it ends.
const printCpu = `data:text/javascript,${encodeURIComponent("process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stdout.write(`CPU ${user + system}\\n`); })")}`;

/** Requests the state of the run each second, as the page does, until the run is done. Returns how often, and the bytes. */
async function watch(address) {
  const url = address.replace('/?', '/api/state?');
  for (let [requests, bytes] = [1, 0]; ; requests += 1) {
    const text = await (await fetch(url)).text();
    bytes += text.length;
    if (text.includes('"phase":"done"')) return { requests, bytes };
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** One run: its CPU in milliseconds. */
async function run(service, isWatched) {
  const out = join(root, isWatched ? 'watched' : 'alone');
  const limit = values.perSecond === '0' ? [] : ['--rate', values.perSecond];
  const args = ['run', flow, '--out', out, '--fresh', '--quiet', ...limit, ...(isWatched ? ['--show'] : [])];
  const env = { ...process.env, TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: 'bench-key-7b1c0c0e57a54c3c9a550f6f' };
  const child = spawn(process.execPath, ['--import', printCpu, cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const address = new Promise((resolve) => {
    child.stderr.on('data', (text) => {
      said += text;
      const found = /http:\/\/\S+\?token=\S+/.exec(said);
      if (found !== null) resolve(found[0]);
    });
  });
  let told = '';
  child.stdout.on('data', (text) => (told += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  let seen = { requests: 0, bytes: 0 };
  if (isWatched) {
    seen = await watch(await address);
    child.kill('SIGINT');
  }
  const code = await ended;
  if (code !== 0) throw new Error(`it ended with ${code}: ${said}`);
  return { ms: Number(/CPU (\d+)/.exec(told)[1]) / 1000, ...seen };
}

const service = await startService(Number(values.latency));
try {
  await run(service, false); // so that both meet a service that has its responses
  const ratios = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const results = {};
    const order = pair % 2 === 0 ? [false, true] : [true, false];
    for (const isWatched of order) results[isWatched] = await run(service, isWatched);
    const [alone, watched] = [results[false], results[true]];
    ratios.push(watched.ms / alone.ms);
    console.log(
      `${watched.ms.toFixed(0)} / ${alone.ms.toFixed(0)} ms = ${ratios.at(-1).toFixed(3)}; ${watched.requests} requests, ${watched.bytes} bytes`,
    );
  }
  const mean = ratios.reduce((sum, one) => sum + one, 0) / ratios.length;
  console.log(`median ${median(ratios).toFixed(3)}, mean ${mean.toFixed(3)}`);
} finally {
  service.stop();
  rmSync(root, { recursive: true, force: true });
}
process.exit(0);
