// Requests a second and CPU of `trawler proxy` beside nginx as a cache and http-proxy: responses from the store, and passed through. Each is
// a process in front of one service, and is asked by one client over 32 connections: node proxy.mjs [--requests 20000] [--rounds 3] [--write]
// With --memory 200000, only the memory of `trawler proxy` is looked at, while so many requests pass through it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writeSection } from './harness/report.mjs';
import { median } from './harness/rounds.mjs';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    memory: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const [requests, rounds, connections, distinct] = [Number(values.requests), Number(values.rounds), 32, 100];
const folder = mkdtempSync(join(tmpdir(), 'trawler-proxy-bench-'));
const body = JSON.stringify({ rows: Array.from({ length: 40 }, (_, n) => ({ id: n, title: `Café ${n}`, text: 'x'.repeat(60) })) });
let served = 0;
const service = createServer((_, response) => {
  served += 1;
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'cache-control': 'max-age=3600' })
    .end(body);
});
await once(service.listen(0, '127.0.0.1'), 'listening');
const target = `http://127.0.0.1:${service.address().port}`;
const cli = fileURLToPath(new URL('../dist/bundle/cli.js', import.meta.url));
const rateless = ['--rate', 'unlimited', '--concurrency', String(connections)];

/** The CPU seconds of a process and of its children. */
function cpuOf(pid) {
  const ticks = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout);
  const all = [
    pid,
    ...spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter(Boolean),
  ];
  const fields = all.map((one) =>
    readFileSync(`/proc/${one}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' '),
  );
  return fields.reduce((sum, [, , , , , , , , , , , user, system]) => sum + (Number(user) + Number(system)) / ticks, 0);
}
const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

async function trawler(...more) {
  const env = { PATH: process.env.PATH, TRAWLER_API_KEY: 'a-key-of-the-bench' };
  const child = spawn(process.execPath, [cli, 'proxy', target, '--port', '0', ...rateless, ...more], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  return { pid: child.pid, url: String(line).trim(), end: () => child.kill() };
}

async function nginx(cached) {
  const home = join(folder, `nginx-${Math.random()}`);
  mkdirSync(home);
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const cache = cached ? `proxy_cache_path ${home}/cache keys_zone=c:10m;` : '';
  const use = cached ? 'proxy_cache c; proxy_cache_valid 200 1h;' : '';
  const text = `daemon off; user root; pid ${home}/pid; worker_processes 1; error_log ${home}/error.log; events { worker_connections 1024; }
http { access_log off; client_body_temp_path ${home}/b; proxy_temp_path ${home}/p; fastcgi_temp_path ${home}/f; uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s; keepalive_requests 1000000; ${cache}
upstream up { server 127.0.0.1:${service.address().port}; keepalive 32; }
server { listen 127.0.0.1:${port}; location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://up; ${use} } } }`;
  writeFileSync(join(home, 'nginx.conf'), text);
  const child = spawn('nginx', ['-c', join(home, 'nginx.conf'), '-e', join(home, 'error.log')], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { pid: child.pid, url: `http://127.0.0.1:${port}`, end: () => child.kill() };
}

async function httpProxy() {
  const file = createRequire(import.meta.url).resolve('http-proxy');
  const source = `const { Agent } = require('http'); const server = require(${JSON.stringify(file)}).createProxyServer({ target: ${JSON.stringify(target)}, agent: new Agent({ keepAlive: true, maxSockets: ${connections} }) }); server.listen(0, '127.0.0.1'); setTimeout(() => console.log(server._server.address().port), 100);`;
  const child = spawn(process.execPath, ['--no-deprecation', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { pid: child.pid, url: `http://127.0.0.1:${String(line).trim()}`, end: () => child.kill() };
}

async function ask(url, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  const one = (n) =>
    new Promise((resolve, reject) => {
      get(`${url}/q?n=${n % distinct}`, { agent }, (response) => {
        let bytes = 0;
        response
          .on('data', (part) => (bytes += part.length))
          .on('end', () => (bytes === Buffer.byteLength(body) ? resolve() : reject(new Error(`${bytes} bytes`))));
      }).on('error', reject);
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) await one(next++);
    }),
  );
  agent.destroy();
}

const contenders = {
  'trawler proxy --store': () => trawler('--store', join(folder, `store-${Math.random()}`)),
  'nginx, proxy_cache': () => nginx(true),
  'trawler proxy, through': () => trawler(),
  'nginx, through': () => nginx(false),
  'http-proxy, through': httpProxy,
};
if (values.memory !== undefined) {
  const part = Number(values.memory) / 10;
  const { pid, url, end } = await trawler();
  await ask(url, 500);
  const sizes = [[500, memoryOf(pid).toFixed(0)]];
  for (let done = part; done <= 10 * part; done += part) {
    await ask(url, part);
    sizes.push([done, memoryOf(pid).toFixed(0)]);
    console.error(...sizes.at(-1));
  }
  end();
  report('proxy memory', `${values.memory} requests pass through.`, table(['after requests', 'MB'], sizes));
  process.exit();
}

const results = new Map(Object.keys(contenders).map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, start] of Object.entries(contenders)) {
    const { pid, url, end } = await start();
    await ask(url, 500);
    const [before, cpu, memory, at] = [served, cpuOf(pid), memoryOf(pid), performance.now()];
    await ask(url, requests);
    const seconds = (performance.now() - at) / 1000;
    const used = cpuOf(pid) - cpu;
    results.get(name).push({
      perSecond: requests / seconds,
      cpuMs: (used * 1000) / requests,
      memory: memoryOf(pid),
      grown: memoryOf(pid) - memory,
      sent: served - before,
    });
    end();
  }
}
const of = (name, what) => median(results.get(name).map((each) => each[what]));
const rows = Object.keys(contenders).map((name) => [
  name,
  of(name, 'perSecond').toFixed(0),
  of(name, 'cpuMs').toFixed(3),
  of(name, 'memory').toFixed(0),
  of(name, 'grown').toFixed(0),
  of(name, 'sent'),
]);
report(
  'proxy',
  `${rounds} rounds of ${requests} requests, 100 of them distinct, 4 KB each, over 32 connections.`,
  table(['what', 'requests/s', 'CPU ms each', 'MB', 'MB more than after 500', 'asked of the service'], rows),
);

function report(section, what, text) {
  service.close();
  service.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
  console.log(text);
  if (values.write) writeSection(section, `${setting(`node bench/proxy.mjs ${process.argv.slice(2).join(' ')}`)} ${what}\n\n${text}`);
}
