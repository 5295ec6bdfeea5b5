import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { freePort } from './freePort.ts';

export interface Postgres {
  readonly url: string;
  /** Runs a script through psql, in a folder; gives what it prints, one line a row. */
  psql(script: string, folder?: string): Promise<string>;
  /** Lets the connections of trawler hang, or the server, so that new ones do, too. Returns a function that ends this. */
  hang(what: 'connections' | 'server'): Promise<() => void>;
  /** Kills the server as a power switch would, and starts it again on its port. */
  killAndRestart(): Promise<void>;
  close(): Promise<void>;
}

/** Where PostgreSQL's programs are; undefined where it isn't installed. */
export const postgresBin: string | undefined = ((): string | undefined => {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).toSorted((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
})();

if (postgresBin === undefined) console.warn('PostgreSQL is not on this machine, so nothing is loaded into it: apt-get install postgresql');

/** A PostgreSQL of its own on a free loopback port, which forgets everything at the end. */
export async function startPostgres(): Promise<Postgres> {
  const bin = postgresBin!;
  // it refuses to run as root
  const owner = process.getuid?.() === 0 ? ids('postgres') : undefined;
  const data = newFolder('trawler-postgres-', owner);
  execFileSync('cp', ['-a', `${emptyDatabase(bin, owner)}/.`, data]);
  const port = await freePort();
  const options = [
    '-D',
    data,
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `unix_socket_directories=${data}`,
    '-c',
    'autovacuum=off',
    '-F',
  ];
  const start = () => spawn(join(bin, 'postgres'), options, { ...owner, cwd: data, stdio: 'ignore' });
  let server = start();
  const exited = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  const url = `postgresql://trawler@127.0.0.1:${port}/postgres`;
  const psql = async (script: string, folder?: string): Promise<string> => {
    const done = promisify(execFile)(join(bin, 'psql'), [url, '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', '-'], {
      cwd: folder,
      maxBuffer: 1e9,
    });
    done.child.stdin!.on('error', () => {}); // psql that ends early says so by its exit code
    done.child.stdin!.end(script);
    return (await done).stdout;
  };
  const ready = async (restarts: number): Promise<void> => {
    for (let left = 200; ; left -= 1) {
      try {
        await psql('SELECT 1;');
        return;
      } catch (error) {
        if (left === 0 || (server.exitCode !== null && restarts === 0)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
        if (server.exitCode === null) continue;
        server = start(); // processes of the killed one were still there
        restarts -= 1;
      }
    }
  };
  await ready(0);
  return {
    url,
    psql,
    async hang(what) {
      const found = await psql("SELECT pid FROM pg_stat_activity WHERE application_name = 'trawler';");
      const pids = [...found.split('\n').filter(Boolean).map(Number), ...(what === 'server' ? [server.pid!] : [])];
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      return () => pids.forEach((pid) => process.kill(pid, 'SIGCONT'));
    },
    async killAndRestart() {
      server.kill('SIGKILL');
      await exited();
      server = start();
      await ready(50);
    },
    async close() {
      server.kill('SIGQUIT'); // it saves nothing
      await exited();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The data of a server that has nothing yet. The first file of a run that needs one makes it: that takes a second of CPU. */
function emptyDatabase(bin: string, owner: Ids | undefined): string {
  const shared = `${inject('dist')}/postgres`;
  if (existsSync(shared)) return shared;
  const made = newFolder('trawler-initdb-', owner);
  execFileSync(join(bin, 'initdb'), ['-D', made, '-U', 'trawler', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'], {
    ...owner,
    cwd: made,
    stdio: 'ignore',
  });
  // Whole when it gets its name, also where two files make it at once.
  const whole = `${shared}-${process.pid}`;
  execFileSync('cp', ['-a', made, whole]);
  rmSync(made, { recursive: true });
  try {
    renameSync(whole, shared);
  } catch {
    rmSync(whole, { recursive: true }); // another was faster
  }
  return shared;
}

function newFolder(prefix: string, owner: Ids | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

function ids(user: string): Ids {
  const id = (flag: string): number => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
