// The flow of flows/scholar.json on two workers over BullMQ; here all in one process, and Redis started with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { leadFlow, startWorker } from 'trawler/bullmq';
import { loadFlow } from 'trawler/flow';
import { startSandbox } from 'trawler/sandbox';

const probe = createServer().listen(0, '127.0.0.1'); // finds a free port
await once(probe, 'listening');
const { port } = probe.address();
await once(probe.close(), 'close');
const redis = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' });
await once(redis, 'spawn').catch(() => {
  console.log('# skipped: there is no redis-server; it is in the Debian package redis-server');
  process.exit();
});
process.once('exit', () => redis.kill()); // however this ends
const queue = `redis://127.0.0.1:${port}`;

const sandbox = await startSandbox();
const clients = [1, 2].map(() => createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey }));
const flow = await loadFlow(join(import.meta.dirname, 'flows/scholar.json'));

// A worker runs anywhere that reaches Redis; `trawler worker scholar.json --queue redis://…` is the same from a shell.
const workers = await Promise.all(clients.map((client) => startWorker(flow, { client, queue })));
// The leader has no key and sends no request; it finds the work, writes the files, and keeps rate and budget for all.
const { outcome, files } = await lastValueFrom(leadFlow(flow, { queue, outDir: 'out' }));
console.log(outcome, Object.fromEntries(files.map(({ path, rows }) => [path, rows])));

for (const closing of [...workers, ...clients, sandbox]) await closing.close();
redis.kill();

/* prints
complete { 'works.jsonl': 11, 'articles.csv': 121 }
*/
