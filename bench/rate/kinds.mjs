// Ten kinds of limits that nobody tells, real nginx among them, over real sockets: npm run build && node bench/rate/kinds.mjs [--seconds 40] [--write]
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { createClient } from '../../dist/src/index.js';
import { setting, table, writeSection } from '../harness/report.mjs';
import { nginxLimits } from './nginx/limits.mjs';
import { startNginx } from './nginx/startNginx.mjs';
import { fixedWindow, inFlightLimit, slidingWindow, tokenBucket } from './services.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '40' }, write: { type: 'boolean' } } });
const seconds = Number(values.seconds);

/** Name, limit, the status that refuses, whether it says for how long, how many in flight it takes. */
const services = [
  ['bucket 100/s, burst 50', () => tokenBucket(100, 50), 429, false],
  ['bucket 20/s, burst 20, Retry-After', () => tokenBucket(20, 20), 429, true],
  ['window 100 per 5 s', () => fixedWindow(100, 5000), 429, false],
  ['sliding window 100 per 2 s', () => slidingWindow(100, 2000), 429, false],
  ['8 in flight, 50 ms', () => inFlightLimit(8, 50), 429, false, 8],
  ['bucket 20/s, burst 10, 503 and Retry-After', () => tokenBucket(20, 10), 503, true],
];

const body = JSON.stringify({ code: 200, message: 'success', data: { suggestions: [{ value: 'tea' }] }, requestId: '', timestamp: 0 });

/** A service of the simulations, over HTTP. */
async function serve(make, status, retryAfter) {
  const service = make();
  const began = performance.now();
  const server = createServer((_, response) => {
    const now = performance.now() - began;
    const refusedMs = service.ask(now);
    if (refusedMs !== undefined) {
      response.writeHead(status, retryAfter ? { 'retry-after': Math.max(1, Math.ceil(refusedMs / 1000)) } : {}).end();
      return;
    }
    setTimeout(
      () => {
        service.served?.();
        response.setHeader('content-type', 'application/json').end(body);
      },
      service.takesMs?.(now) ?? 10,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, allowed: () => service.allowed(1000 * seconds), close: () => server.close() };
}

/** A client that always has something to ask. */
async function run(baseUrl, pathPrefix, options = {}) {
  const client = createClient({ baseUrl, apiKey: 'not-needed-here', pathPrefix, concurrency: 16, ...options });
  const until = performance.now() + 1000 * seconds;
  let [good, refused, requests, lost] = [0, 0, 0, 0];
  client.events$.subscribe(({ type, error }) => {
    if (performance.now() > until) return;
    if (type === 'request') requests += 1;
    if (type === 'response') good += 1;
    if ((type === 'retry' || type === 'failure') && error.status !== undefined) refused += 1;
    if (type === 'failure' && error.status !== undefined) lost += 1;
  });
  const loop = async (_, worker) => {
    for (let n = 0; performance.now() < until; n += 1)
      await firstValueFrom(client.autocomplete({ query: `${worker} ${n}` })).catch(() => {});
  };
  const loops = Array.from({ length: 16 }, loop);
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  await client.close();
  await Promise.all(loops);
  return { good, refused, requests, lost };
}

const percent = (x) => (100 * x).toFixed(1);
const rowOf = (name, { good, refused, requests, lost }, allowed) => [name, percent(good / allowed), percent(refused / requests), lost];

/** What a client that is told the number gets at the same time: a round trip takes longer than the service does. */
const toldInFlight = async (concurrency, url, path) => (await run(url, path, { concurrency, rate: 'unlimited' })).good;

async function ofService([name, make, status, retryAfter, inFlight]) {
  const service = await serve(make, status, retryAfter);
  const other = await serve(make, status, retryAfter);
  const [outcome, told] = await Promise.all([
    run(service.url, ''),
    inFlight === undefined ? undefined : toldInFlight(inFlight, other.url, ''),
  ]);
  service.close();
  other.close();
  return rowOf(name, outcome, told ?? service.allowed());
}

async function ofNginx({ name, rules, allowed, inFlight }) {
  const [outcome, told] = await Promise.all([
    run(nginx.url, `/${name}`),
    inFlight === undefined ? undefined : toldInFlight(inFlight, nginx.url, '/free'),
  ]);
  return rowOf(`nginx: ${rules.replace('ZONE ', '').replace('CONN ', '')}`, outcome, told ?? allowed(seconds));
}

const backend = createServer((_, response) => setTimeout(() => response.setHeader('content-type', 'application/json').end(body), 100));
backend.listen(0, '127.0.0.1');
await once(backend, 'listening');
const nginx = await startNginx({ limits: nginxLimits, backend: `http://127.0.0.1:${backend.address().port}` });
const rows = await Promise.all([...nginxLimits.filter(({ name }) => name !== 'free').map(ofNginx), ...services.map(ofService)]);
await nginx.close();
backend.close();
backend.closeAllConnections();

const text = table(['limit', 'share of the allowed, %', 'requests refused, %', 'calls lost'], rows);
console.log(text);
if (values.write) {
  writeSection(
    'rate kinds',
    `${setting('node bench/rate/kinds.mjs')} ${seconds} s each, side by side, 16 in flight. The first burst counts.\n\n${text}`,
  );
}
process.exit(0);
