import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../freePort.ts';

/** A Redis of the test's own, on a free port of loopback, in a folder of its own. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** `forget`: without anything that it had. */
  start(forget?: 'forget'): Promise<void>;
  /** All that was ever written to it, where it is persistent. */
  written(): string;
  close(): Promise<void>;
}

/** Whether there is a Redis to start; says once what to install where there is none. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('These tests need redis-server, of the Debian package redis-server; skipped.\n');
    return false;
  }
}

export async function startRedis({ persistent = true }: { readonly persistent?: boolean } = {}): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'trawler-redis-'));
  const port = await freePort();
  let server: ChildProcess | undefined;
  const start = async (forget?: 'forget'): Promise<void> => {
    if (forget !== undefined) rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true });
    const durable = persistent ? ['--appendonly', 'yes', '--appendfsync', 'everysec'] : ['--appendonly', 'no'];
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--loglevel', 'warning', ...durable];
    server = spawn('redis-server', args, { stdio: 'ignore' });
    while (!(await responds(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const kill = async (): Promise<void> => {
    const dying = server;
    server = undefined;
    if (dying === undefined) return;
    const dead = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill('SIGKILL');
    await dead;
  };
  await start();
  const close = async (): Promise<void> => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  };
  const written = (): string => {
    const log = join(folder, 'appendonlydir');
    return readdirSync(log)
      .map((file) => readFileSync(join(log, file), 'latin1'))
      .join('\n');
  };
  return { url: `redis://127.0.0.1:${port}`, port, kill, start, written, close };
}

function responds(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.on('error', () => resolve(false));
  });
}
