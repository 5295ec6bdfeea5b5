import { GetObjectCommand, HeadObjectCommand, ListObjectsV2Command, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTarget, publishFolder, type PublishOptions } from '../../src/publish/index.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { finishedFolder } from './finishedFolder.ts';
import { readDataset, type ReadDataset } from './reader.ts';
import { startS3Proxy, type S3Fault, type S3Proxy, type S3Request } from './startS3Proxy.ts';
import { accessKey, hasSwift, secretKey, startSwift, type Swift } from './startSwift.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const partBytes = 8 * 2 ** 20;

describe.skipIf(!hasSwift())('publishFolder into S3', () => {
  let swift: Swift;
  let root: string;
  let out: string;
  let prefix: string;
  beforeAll(async () => {
    swift = await startSwift();
  });
  afterAll(() => swift.close());
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'trawler-publish-'));
    out = join(root, 'out');
    prefix = `runs/${randomBytes(4).toString('hex')}`;
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKey);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretKey);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  });

  const publish = async (options: PublishOptions & { readonly endpoint?: string; readonly from?: string } = {}) => {
    const { endpoint = swift.url, from = out, ...rest } = options;
    const target = await openTarget(`s3://${swift.bucket}/${prefix}`, { env: { AWS_ENDPOINT_URL: endpoint }, signal: rest.signal });
    try {
      return await publishFolder(from, target, rest);
    } finally {
      target.close();
    }
  };
  const get = async (name: string): Promise<Buffer | undefined> => {
    try {
      const { Body } = await swift.client.send(new GetObjectCommand({ Bucket: swift.bucket, Key: `${prefix}/${name}` }));
      return Buffer.from(await Body!.transformToByteArray());
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  };
  const read = (): Promise<ReadDataset | undefined> => readDataset(get);
  const names = async (): Promise<string[]> => {
    const { Contents = [] } = await swift.client.send(new ListObjectsV2Command({ Bucket: swift.bucket, Prefix: `${prefix}/` }));
    return Contents.map(({ Key }) => Key!.slice(prefix.length + 1));
  };
  /** Reads the dataset whenever the proxy has passed on what changes it for readers. Says what they found, and what was wrong. */
  const reader = () => {
    const wrong: string[] = [];
    const versions: number[] = [];
    const reading: Promise<unknown>[] = [];
    const after = ({ method, key }: S3Request): void => {
      if (!(method === 'PUT' && key.endsWith('datapackage.json')) && !(method === 'DELETE' && key.includes('/data/'))) return;
      const look = read().then(
        (dataset) => dataset !== undefined && versions.push(dataset.version),
        (error: Error) => wrong.push(error.message),
      );
      reading.push(look);
    };
    const done = async () => {
      await Promise.all(reading);
      return { wrong, versions };
    };
    return { after, done };
  };
  const big = (seed: number, parts = 3): Buffer => {
    const random = seeded(seed);
    const bytes = Buffer.alloc((parts - 1) * partBytes + 12_345);
    for (let at = 0; at < bytes.length; at += 4096) bytes.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
    return bytes;
  };

  it('brings all files with their SHA-256 and media type, large ones in parts', async () => {
    const content = big(1, 2);
    finishedFolder(out, { 'places.csv': 'a,b\n', 'reviews.jsonl': content });
    const notices: string[] = [];
    const tell: PublishOptions['tell'] = (event) => event.type === 'notice' && notices.push(event.message);
    const report = await publish({ tell });
    expect(report).toMatchObject({ version: 1, uploaded: { files: 3 } });
    expect(notices).toEqual([expect.stringContaining('no conditional writes')]);
    const dataset = (await read())!;
    expect(dataset.files['places.csv']!.toString()).toBe('a,b\n');
    expect(dataset.files['reviews.jsonl']!.equals(content)).toBe(true);
    const head = await swift.client.send(new HeadObjectCommand({ Bucket: swift.bucket, Key: `${prefix}/${dataset.places[1]}` }));
    expect(head.ETag).toMatch(/-2"$/);
    expect(head.Metadata!['sha256']).toMatch(/^[0-9a-f]{64}$/);
    const left = (await names()).filter((name) => !dataset.places.includes(name));
    expect(left).toEqual([expect.stringMatching(/^data\/[0-9a-f]{64}\/report\.html$/), 'datapackage.json']);
  });

  it('needs no more memory for a large file than for its parts in flight', async () => {
    const write = (): unknown => finishedFolder(out, { 'reviews.jsonl': big(6, 7) });
    write(); // what this function held would count
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heldBytes = (): number => {
      collect();
      collect(); // what the first one found is freed beside it, and surely when the second one begins
      return process.memoryUsage().arrayBuffers;
    };
    const before = heldBytes();
    const held: number[] = [];
    const tell: PublishOptions['tell'] = (event) => {
      if (event.type === 'progress' && event.bytes > 3 * partBytes * (held.length + 1)) held.push(heldBytes() - before);
    };
    await publish({ tell });
    expect(held).toHaveLength(2);
    expect(Math.min(...held)).toBeGreaterThan(partBytes);
    expect(Math.max(...held)).toBeLessThan(7 * partBytes); // four parts in flight, and the next one twice while it is put together
  });

  it('uploads what an update changed, and leaves other files alone', async () => {
    await swift.client.send(new PutObjectCommand({ Bucket: swift.bucket, Key: `${prefix}/data/mine.txt`, Body: 'mine' }));
    for (let run = 1; run <= 2; run++) {
      finishedFolder(out, { 'same.csv': 'same\n', 'reviews.jsonl': `${run}\n` });
      expect(await publish()).toMatchObject({ version: run, uploaded: { files: run === 1 ? 3 : 1 } });
      expect((await read())!.files['reviews.jsonl']!.toString()).toBe(`${run}\n`);
    }
    const left = await names();
    expect(left.filter((name) => name.endsWith('.jsonl'))).toHaveLength(2);
    expect(left.filter((name) => name.endsWith('same.csv'))).toHaveLength(1);
    expect(left).toContain('data/mine.txt');
  });

  it('uploads a file again that a rule of the bucket may be about to remove', async () => {
    finishedFolder(out, { 'same.csv': 'same\n', 'reviews.jsonl': '1\n' });
    await publish();
    finishedFolder(out, { 'same.csv': 'same\n', 'reviews.jsonl': '2\n' });
    let aged = false;
    await using proxy = await startS3Proxy(swift, {
      fault: ({ method, key }) => (method === 'HEAD' && key.endsWith('same.csv') && !aged ? ((aged = true), 'old') : undefined),
    });
    expect(await publish({ endpoint: proxy.url })).toMatchObject({ uploaded: { files: 2 }, kept: { files: 1 } });
  });

  const faults: readonly Exclude<S3Fault, undefined>[] = ['500', '503', 'cut', 'lost', 'half', 'changed', 'swallowed'];
  const disturbed = faults.flatMap((kind) => [[kind, 'without', undefined] as const, [kind, 'with', 'knows'] as const]);
  // Each takes a hundred requests or more, so a test has one of them, and another every day.
  it.each(ofTheDay(disturbed, 1))("publishes through '%s' now and then, %s conditional writes", async (kind, _, conditions) => {
    finishedFolder(out, { 'places.csv': 'old\n', 'reviews.jsonl': 'old\n' });
    await publish();
    const content = big(2, 2);
    finishedFolder(out, { 'places.csv': 'new\n', 'reviews.jsonl': content });
    const random = seeded(3);
    const { after, done } = reader();
    // only what is uploaded may be swallowed: a text that was confirmed and isn't there is beyond any protocol
    await using proxy = await startS3Proxy(swift, {
      conditions,
      after,
      fault: ({ key }) => (random() < 0.25 && (kind !== 'swallowed' || key.includes('/data/')) ? kind : undefined),
    });
    const report = await publishAgain(proxy);
    expect(report.version).toBe(2);
    const { wrong, versions } = await done();
    expect(wrong).toEqual([]);
    expect(versions.length).toBeGreaterThan(0);
    const dataset = (await read())!;
    expect(dataset.version).toBe(2);
    expect(dataset.files['reviews.jsonl']!.equals(content)).toBe(true);
  });
  /** As a user does who repeats a command that failed. Most need no second call. */
  async function publishAgain(proxy: S3Proxy) {
    for (let left = 5; ; left -= 1) {
      try {
        return await publish({ endpoint: proxy.url });
      } catch (error) {
        if (left === 0 || !/arrived damaged|The same command resumes/.test((error as Error).message)) throw error;
      }
    }
  }

  const liars = [
    ['changes every byte that it stores', 'changed'],
    ['confirms what it does not store', 'swallowed'],
  ] as const;
  it.each(ofTheDay(liars, 1))('fails when a server %s, and readers keep the old version', async (_, kind) => {
    finishedFolder(out, { 'a.csv': 'old\n' });
    await publish();
    finishedFolder(out, { 'a.csv': 'new\n' });
    await using proxy = await startS3Proxy(swift, {
      fault: ({ key, method }) => (method === 'PUT' && key.endsWith('a.csv') ? kind : undefined),
    });
    await expect(publish({ endpoint: proxy.url })).rejects.toThrow('a.csv arrived damaged 3 times');
    expect((await read())!.files['a.csv']!.toString()).toBe('old\n');
    expect(await publish()).toMatchObject({ version: 2 });
  });

  it('uploads a file again that was changed at the server, also one of the version before', async () => {
    finishedFolder(out, { 'a.csv': 'a\n', 'b.csv': '1\n' });
    await publish();
    const place = (await read())!.places[0]!;
    await swift.client.send(new PutObjectCommand({ Bucket: swift.bucket, Key: `${prefix}/${place}`, Body: 'b\n' }));
    finishedFolder(out, { 'a.csv': 'a\n', 'b.csv': '2\n' });
    expect(await publish()).toMatchObject({ version: 2, uploaded: { files: 2 } });
    expect((await read())!.files['a.csv']!.toString()).toBe('a\n');
  });

  const conditional = ofTheDay(['knows', undefined] as const, 1);
  it.each(conditional)('lets one of many publishers win whole (conditional writes: %s)', async (conditions) => {
    const { after, done } = reader();
    await using proxy = await startS3Proxy(swift, { conditions, after });
    const folders = (long ? ['one', 'two', 'three'] : ['one', 'two']).map((name) =>
      finishedFolder(join(root, name), { 'who.csv': `${name}\n`, 'same.csv': 'same\n' }),
    );
    let left = folders;
    for (let round = 1; left.length > 0; round++) {
      const ended = await Promise.allSettled(left.map((from) => publish({ from, endpoint: proxy.url })));
      const lost = left.filter((_, index) => ended[index]!.status === 'rejected');
      const reasons = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
      expect(reasons.map(({ name }) => name)).toEqual(lost.map(() => 'BusyError'));
      const won = left.length - lost.length;
      expect(won).toBeGreaterThanOrEqual(1);
      expect(won).toBeLessThanOrEqual(conditions === 'knows' ? 1 : left.length);
      const dataset = (await read())!;
      expect(dataset.version).toBeGreaterThanOrEqual(conditions === 'knows' ? round : 1);
      expect(Object.keys(dataset.files)).toEqual(['who.csv', 'same.csv']);
      left = lost;
    }
    expect((await done()).wrong).toEqual([]);
  });

  it('makes one version of a folder that two publishers bring', async () => {
    await using proxy = await startS3Proxy(swift, { conditions: 'knows' });
    finishedFolder(out, { 'big.jsonl': big(4, 2) });
    rmSync(join(out, '.trawler'), { recursive: true }); // its lock would let in one only
    const done = await Promise.allSettled([publish({ endpoint: proxy.url }), publish({ endpoint: proxy.url })]);
    expect(done.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    await publish({ endpoint: proxy.url });
    expect((await read())!.version).toBe(1);
  });
});
