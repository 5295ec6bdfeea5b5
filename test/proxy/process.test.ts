import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { runCommand } from '../../src/cli/runCommand.ts';
import { verifyStore } from '../../src/store/index.ts';
import { Kept, runInProcess } from '../cli/runInProcess.ts';
import { ask } from './ask.ts';
import { apiKey, serve } from './behind.ts';

const run = promisify(execFile);
const has = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;
const hasPython = has('python3', '-c', 'import requests, aiohttp');
const hasCurl = has('curl', '--version');
const isLong = process.env['TRAWLER_LONG'] === '1';
// oxlint-disable-next-line no-console -- a test that is left out says so
if (!isLong) console.log('A given rate is measured over a minute with TRAWLER_LONG=1 only');
// oxlint-disable-next-line no-console -- a test that is left out says so
if (!hasPython || !hasCurl) console.log('Nothing is tested with Python or curl: pip install requests aiohttp, apt install curl');

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** `trawler proxy` in this process, with its address: for what nobody kills. */
async function here(...args: readonly string[]): Promise<{ end: AbortController; url: string; said: () => string }> {
  const end = new AbortController();
  const output = new Kept();
  const io = { stdin: Readable.from([]), stdout: output, stderr: output, env: { TRAWLER_API_KEY: apiKey }, signal: end.signal };
  const ended = runCommand(['proxy', '--port', '0', ...args], io);
  onTestFinished(async () => {
    end.abort('SIGINT');
    await ended;
  });
  await expect.poll(() => output.text, { interval: 5 }).toContain('listens on');
  return { end, url: /http:\S+/.exec(output.text)![0], said: () => output.text };
}

/** The same in a process of its own. */
async function start(...args: readonly string[]): Promise<{ child: ChildProcess; url: string; said: () => string }> {
  const env = { PATH: process.env['PATH'], TRAWLER_API_KEY: apiKey };
  const child = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), 'proxy', '--port', '0', ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  while (!/listens on/.test(said)) {
    if (child.exitCode !== null) throw new Error(said);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { child, url: /http:\S+/.exec(said)![0], said: () => said };
}

const script = `
import asyncio, sys, requests, aiohttp
base, n = sys.argv[1], int(sys.argv[2])
seen = [requests.get(base + '/search', params={'q': 'käse', 'n': i}).status_code for i in range(3)]
async def one(session, i):
    async with session.get(base + '/search', params={'q': 'tea', 'n': str(i)}) as response:
        await response.read()
        return response.status
async def main():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=50)) as session:
        return await asyncio.gather(*[one(session, i) for i in range(n)])
seen += asyncio.run(main())
print(sorted(set(seen)), len(seen))
`;

const caller = `
import { Agent, get } from 'node:http';
import { createHash } from 'node:crypto';
const [base, first, count, distinct] = process.argv.slice(1).map((text) => (/^\\d+$/.test(text) ? Number(text) : text));
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const one = (n) => new Promise((resolve, reject) => get(base + '/q?n=' + n, { agent }, (response) => {
  const digest = createHash('sha256');
  response.on('data', (part) => digest.update(part)).on('error', reject);
  response.on('end', () => resolve([n, response.statusCode, response.headers['content-encoding'], digest.digest('hex')]));
}).on('error', reject));
const wanted = Array.from({ length: count }, (_, at) => (first + 7 * at) % distinct);
console.log(JSON.stringify(await Promise.all(wanted.map(one))));
`;

/** Bytes of a response: text, packed, binary, in chunks, and long. */
function sendNumbered(n: number, response: ServerResponse): void {
  const body = createHash('sha512').update(`${n}`).digest();
  const long = Buffer.concat(Array.from({ length: 1 + (n % 7) * 300 }, () => body));
  if (n % 4 === 0) response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(long));
  else if (n % 4 === 1) response.writeHead(200, { 'content-length': long.length }).end(long);
  else {
    response.write(long.subarray(0, 20));
    setTimeout(() => response.end(long.subarray(20)), n % 20);
  }
}

describe('trawler proxy', () => {
  it('says once on its terminal that the budget is used up', async () => {
    const service = await serve((_, response) => response.end('{}'));
    const { end, url, said } = await here(service, '--max-requests', '1');
    for (const expected of [200, 402, 402]) expect((await ask(url, '/q')).status).toBe(expected);
    const line = 'Requests are refused with 402: not sent, because the budget of 1 request is used up; start the proxy with a larger';
    await expect.poll(said).toContain(line);
    expect(said().split(line)).toHaveLength(2);
    end.abort('SIGINT');
    await expect.poll(said).toContain('3 requests of callers, 1 sent, 0 from the store, 0 tried again, 2 refused by the proxy.');
  });

  it('says once on its terminal that the service refuses the key, and what to do', async () => {
    const service = await serve((request, response) => response.writeHead(request.headers['x-auth'] === 'k' ? 200 : 401).end('{}'));
    const { url, said } = await here(service);
    for (const path of ['/q', '/r']) expect((await ask(url, path)).status).toBe(401);
    const line = 'The service refuses the key with 401. TRAWLER_API_KEY is sent as a bearer token. Where the service takes it elsewhere,';
    await expect.poll(said).toContain(line);
    expect(said().split(line)).toHaveLength(2);
  });

  it('puts the key where a description without operations says', async () => {
    const description = join(await newFolder(), 'lookup.json');
    await writeFile(description, JSON.stringify({ name: 'lookup', headers: { 'x-auth': '${key}' }, operations: {} }));
    const service = await serve((request, response) => response.writeHead(request.headers['x-auth'] === apiKey ? 200 : 401).end('{}'));
    const { url } = await here(service, '--service', description);
    expect((await ask(url, '/q')).status).toBe(200);
  });

  it('has each distinct request of three processes paid once, with the bytes of the service', async () => {
    const [count, distinct] = isLong ? [2000, 450] : [240, 50];
    const paid = new Map<string, number>();
    const service = await serve((request, response) => {
      if (request.headers.authorization !== undefined) paid.set(request.url!, (paid.get(request.url!) ?? 0) + 1);
      sendNumbered(Number(/\d+$/.exec(request.url!)), response);
    });
    const { url } = await here(service, '--store', await newFolder(), '--rate', 'unlimited', '--concurrency', '16');
    const call = async (base: string, ...numbers: readonly number[]) => {
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', caller, base, ...numbers.map(String)], {
        maxBuffer: 2 ** 24,
      });
      return JSON.parse(stdout) as readonly (readonly [n: number, ...unknown[]])[];
    };
    const own = new Map((await call(service, 0, distinct, distinct)).map((answer) => [answer[0], answer]));
    const answers = (await Promise.all([0, 1, 2].map((at) => call(url, at * 20, Math.ceil(count / 3), distinct)))).flat();
    expect([paid.size, [...paid].filter(([, times]) => times !== 1)]).toEqual([distinct, []]);
    expect(answers.length).toBeGreaterThanOrEqual(count);
    expect(answers.filter((answer) => JSON.stringify(answer) !== JSON.stringify(own.get(answer[0])))).toEqual([]);
  }, 120_000);

  it.skipIf(!hasPython || !hasCurl)('keeps Python and curl within a limit that they don’t know', async () => {
    let [allowed, refused, tokens, at] = [0, 0, 10, performance.now()];
    const service = await serve((_, response) => {
      const now = performance.now();
      tokens = Math.min(10, tokens + (now - at) / 100);
      at = now;
      const isAllowed = tokens >= 1;
      tokens -= Number(isAllowed);
      allowed += Number(isAllowed);
      refused += Number(!isAllowed);
      response.writeHead(isAllowed ? 200 : 429).end('{}');
    });
    const { url, child, said } = await start(service);
    const [python, curl] = await Promise.all([
      run('python3', ['-c', script, url, '80']),
      run('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', `${url}/search?q=curl`]),
    ]);
    expect([python.stdout, curl.stdout]).toEqual(['[200] 83\n', '200']);
    expect([allowed, refused < 25]).toEqual([84, true]);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(said()).toMatch(/84 requests of callers, \d+ sent, 0 from the store/);
    expect(said()).not.toContain(apiKey);
  });

  const bucketOfTen = (): ((now: number) => boolean) => {
    let [tokens, at] = [10, 0];
    return (now) => {
      tokens = Math.min(10, tokens + (now - at) / 100);
      at = now;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    };
  };
  const tenInAnySecond = (): ((now: number) => boolean) => {
    const last: number[] = [];
    return (now) => {
      if (last.length === 10 && now - last[0]! < 1000) return false;
      last.push(now);
      if (last.length > 10) last.shift();
      return true;
    };
  };

  it.skipIf(!hasPython || !isLong).each([
    ['saves up ten requests', bucketOfTen, 0.95],
    ['takes ten in any second', tenInAnySecond, 0.9], // once it has refused, late timers aren't made up for
  ])(
    'uses a given rate at a service that %s',
    async (_, takes, least) => {
      let [allowed, refused, at, from] = [0, 0, 0, 0];
      const isTaken = takes();
      const service = await serve((_, response) => {
        at = performance.now();
        from ||= at;
        const isAllowed = isTaken(at);
        allowed += Number(isAllowed);
        refused += Number(!isAllowed);
        response.writeHead(isAllowed ? 200 : 429).end('{}');
      });
      const { url } = await start(service, '--rate', '10');
      const { stdout } = await run('python3', ['-c', script, url, '650']);
      expect(stdout).toMatch(/^\[200\]/);
      const used = (allowed - 4) / ((at - from) / 100);
      console.info(`${(100 * used).toFixed(1)} % used, ${refused} of ${allowed + refused} refused`);
      expect([refused <= 0.01 * allowed, used > least]).toEqual([true, true]);
    },
    120_000,
  );

  it('leaves no torn response and books what was sent when it is killed', async () => {
    const folder = await newFolder();
    const [store, ledger] = [join(folder, 'store'), join(folder, 'ledger')];
    const counts = new Map<string, number>();
    const service = await serve((request, response) => {
      counts.set(request.url!, (counts.get(request.url!) ?? 0) + 1);
      const body = request.url!.repeat(3000);
      response.write(body.slice(0, 1000));
      setTimeout(() => response.end(body.slice(1000)), 5);
    });
    const sum = (): number => [...counts.values()].reduce((total, count) => total + count, 0);
    const args = [service, '--store', store, '--ledger', ledger, '--rate', 'unlimited', '--concurrency', '16'];
    const paths = Array.from({ length: 150 }, (_, n) => `/q?n=${n}`);
    let done = 0;
    const kills = isLong ? 10 : 1;
    for (let killed = 0; killed < kills; killed += 1) {
      const { child, url } = await start(...args);
      const before = done;
      const all = Promise.allSettled(paths.map((path) => ask(url, path).then(() => (done += 1))));
      while (done < before + 40) await new Promise((resolve) => setTimeout(resolve, 2));
      child.kill('SIGKILL');
      await once(child, 'exit');
      await all;
    }
    const { child, url } = await start(...args);
    for (const path of paths) expect((await ask(url, path)).body.equals(Buffer.from(path.repeat(3000)))).toBe(true);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(verifyStore(store).faults).toEqual([]);
    const { stdout } = await runInProcess(['spend', '--json'], { env: { TRAWLER_LEDGER: ledger, TRAWLER_API_KEY: apiKey } });
    const [, requests] = /"requests": (\d+)/.exec(stdout)!;
    const [, reserved] = /"reserved": (\d+)/.exec(stdout)!;
    const inFlight = kills * 2 * 16;
    expect(sum()).toBeLessThan(150 + inFlight + 1);
    // What those that were killed had reserved stays spent.
    expect(Number(requests) + Number(reserved)).toBeGreaterThanOrEqual(sum());
    expect(Number(requests) + Number(reserved)).toBeLessThanOrEqual(sum() + inFlight);
    expect(Number(requests)).toBeLessThanOrEqual(sum());
  });

  it('books what was sent for callers that are killed, and stores whole responses only', async () => {
    const folder = await newFolder();
    const [store, ledger] = [join(folder, 'store'), join(folder, 'ledger')];
    let sent = 0;
    const service = await serve((request, response) => {
      sent += 1;
      sendNumbered(Number(/\d+$/.exec(request.url!)), response);
    });
    const { child, url } = await start(service, '--store', store, '--ledger', ledger, '--rate', 'unlimited', '--concurrency', '16');
    const kills = isLong ? 10 : 1;
    for (let nth = 1; nth <= kills; nth += 1) {
      const args = ['--input-type=module', '-e', caller, url, `${nth * 1000}`, '400', '10007'];
      const killed = spawn(process.execPath, args, { stdio: 'ignore' });
      const before = sent;
      await expect.poll(() => sent, { timeout: 30_000, interval: 2 }).toBeGreaterThan(before + 20);
      killed.kill('SIGKILL');
      await once(killed, 'exit');
    }
    expect((await ask(url, '/q?n=1')).status).toBe(200);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(verifyStore(store).faults).toEqual([]);
    const { stdout } = await runInProcess(['spend', '--json'], { env: { TRAWLER_LEDGER: ledger, TRAWLER_API_KEY: apiKey } });
    const [booked, inFlight] = [Number(/"requests": (\d+)/.exec(stdout)![1]), kills * 2 * 16];
    expect([booked >= sent, booked <= sent + inFlight, sent < kills * 400]).toEqual([true, true, true]);
  }, 60_000);

  it('gives 502 or 503 while the service is gone, and works when it is back', async () => {
    const folder = await newFolder();
    const file = join(folder, 'service.mjs');
    await writeFile(
      file,
      "import { createServer } from 'node:http'; createServer((q, s) => setTimeout(() => s.end('x'), 50)).listen(Number(process.argv[2]), '127.0.0.1', function () { console.log(this.address().port) })",
    );
    const up = async (port: number): Promise<{ child: ChildProcess; port: number }> => {
      const child = spawn(process.execPath, [file, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      const [said] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [unknown];
      return { child, port: Number(said) };
    };
    const { child: first, port } = await up(0);
    const { url } = await here(`http://127.0.0.1:${port}`, '--wait', '2s');
    expect((await ask(url, '/')).status).toBe(200);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const gone = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(url, `/${n}`)));
    expect(gone.map(({ status }) => [502, 503].includes(status) || status)).toEqual(gone.map(() => true));
    await up(port);
    await expect.poll(async () => (await ask(url, '/')).status, { timeout: 20_000 }).toBe(200);
  });

  it('serves a page and metrics, which hold no key and no address of a request', async () => {
    const service = await serve((_, response) => response.end('x'));
    const { url, said } = await here(service, '--show', '--metrics', '127.0.0.1:0', '--host', '127.0.0.1');
    expect(said()).toContain('Whoever reaches 127.0.0.1 can send requests with your key');
    await ask(url, '/secret-path', { headers: { 'x-trawler-caller': '<b>me</b>' } });
    const page = /figures: (http:\S+)/.exec(said())![1]!;
    const [html, metrics] = [await ask(page, '/'), await ask(page, '/metrics')].map(({ body }) => String(body));
    expect(html).toContain('&#60;b&#62;me');
    expect(metrics).toMatch(/^trawler_proxy_received 1$/m);
    expect(metrics).toContain('# HELP trawler_proxy_refused Requests that the proxy itself refused: ');
    expect(`${html}${metrics}`).not.toMatch(/secret-path|k3y/);
    expect((await ask(page, '/', { headers: { host: 'evil.example' } })).status).toBe(403);
  });
});
