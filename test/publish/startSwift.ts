import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../freePort.ts';

/** OpenStack Swift with its S3 interface, on free ports of loopback, which forgets everything at the end. */
export interface Swift {
  readonly url: string;
  readonly client: S3Client;
  /** Its bucket. */
  readonly bucket: string;
  close(): Promise<void>;
}

export const accessKey = 'test:publisher';
export const secretKey = 'canary-8c1f04';

const servers = ['account', 'container', 'object'] as const;

/** Whether there is a Swift to start; says once what to install where there is none. */
export function hasSwift(): boolean {
  const there = [...servers, 'proxy'].every((name) => existsSync(`/usr/bin/swift-${name}-server`)) && existsSync('/usr/bin/memcached');
  if (!there)
    process.stderr.write(
      'Publishing to S3 is not tested: apt-get install swift-proxy swift-account swift-container swift-object memcached\n',
    );
  return there;
}

export async function startSwift(): Promise<Swift> {
  const folder = mkdtempSync(join(tmpdir(), 'trawler-swift-'));
  const write = (name: string, lines: readonly string[]): void => writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  const port: { [server: string]: number } = {};
  for (const name of [...servers, 'proxy', 'memcached']) port[name] = await freePort();
  const common = (name: string): string[] => [
    '[DEFAULT]',
    'bind_ip = 127.0.0.1',
    `bind_port = ${port[name]}`,
    'workers = 0',
    `swift_dir = ${folder}`,
    `user = ${execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()}`,
  ];
  write('swift.conf', ['[swift-hash]', 'swift_hash_path_suffix = trawler', '[storage-policy:0]', 'name = only', 'default = yes']);
  mkdirSync(join(folder, 'disks', 'disk'), { recursive: true });
  for (const name of servers) {
    const ring = (...words: readonly string[]) => execFileSync('swift-ring-builder', [join(folder, `${name}.builder`), ...words], { stdio: 'ignore' }); // prettier-ignore
    ring('create', '4', '1', '1');
    ring('add', `r1z1-127.0.0.1:${port[name]}/disk`, '1');
    ring('rebalance');
    const disks = [`devices = ${join(folder, 'disks')}`, 'mount_check = false', 'fallocate_reserve = 0'];
    write(`${name}.conf`, [...common(name), ...disks, '[pipeline:main]', `pipeline = ${name}-server`, `[app:${name}-server]`, `use = egg:swift#${name}`]); // prettier-ignore
  }
  const filters = ['catch_errors', 'gatekeeper', 'listing_formats', 'memcache', 's3api', 'tempauth', 'copy', 'slo', 'dlo'];
  const settings: { readonly [filter: string]: string } = {
    memcache: `memcache_servers = 127.0.0.1:${port['memcached']}`,
    s3api: 'location = us-east-1',
    tempauth: `user_test_publisher = ${secretKey} .admin`,
  };
  write('proxy.conf', [
    ...common('proxy'),
    '[pipeline:main]',
    `pipeline = ${filters.join(' ')} proxy-server`,
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'account_autocreate = true',
    'error_suppression_interval = 0', // else a server that is asked before it listens is left alone for a minute
    ...filters.flatMap((name) => [`[filter:${name}]`, `use = egg:swift#${name}`, settings[name] ?? '']),
  ]);
  const env = { ...process.env, SWIFT_DIR: folder };
  const start = (program: string, ...argv: readonly string[]): ChildProcess => spawn(program, argv, { env, cwd: folder, stdio: 'ignore' });
  const running = [
    start('memcached', '-u', 'root', '-l', '127.0.0.1', '-p', String(port['memcached'])),
    ...[...servers, 'proxy'].map((name) => start(`swift-${name}-server`, join(folder, `${name}.conf`))),
  ];
  const url = `http://127.0.0.1:${port['proxy']}`;
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
  const close = async (): Promise<void> => {
    client.destroy();
    await Promise.all(
      running.map(async (one) => {
        const over = one.exitCode === null ? new Promise((resolve) => one.once('exit', resolve)) : undefined;
        one.kill('SIGKILL');
        await over;
      }),
    );
    rmSync(folder, { recursive: true, force: true });
  };
  for (let left = 300; ; left -= 1) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      return { url, client, bucket, close };
    } catch (error) {
      if (left > 0 && running.every(({ exitCode }) => exitCode === null)) await new Promise((resolve) => setTimeout(resolve, 200));
      else {
        await close();
        throw error;
      }
    }
  }
}
