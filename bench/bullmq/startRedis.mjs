import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';

/** A Redis of the bench's own, without persistence unless told. */
export async function startRedis({ appendonly = 'no' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
  const port = await freePort();
  const args = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    appendonly,
    '--loglevel',
    'warning',
  ];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${port}`;
  const queue = new Queue('bench', { connection: { url } });
  queue.on('error', () => {});
  const client = await queue.getBackend().client;
  return {
    url,
    client,
    async info(name) {
      return Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(await client.info())?.[1]);
    },
    async close() {
      await queue.close();
      server.kill();
      await new Promise((resolve) => server.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
