// A worker in a process of its own: node workerChild.mjs DIST '{"flow":…,"queue":…,"baseUrl":…,"concurrency":…}', the key in TRAWLER_API_KEY.
import { pathToFileURL } from 'node:url';

const [dist, text] = process.argv.slice(2);
const { flow, queue, baseUrl, concurrency, failAfter } = JSON.parse(text);
const { createClient } = await import(pathToFileURL(`${dist}/src/index.js`));
const { startWorker } = await import(pathToFileURL(`${dist}/src/bullmq/index.js`));
const client = createClient({ baseUrl, concurrency });
let sent = 0;
client.events$.subscribe(({ type }) => {
  // A failpoint: just before the request goes out, or just when its answer is there.
  if (failAfter !== undefined && type === failAfter.type && ++sent === failAfter.count) process.kill(process.pid, 'SIGKILL');
});
const worker = await startWorker(flow, { client, queue, tell: (message) => process.stderr.write(`${message}\n`) });
process.once('SIGTERM', () => void worker.close());
process.stdout.write('started\n');
await worker.done;
await client.close();
process.stdout.write('closed\n');
