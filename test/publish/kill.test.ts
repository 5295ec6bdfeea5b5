import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { runInProcess } from '../cli/runInProcess.ts';
import { until } from '../client/testClient.ts';
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

  /** A moment of a publication: before a request goes to the server, or when its response has come. */
  interface Moment {
    readonly when: 'before' | 'after';
    readonly isAt: (request: S3Request, nth: number) => boolean;
  }

  it('shows the old version or the new one, whichever request it is killed at, and sends no file again that has arrived', async () => {
    const prefix = 'anywhere';
    let arrived: string[] = [];
    let base = 0;
    let victim: (Moment & { readonly child: ChildProcess }) | undefined;
    const kill = async (when: 'before' | 'after', request: S3Request): Promise<void> => {
      if (victim?.when === when && victim.isAt(request, request.index - base)) await killed(victim.child);
    };
    await using proxy = await startS3Proxy(swift, {
      conditions: 'knows',
      before: (request) => kill('before', request),
      async after(request) {
        if (completesFile(request)) arrived.push(request.key.split('/').at(-1)!);
        await kill('after', request);
      },
    });
    const argv = ['publish', out, `s3://${swift.bucket}/${prefix}`];
    let run = 0;
    const finish = (): void => void finishedFolder(out, { 'big.jsonl': big((run += 1)), 'same.csv': 'same\n', 'run.csv': `${run}\n` });
    finish();
    await publish(argv, proxy.url);
    const moments: Moment[] = [];
    if (long) {
      finish();
      base = proxy.requests.length;
      await publish(argv, proxy.url);
      for (let index = 0; index < proxy.requests.length - base; index++)
        for (const when of ['before', 'after'] as const) moments.push({ when, isAt: (_, nth) => nth === index });
    } else {
      // When the last file has arrived, or when readers see them. powerLoss.test.ts stops at every step, on a simulated disk.
      const isLastFile: Moment['isAt'] = ({ params, method }) => method === 'POST' && params.has('uploadId');
      const isSeen: Moment['isAt'] = ({ key, method }) => method === 'PUT' && key.endsWith('datapackage.json');
      moments.push(...ofTheDay([isLastFile, isSeen], 1).map((isAt) => ({ when: 'after', isAt }) as const));
    }
    expect(moments.length).toBeGreaterThan(long ? 50 : 0);
    for (const moment of moments) {
      const before = `${run}\n`;
      finish();
      arrived = [];
      base = proxy.requests.length;
      const { child, ended } = start(argv, { AWS_ENDPOINT_URL: proxy.url });
      victim = { ...moment, child };
      await ended;
      expect(long || child.signalCode === 'SIGKILL').toBe(true);
      victim = undefined;
      expect([before, `${run}\n`]).toContain((await readAt(prefix))!.files['run.csv']!.toString());
      await publish(argv, proxy.url);
      const dataset = (await readAt(prefix))!;
      expect(dataset.version).toBe(run);
      expect(dataset.files['run.csv']!.toString()).toBe(`${run}\n`);
      // What it was killed before may be on its way still.
      const names = moment.when === 'after' ? arrived : [...new Set(arrived)];
      expect(names.toSorted()).toEqual(['big.jsonl', 'run.csv']);
    }
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

/** Whether a request brings a file, or the last part of one. */
function completesFile({ key, method, params }: S3Request): boolean {
  return method === 'PUT' ? key.endsWith('.csv') : method === 'POST' && params.has('uploadId');
}

describe('trawler publish into a folder, killed', () => {
  it('shows the old version or the new one, and resumes', async () => {
    const shared = join(root, 'shared');
    const argv = ['publish', out, pathToFileURL(shared).href];
    const read = () => readDataset(async (name) => (existsSync(join(shared, name)) ? readFileSync(join(shared, name)) : undefined));
    finishedFolder(out, { 'big.jsonl': big(1), 'run.csv': '1\n' });
    await publish(argv);
    let run = 1;
    for (const ms of long ? Array.from({ length: 140 }, (_, nth) => nth) : [0]) {
      const before = `${run}\n`;
      run += 1;
      finishedFolder(out, { 'big.jsonl': big(run), 'run.csv': `${run}\n` });
      const there = readdirSync(join(shared, 'data')).length;
      const { child } = start(argv);
      await until(() => readdirSync(join(shared, 'data')).length > there || child.exitCode !== null);
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      await killed(child);
      expect([before, `${run}\n`]).toContain((await read())!.files['run.csv']!.toString());
      await publish(argv);
      expect(await read()).toMatchObject({ version: run, files: { 'run.csv': Buffer.from(`${run}\n`) } });
    }
  });
});
