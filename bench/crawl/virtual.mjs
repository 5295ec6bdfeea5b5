// The same crawl as latency.mjs in virtual time: all responses of 50 ms arrive together, and reading them takes no time. What is
// left is what the order of requests loses. `node crawl/virtual.mjs [--searches 4] [--concurrency 16]`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { table } from '../harness/report.mjs';
import { responder } from '../service/responses.mjs';

const { values } = parseArgs({
  options: { searches: { type: 'string', default: '4' }, concurrency: { type: 'string', default: '16' } },
});
const [searches, concurrency] = [Number(values.searches), Number(values.concurrency)];
const respond = responder();
const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-'));

/** How many times 50 ms a crawl takes. */
async function roundsOf(name) {
  const { default: crawl } = await import(`./clients/${name}.mjs`);
  let waiting = [];
  const dispatcher = { dispatch: (request, handler) => waiting.push([request.path, handler]) };
  const out = join(folder, `${name}.jsonl`);
  let counts;
  crawl({ url: 'https://bench.invalid', searches, concurrency, folder, out, format: 'jsonl', dispatcher }).then((result) => {
    counts = result;
  });
  let rounds = 0;
  while (counts === undefined) {
    await sleep(40); // everything that arrived is read, and what follows is sent, on a slow machine too
    const arrived = waiting;
    if (arrived.length === 0) continue;
    waiting = [];
    rounds += 1;
    for (const [path, handler] of arrived) {
      const response = respond(path);
      handler.onResponseStart({}, 200, {}, 'OK');
      handler.onResponseData({}, Buffer.from(response.subarray(response.indexOf('\r\n\r\n') + 4)));
      handler.onResponseEnd({}, {});
    }
  }
  const least = Math.ceil(counts.pages / concurrency);
  return [String(rounds), String(least), (least / rounds).toFixed(3)];
}

const rows = [];
for (const [name, label] of [
  ['pipes', 'trawler, pipes'],
  ['flow', 'trawler, a flow with its journal'],
]) {
  rows.push([label, ...(await roundsOf(name))]);
}
console.log(table(['virtual time', 'rounds of 50 ms', 'if all places were always taken', 'share'], rows));
rmSync(folder, { recursive: true, force: true });
