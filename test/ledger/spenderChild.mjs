// A client that spends what its ledger lets it until a month's end, and then what the next month lets it:
// node spenderChild.mjs DIST OPTIONS, the key in TRAWLER_API_KEY. Its input says by how much its clock is ahead.
import { pathToFileURL } from 'node:url';

const [dist, text] = process.argv.slice(2);
const { ledger, baseUrl, jumpMs, monthEnd, price } = JSON.parse(text);
const { createClient, BudgetError, defineService, operations } = await import(pathToFileURL(`${dist}/bundle/index.js`));
process.stdout.write('ready\n');
const aheadMs = Number(await new Promise((resolve) => process.stdin.once('data', resolve)));
process.stdin.destroy();
let jumpedMs = 0;
const clock = {
  now: () => performance.now(),
  wall: () => Date.now() + aheadMs + jumpedMs,
  after(ms, run, idle) {
    const timer = setTimeout(() => run(), ms);
    if (idle === 'idle') timer.unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
const jumping = setInterval(() => (jumpedMs = (Math.random() - 0.5) * 2 * jumpMs), 200);
const service = defineService({ name: 'sold', headers: { 'x-key': '${key}' }, price: { default: price }, operations });
const retry = { maxAttempts: 1 };
const client = createClient({ service, ledger, baseUrl, concurrency: 4, rate: 'unlimited', retry, clock });
const one = (query) => new Promise((resolve) => client.webSearch({ query }).subscribe({ error: resolve, complete: resolve }));
let isOver = false;
const spend = async (name) => {
  for (let count = 0; !isOver; count++) {
    const error = await one(`${name} ${count}`);
    if (!(error instanceof BudgetError)) continue;
    if (error.until > monthEnd) isOver = true;
    else await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
await Promise.all(['a', 'b', 'c', 'd'].map(spend));
clearInterval(jumping);
await client.close();
