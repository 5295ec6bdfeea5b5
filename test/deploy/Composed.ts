import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { root } from '../testedPackage.ts';
import { unpackPackage } from '../unpackPackage.ts';

/** Why services can't be started here as containers would be; undefined if they can. */
export const missing: string | undefined =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'they need Linux, and root'
    : spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0
      ? undefined
      : 'unshare makes no namespaces here';

interface ServiceDefinition {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly scale?: number;
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
}

/** A process that has begun. */
export interface Started {
  readonly name: string;
  /** What it has said so far. */
  readonly said: () => string;
  /** Resolves to its exit code. */
  readonly ended: Promise<number>;
  /** Sends a signal to the process that is number 1 of its container. */
  kill(signal: NodeJS.Signals): void;
}

/** What the Dockerfile says after a word. */
export function ofDockerfile(word: string): string {
  return new RegExp(`^${word}\\s+(.*)$`, 'm').exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))![1]!;
}

/**
 * The services of a compose file, each run as its container would be, without one: as the user of the Dockerfile, as process 1, without
 * capabilities, with a root file system that can only be read, and the folders that the file names. This machine's /usr stands for the
 * base image, and they share its network: each name of a service is this machine.
 */
export class Composed {
  readonly #file: string;
  readonly #folder: string;
  readonly #services: Readonly<Record<string, ServiceDefinition>>;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #begun = new Map<string, Promise<readonly Started[]>>();
  readonly #children: ChildProcess[] = [];

  /** `environment`: variables that all services have besides. */
  static async read(file: string, folder: string, environment: Readonly<Record<string, string>>): Promise<Composed> {
    await unpackPackage(join(folder, 'image/trawler'));
    mkdirSync(join(folder, 'image/bin'));
    writeFileSync(join(folder, 'image/bin/node'), '');
    symlinkSync('/image/node_modules/trawler/dist/bundle/cli.js', join(folder, 'image/bin/trawler'));
    return new Composed(file, folder, environment);
  }

  private constructor(file: string, folder: string, environment: Readonly<Record<string, string>>) {
    const text = readFileSync(file, 'utf8').replaceAll(/\$\{\w+:-(\w*)\}/g, '$1');
    this.#services = (parse(text, { merge: true }) as { readonly services: Readonly<Record<string, ServiceDefinition>> }).services;
    this.#file = file;
    this.#folder = folder;
    this.#environment = environment;
    writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost ${Object.keys(this.#services).join(' ')}\n`);
  }

  get names(): readonly string[] {
    return Object.keys(this.#services);
  }

  /** The folder of a volume. */
  volume(name: string): string {
    return join(this.#folder, 'volumes', name);
  }

  /**
   * Starts a service after what it depends on, as often as the file says; once more if it was started before. `ports`: where each of
   * them listens in place of its own port.
   */
  async up(name: string, ...ports: readonly number[]): Promise<readonly Started[]> {
    const { depends_on = [], scale = 1, image } = this.#services[name]!;
    const dependencies = Array.isArray(depends_on)
      ? depends_on.map((other) => [other, 'service_started'] as const)
      : Object.entries(depends_on).map(([other, { condition }]) => [other, condition] as const);
    for (const [other, condition] of dependencies) {
      const started = await (this.#begun.get(other) ?? this.up(other));
      if (condition !== 'service_completed_successfully') continue;
      for (const { ended, said } of started) if ((await ended) !== 0) throw new Error(`${other} has failed: ${said()}`);
    }
    const starts = image === 'trawler' ? Array.from({ length: scale }, (_, index) => this.#start(name, ports[index])) : [];
    this.#begun.set(name, Promise.resolve(starts));
    return starts;
  }

  #start(name: string, port: number | undefined): Started {
    const { command, environment = {}, volumes = [], tmpfs = [], read_only: readOnly = false } = this.#services[name]!;
    const inside = join(this.#folder, 'root');
    const [uid, gid] = ofDockerfile('USER').split(':').map(Number) as [number, number];
    mkdirSync(inside, { recursive: true });
    const mounts = [
      ...['/bin', '/etc', '/lib', '/lib64', '/sbin', '/usr'].filter((path) => existsSync(path)).map((path) => [path, path, 'ro'] as const),
      [join(this.#folder, 'hosts'), '/etc/hosts', 'ro'] as const,
      [join(this.#folder, 'image/trawler'), '/image/node_modules/trawler', 'ro'] as const,
      [join(this.#folder, 'image/bin'), '/image/bin', 'ro'] as const,
      [process.execPath, '/image/bin/node', 'ro'] as const,
      [join(root, 'node_modules'), '/node_modules', 'ro'] as const,
      ...volumes.map((volume) => {
        const [from = '', to = '', mode = 'rw'] = volume.split(':');
        if (from.startsWith('.')) return [resolve(dirname(this.#file), from), to, mode] as const;
        if (mkdirSync(this.volume(from), { recursive: true }) !== undefined && to === ofDockerfile('VOLUME'))
          chownSync(this.volume(from), uid, gid);
        return [this.volume(from), to, mode] as const;
      }),
    ];
    const script = [
      `set -e; mount -t tmpfs none ${inside}`,
      ...mounts.flatMap(([from, to, mode]) => [
        statSync(from).isDirectory()
          ? `mkdir -p ${inside}${to}`
          : `mkdir -p ${inside}${dirname(to)}; [ -e ${inside}${to} ] || touch ${inside}${to}`,
        `mount --bind ${from} ${inside}${to}`,
        ...(mode === 'ro' ? [`mount -o remount,bind,ro ${inside}${to}`] : []),
      ]),
      `mkdir -p ${inside}/dev ${inside}/proc ${inside}${ofDockerfile('WORKDIR')}; mount --rbind /dev ${inside}/dev; mount -t proc proc ${inside}/proc`,
      ...tmpfs.map((path) => `mkdir ${inside}${path}; mount -t tmpfs -o mode=1777 none ${inside}${path}`),
      ...(readOnly ? [`mount -o remount,ro ${inside}`] : []),
      `exec chroot ${inside} setpriv --reuid ${uid} --regid ${gid} --clear-groups --bounding-set=-all --no-new-privs env --chdir=${ofDockerfile('WORKDIR')} "$@"`,
    ].join('\n');
    const entrypoint = JSON.parse(ofDockerfile('ENTRYPOINT')) as readonly string[];
    const args = [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      'sh',
      '-c',
      script,
      'sh',
      ...entrypoint,
      ...command.map((word) => onPort(word, port)),
    ];
    const env = { PATH: '/image/bin:/usr/sbin:/usr/bin:/sbin:/bin', NODE_ENV: 'production', ...environment, ...this.#environment };
    const child = spawn('unshare', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    return {
      name,
      said: () => said,
      ended: new Promise((end) => child.once('close', (code) => end(code ?? -1))),
      kill: (signal) => void process.kill(insideOf(child)[0]!, signal),
    };
  }

  /** Ends what is left, at once. */
  close(): void {
    for (const child of this.#children) {
      const [inside] = insideOf(child);
      if (inside !== undefined) process.kill(inside, 'SIGKILL'); // setpriv has cleared what would end it with unshare
      child.kill('SIGKILL');
    }
  }
}

/** The process that is number 1 of a container, while it runs. */
function insideOf({ pid }: ChildProcess): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // it has ended
  }
}

/** A word of a command that says where to listen, with another port, and on loopback only. */
function onPort(word: string, port: number | undefined): string {
  return word.replace(/^(0\.0\.0\.0:)?\d{4}$/, (_, host = '') => `${host}${port}`).replace('0.0.0.0', '127.0.0.1');
}
