import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { runInProcess } from '../cli/runInProcess.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { finishedFolder } from './finishedFolder.ts';
import { readDataset, type ReadDataset } from './reader.ts';
import { type S3Request, startS3Proxy } from './startS3Proxy.ts';
import { accessKey, hasSwift, secretKey, startSwift, type Swift } from './startSwift.ts';

const long = process.env['TRAWLER_LONG'] === '1';
if (long) vi.setConfig({ testTimeout: 3_600_000 }); // the command starts some hundred times
const partBytes = 8 * 2 ** 20;

/** Of several parts, and of bytes that differ from run to run. */
function big(run: number): Buffer {
  const bytes = Buffer.alloc(partBytes + 1234);
  for (let at = 0; at < bytes.length; at += 65_536) bytes.writeUInt32LE(at ^ run, at);
  return bytes;
}

/** The command in this process, which has loaded what a process of its own takes half a second of CPU to load: for what nobody kills. */
async function publish(argv: readonly string[], url = ''): Promise<string> {
  const { code, stderr } = await runInProcess(argv, { env: { AWS_ENDPOINT_URL: url } });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Published')]);
  return stderr;
}

/** The command as users have it. */
function start(argv: readonly string[], env: { readonly [name: string]: string } = {}) {
  const child = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), ...argv], {
    env: { PATH: process.env['PATH'], AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey, NODE_NO_WARNINGS: '1', ...env },
  });
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said.text += text));
  return { child, said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

async function killed(child: ChildProcess): Promise<void> {
  const over = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGKILL');
  await over;
}

let root: string;
let out: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trawler-publish-'));
  out = join(root, 'out');
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretKey);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

describe.skipIf(!hasSwift())('trawler publish into S3, killed', () => {
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
  });
  afterAll(() => swift.close());

  const readAt = (prefix: string): Promise<ReadDataset | undefined> =>
    readDataset(async (name) => {
      try {
        const { Body } = await swift.client.send(new GetObjectCommand({ Bucket: swift.bucket, Key: `${prefix}/${name}` }));
        return Buffer.from(await Body!.transformToByteArray());
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    });

  it('resumes between files: a file that has arrived is never sent again', async () => {
    const content = { 'a.csv': 'a\n', 'b.csv': 'b\n', 'big.jsonl': big(0) };
    finishedFolder(out, content);
    let child: ChildProcess | undefined;
    const arrived: string[] = [];
    await using proxy = await startS3Proxy(swift, {
      conditions: 'knows',
      async after({ params, method, key }) {
        if (!(method === 'PUT' && key.endsWith('.csv')) && !(method === 'POST' && params.has('uploadId'))) return;
        arrived.push(key.split('/').at(-1)!);
        if (child !== undefined) await killed(child);
      },
    });
    const argv = ['publish', out, `s3://${swift.bucket}/files`];
    for (let run = 1; run < 10 && !arrived.includes('big.jsonl'); run++) {
      const { child: one, ended } = start(argv, { AWS_ENDPOINT_URL: proxy.url });
      child = one;
      await ended;
      expect(await readAt('files')).toBeUndefined();
    }
    child = undefined;
    expect(await publish(argv, proxy.url)).toContain('Published as version 1');
    expect((await readAt('files'))!.files['big.jsonl']!.equals(content['big.jsonl'])).toBe(true);
    expect(arrived.toSorted()).toEqual(Object.keys(content));
  });

  it('shows the old version or the new one, whichever request it is killed at', async () => {
    const prefix = 'anywhere';
    const url = `s3://${swift.bucket}/${prefix}`;
    let victim: { readonly child: ChildProcess; readonly index: number; readonly when: 'before' | 'after' } | undefined;
    const kill = (when: 'before' | 'after') => async (request: S3Request) => {
      if (victim?.when === when && request.index - base === victim.index) await killed(victim.child);
    };
    await using proxy = await startS3Proxy(swift, { conditions: 'knows', before: kill('before'), after: kill('after') });
    let base = 0;
    const argv = ['publish', out, url, '--keep', '1'];
    finishedFolder(out, { 'big.jsonl': big(1), 'same.csv': 'same\n', 'run.csv': '1\n' });
    await publish(argv, proxy.url);
    finishedFolder(out, { 'big.jsonl': big(2), 'same.csv': 'same\n', 'run.csv': '2\n' });
    const moments: (readonly ['before' | 'after', number])[] = [];
    let run = 1;
    if (long) {
      base = proxy.requests.length;
      await publish(argv, proxy.url);
      run += 1;
      for (let index = 0; index < proxy.requests.length - base; index++) moments.push(['before', index], ['after', index]);
    } else {
      // While files arrive, or near the end. powerLoss.test.ts stops at every step, on a simulated disk.
      moments.push(...ofTheDay([['before', 7], ['after', 22]] as const, 1)); // prettier-ignore
    }
    expect(moments.length).toBeGreaterThan(long ? 50 : 0);
    for (const [when, index] of moments) {
      const before = `${run}\n`;
      run += 1;
      finishedFolder(out, { 'big.jsonl': big(run), 'same.csv': 'same\n', 'run.csv': `${run}\n` });
      base = proxy.requests.length;
      const { child, ended } = start(argv, { AWS_ENDPOINT_URL: proxy.url });
      victim = { child, index, when };
      await ended;
      if (!long && child.signalCode !== 'SIGKILL') throw new Error(`it ended before request ${index}`);
      victim = undefined;
      expect([before, `${run}\n`]).toContain((await readAt(prefix))!.files['run.csv']!.toString());
      await publish(argv, proxy.url);
      const dataset = (await readAt(prefix))!;
      expect(dataset.version).toBe(run);
      expect(dataset.files['run.csv']!.toString()).toBe(`${run}\n`);
    }
  });

  it('uses no more memory for a larger file', async () => {
    const peak = async (mebibytes: number): Promise<number> => {
      finishedFolder(out, { 'big.jsonl': Buffer.alloc(mebibytes * 2 ** 20, `${mebibytes}`) });
      // not maxRSS, which a child takes over from its parent
      const tell = `data:text/javascript,let p=0;setInterval(()=>p=Math.max(p,process.memoryUsage.rss()),20).unref();process.on('exit',()=>process.stdout.write('peak '+p))`;
      const { ended, said } = start(['publish', out, `s3://${swift.bucket}/memory`], {
        AWS_ENDPOINT_URL: swift.url,
        NODE_OPTIONS: `--import="${tell}"`,
      });
      expect([await ended, said.text]).toEqual([0, expect.stringContaining('Published as version')]);
      return Number(/peak (\d+)/.exec(said.text)![1]) / 2 ** 20;
    };
    const small = await peak(long ? 40 : 30);
    expect((await peak(long ? 240 : 140)) - small).toBeLessThan(90); // garbage makes 20 to 65
  });

  it('prints no credentials, whatever goes wrong', async () => {
    finishedFolder(out, { 'a.csv': 'a\n' });
    const url = `s3://${swift.bucket}/secret`;
    await using proxy = await startS3Proxy(swift, { fault: ({ method }) => (method === 'PUT' ? 'changed' : undefined) });
    const cases: readonly (readonly [url: string, env: { readonly [name: string]: string }, code: number])[] = [
      [url, { AWS_ENDPOINT_URL: swift.url }, 0],
      [url, { AWS_ENDPOINT_URL: swift.url, AWS_SECRET_ACCESS_KEY: `${secretKey}-wrong` }, 2],
      [url, { AWS_ENDPOINT_URL: swift.url, AWS_ACCESS_KEY_ID: `${accessKey}-wrong` }, 2],
      ['s3://no-such-bucket/x', { AWS_ENDPOINT_URL: swift.url }, 2],
      [`s3://${accessKey}:${secretKey}@bucket/x`, { AWS_ENDPOINT_URL: swift.url }, 2],
      [`s3://${swift.bucket}/other`, { AWS_ENDPOINT_URL: proxy.url }, 2],
    ];
    for (const [to, env, code] of ofTheDay(cases, 1)) {
      const { ended, said } = start(['publish', out, to], { TRAWLER_DEBUG: '1', ...env });
      expect([await ended, said.text]).toEqual([code, expect.not.stringContaining(secretKey)]);
      expect(said.text).not.toContain(accessKey);
      expect(said.text).not.toContain('Signature=');
    }
  });
});

describe('trawler publish into a folder, killed', () => {
  it('shows the old version or the new one, and resumes', async () => {
    const shared = join(root, 'shared');
    const argv = ['publish', out, pathToFileURL(shared).href, '--keep', '1'];
    const read = () => readDataset(async (name) => (existsSync(join(shared, name)) ? readFileSync(join(shared, name)) : undefined));
    finishedFolder(out, { 'big.jsonl': big(1), 'run.csv': '1\n' });
    await publish(argv);
    let run = 1;
    const moments = Array.from({ length: 140 }, (_, nth) => 100 + 10 * nth);
    for (const ms of long ? moments : ofTheDay([300, 900], 1)) {
      const before = `${run}\n`;
      run += 1;
      finishedFolder(out, { 'big.jsonl': big(run), 'run.csv': `${run}\n` });
      const { child } = start(argv);
      await new Promise((resolve) => setTimeout(resolve, ms));
      await killed(child);
      expect([before, `${run}\n`]).toContain((await read())!.files['run.csv']!.toString());
      await publish(argv);
      expect(await read()).toMatchObject({ version: run, files: { 'run.csv': Buffer.from(`${run}\n`) } });
    }
  });
});
