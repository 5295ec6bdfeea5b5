import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** OpenStack Swift with its S3 interface, on loopback, which forgets everything at the end. */
export interface Swift {
  readonly url: string;
  readonly client: S3Client;
  /** Its bucket. */
  readonly bucket: string;
  close(): Promise<void>;
}

export const accessKey = 'test:publisher';
export const secretKey = 'canary-8c1f04';

/** Whether there is a Swift to start; says once what to install where there is none. */
export function hasSwift(): boolean {
  const there = ['account', 'container', 'object', 'proxy'].every((name) => existsSync(`/usr/bin/swift-${name}-server`));
  if (!there)
    process.stderr.write('Publishing to S3 is not tested: apt-get install swift-proxy swift-account swift-container swift-object\n');
  return there;
}

export async function startSwift(): Promise<Swift> {
  const folder = mkdtempSync(join(tmpdir(), 'trawler-swift-'));
  const script = fileURLToPath(new URL('startSwift.py', import.meta.url));
  // To import what finds names over DNS, and what replaces distutils, took two thirds of its start.
  const env = { ...process.env, EVENTLET_NO_GREENDNS: 'yes', SETUPTOOLS_USE_DISTUTILS: 'stdlib' };
  const server = spawn('/usr/bin/python3', [script, folder, secretKey], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])) as [Buffer | number | null];
  if (!Buffer.isBuffer(line)) throw new Error(`Swift ended with ${line}`);
  const url = `http://127.0.0.1:${line.toString().trim()}`;
  const client = new S3Client({
    endpoint: url,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 5,
  });
  const bucket = 'datasets';
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    url,
    client,
    bucket,
    async close() {
      client.destroy();
      server.kill('SIGKILL');
      await once(server, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
