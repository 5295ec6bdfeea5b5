import type { FileSystem, OpenFile } from '../../src/files/FileSystem.ts';
import type { Random } from './Random.ts';
import { Stopped, type Owner, type Simulation } from './Simulation.ts';

export interface DiskFault {
  /** The operation of the disk, counted from 1. */
  readonly at: number;
  readonly as: 'full' | 'broken';
}

interface ProcessOptions {
  readonly name: string;
  readonly random: Random;
  readonly fault?: DiskFault | undefined;
  /** Called after each operation. */
  readonly changed: (count: number) => void;
}

/** A process: its disk can fail, and once it is dead nothing that it waits for ever comes. */
export class SimulatedProcess implements Owner {
  readonly name: string;
  isAlive = true;
  inFlight = 0;
  maxInFlight = 0;
  requests = 0;
  operations = 0;
  readonly openFiles: string[] = [];
  /** What waits for the disk. */
  readonly waiting = { reads: 0, writes: 0, syncs: 0 };
  readonly locks = new Set<string>();
  readonly fileSystem: FileSystem;
  readonly #simulation: Simulation;
  readonly #options: ProcessOptions;

  constructor(simulation: Simulation, disk: FileSystem, options: ProcessOptions) {
    this.name = options.name;
    this.#simulation = simulation;
    this.#options = options;
    this.fileSystem = this.#over(disk);
  }

  die(): void {
    this.isAlive = false;
  }

  /** One operation that changes or syncs something. */
  #act<Result>(what: string, act: () => Result): Result {
    if (!this.isAlive) throw new Stopped();
    const count = ++this.operations;
    const { fault, changed } = this.#options;
    if (fault !== undefined && (fault.as === 'full' ? count >= fault.at && /^(writes|makes)/.test(what) : count === fault.at)) {
      const code = fault.as === 'full' ? 'ENOSPC' : 'EIO';
      this.#simulation.say(`${what}: ${code}`);
      throw Object.assign(new Error(`${code}: as the world says`), { code });
    }
    const result = act();
    this.#simulation.say(what);
    changed(count);
    if (!this.isAlive) throw new Stopped();
    return result;
  }

  #later<Result>(act: () => Result, what: keyof SimulatedProcess['waiting']): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return;
      this.waiting[what] += 1;
      this.#simulation.after(this.#options.random.next() * 3, () => {
        this.waiting[what] -= 1;
        try {
          resolve(act());
        } catch (error) {
          if (!(error instanceof Stopped)) reject(error as Error);
        }
      });
    });
  }

  #over(disk: FileSystem): FileSystem {
    const alive = (): void => {
      if (!this.isAlive) throw new Stopped();
    };
    const named = (path: string): string => path.replace(/(\.lock)\.\d+\.\d+$/, '$1.draft').replace(/((?:hits|reservations)-)[^/]*?(\.new)?$/, '$1…$2');
    return {
      open: (path, flags, mode) => {
        alive();
        const open = (): OpenFile => disk.open(path, flags, mode);
        if (flags === 'wx' && path.includes('.lock')) this.locks.add(path);
        const file = flags === 'wx' ? this.#act(`makes ${named(path)}`, open) : open();
        return this.#file(file, named(path));
      },
      stat: (path, follow) => (alive(), disk.stat(path, follow)),
      list: (folder) => (alive(), disk.list(folder)),
      realPath: (path) => (alive(), disk.realPath(path)),
      makeFolder: (path) => this.#act(`makes the folder ${path}`, () => disk.makeFolder(path)),
      removeFolder: (path) => this.#act(`removes the folder ${path}`, () => disk.removeFolder(path)),
      link: (from, to) => {
        const link = (): void => {
          disk.link(from, to);
          if (this.locks.has(from)) this.locks.add(to);
        };
        this.#act(`links ${named(from)} to ${named(to)}`, link);
      },
      rename: (from, to) => this.#act(`renames ${named(from)} to ${named(to)}`, () => disk.rename(from, to)),
      unlink: (path) => this.#act(`removes ${named(path)}`, () => disk.unlink(path)),
      build: (path, mode, make) => disk.build(path, mode, make),
      syncFolder: (folder) => {
        const synced = this.#later(() => this.#act(`syncs the folder ${folder}`, () => void disk.syncFolder(folder)), 'syncs');
        return synced;
      },
    };
  }

  #file(file: OpenFile, path: string): OpenFile {
    let isOpen = true;
    this.openFiles.push(path);
    const kept = (bytes: Uint8Array, offset: number, length: number): Buffer => Buffer.from(bytes.subarray(offset, offset + length));
    return {
      write: (bytes, offset, length, at) => {
        const before = kept(bytes, offset, length);
        return this.#later(() => {
          if (!before.equals(bytes.subarray(offset, offset + length))) throw new Error('the buffer changed while it was being written');
          return this.#act(`writes to ${path}`, () => file.writeSync(before, 0, length, at));
        }, 'writes');
      },
      writeSync: (bytes, offset, length, at) => this.#act(`writes to ${path}`, () => file.writeSync(bytes, offset, length, at)),
      read: (bytes, offset, length, at) => {
        return this.#later(() => file.readSync(bytes, offset, length, at), 'reads');
      },
      readSync: (bytes, offset, length, at) => file.readSync(bytes, offset, length, at),
      size: () => file.size(),
      datasync: () => this.#later(() => this.#act(`syncs ${path}`, () => file.datasyncSync()), 'syncs'),
      datasyncSync: () => this.#act(`syncs ${path}`, () => file.datasyncSync()),
      truncate: (length) => this.#act(`cuts ${path}`, () => file.truncate(length)),
      close: () => {
        if (isOpen) this.openFiles.splice(this.openFiles.indexOf(path), 1);
        isOpen = false;
        file.close();
      },
    };
  }
}
