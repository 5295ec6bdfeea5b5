// A worker in a process of its own: node workerChild.mjs DIST OPTIONS, the key in TRAWLER_API_KEY.
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [dist, text] = process.argv.slice(2);
const { flow, queue, baseUrl, concurrency, lockMs, die, block } = JSON.parse(text);
const { createClient } = await import(pathToFileURL(`${dist}/bundle/index.js`));
const { startWorker } = await import(pathToFileURL(`${dist}/bundle/bullmq.js`));
const client = createClient({ baseUrl, concurrency });
let seen = 0;
client.events$.subscribe(({ type, query }) => {
  // Failpoints: just before a request goes out, or just when its response is there.
  if (die?.at === type && ++seen === die.count) process.kill(process.pid, 'SIGKILL');
  if (die?.query !== undefined && type === 'request' && JSON.stringify(query).includes(die.query)) process.kill(process.pid, 'SIGKILL');
  if (block?.at === type && ++seen === block.count) {
    writeSync(1, 'blocked\n');
    process.kill(process.pid, 'SIGSTOP'); // until somebody sends SIGCONT
    writeSync(1, 'again\n');
  }
});
const worker = await startWorker(flow, { client, queue, lockMs, tell: (message) => process.stderr.write(`${message}\n`) });
process.once('SIGTERM', () => void worker.close());
process.stdout.write('started\n');
await worker.done;
await client.close();
process.stdout.write('closed\n');
