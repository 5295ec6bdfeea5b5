// A limit of 50 a second that nobody was told, over real sockets: trawler beside what somebody would pick instead.
// All at the same time, each in a process with a service of its own. `node rate/peers.mjs [--seconds 60] [--write]`
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { setting, table, writeSection } from '../harness/report.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, write: { type: 'boolean', default: false } } });
const clients = {
  trawler: 'trawler, rate learnt',
  got: 'got, its defaults',
  gotTen: 'got, ten retries',
  crawlee: 'Crawlee, BasicCrawler + fetch',
  pQueue: 'fetch + p-queue, told the limit',
  bottleneck: 'fetch + bottleneck, told the limit',
};
const runner = fileURLToPath(new URL('./runPeer.mjs', import.meta.url));
const run = async (name, retryAfter) =>
  JSON.parse(
    (await promisify(execFile)(process.execPath, [runner, name, values.seconds, String(retryAfter)])).stdout.trim().split('\n').at(-1),
  );
const percent = (share) => `${(100 * share).toFixed(1)} %`;

const rows = new Map(Object.entries(clients).map(([name, label]) => [name, [label]]));
for (const retryAfter of [true, false]) {
  await Promise.all(
    Object.keys(clients).map(async (name) => {
      const { share, refused, lost } = await run(name, retryAfter);
      rows.get(name).push(percent(share), percent(refused), lost);
    }),
  );
}
const text = table(
  ['50 a second, bursts of 50', 'of what is allowed', '429s', 'pages lost', 'without Retry-After', '429s', 'pages lost'],
  [...rows.values()],
);
console.log(text);
if (values.write)
  writeSection(
    'rate peers',
    `${setting('node bench/rate/peers.mjs --write')} ${values.seconds} s, sixteen in flight, 10–30 ms.\n\n${text}`,
  );
