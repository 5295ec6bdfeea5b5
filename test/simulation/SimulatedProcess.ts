import type { FileSystem, OpenFile } from '../../src/files/FileSystem.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import type { MemoryDisk } from '../disk/MemoryDisk.ts';
import type { Random } from './Random.ts';
import type { Owner, Simulation } from './Simulation.ts';
import { Stopped } from './Stopped.ts';
import type { DiskCount } from './World.ts';

/** From this operation of the disk on nothing fits any more, or this one fails. Counted from 1. */
export interface DiskTrouble {
  readonly at: number;
  readonly on?: DiskCount;
  readonly kind: 'full' | 'broken';
}

interface SimulatedProcessOptions {
  readonly name: string;
  readonly random: Random;
  readonly trouble?: DiskTrouble | undefined;
  /** How long a sync takes at most. @default 3 */
  readonly syncMs?: number | undefined;
  /** Called after each operation that changes or syncs something, for each count that it is in. */
  readonly changed: (on: DiskCount, count: number) => void;
}

/** Whatever a disk does takes so long at most. */
const usualMs = 3;

/** The counts of an operation: whether it changes names, and whether there was a request before. */
const countsOf: { readonly [what in 'name' | 'other']: { readonly [when in 'beginning' | 'end']: readonly DiskCount[] } } = {
  name: { beginning: ['disk', 'name'], end: ['disk', 'name', 'end'] },
  other: { beginning: ['disk'], end: ['disk', 'end'] },
};

/** Who takes part in a simulation as a process: its disk takes time and can fail. Once it is dead, nothing that it waits for ever comes. */
export class SimulatedProcess implements Owner {
  readonly name: string;
  isAlive = true;
  inFlight = 0;
  requests = 0;
  /** The step in which it last did something besides keeping its lock. */
  lastStep = 0;
  readonly openFiles: string[] = [];
  /** What waits for the disk. */
  readonly waiting = { reads: 0, writes: 0, syncs: 0 };
  readonly fileSystem: FileSystem;
  readonly #simulation: Simulation;
  readonly #options: SimulatedProcessOptions;
  readonly #inner: MemoryFileSystem;
  readonly #counts = { disk: 0, name: 0, end: 0 };
  /** How many requests there were before the last operation of the disk. */
  #requested = 0;
  #isFull = false;

  constructor(simulation: Simulation, disk: MemoryDisk, options: SimulatedProcessOptions) {
    this.name = options.name;
    this.#simulation = simulation;
    this.#options = options;
    this.#inner = new MemoryFileSystem(disk);
    this.fileSystem = this.#over(this.#inner);
  }

  die(): void {
    this.isAlive = false;
  }

  /** Its locks are now those of a dead process. */
  bury(): void {
    this.#inner.kill();
  }

  /** An operation that changes or syncs something. */
  act<Result>(verb: 'makes' | 'names' | 'writes' | 'syncs' | 'cuts', say: () => string, act: () => Result): Result {
    this.#stayAlive();
    const { trouble, changed } = this.#options;
    const counted = this.#count(verb === 'makes' || verb === 'names');
    const counts = this.#counts;
    const isNow = trouble !== undefined && counted.includes(trouble.on ?? 'disk') && counts[trouble.on ?? 'disk'] === trouble.at;
    this.#isFull ||= isNow && trouble.kind === 'full';
    const hasNoRoom = this.#isFull && (verb === 'makes' || verb === 'writes');
    // A lock that can't be removed stays until its process ends, which these processes never do.
    const isBroken = isNow && trouble.kind === 'broken' && !say().endsWith('.lock');
    if (hasNoRoom || isBroken) {
      const code = hasNoRoom ? 'ENOSPC' : 'EIO';
      this.#simulation.say(() => `${say()}: ${code}`);
      throw Object.assign(new Error(`${code}: as the world says`), { code });
    }
    const result = act();
    this.#simulation.say(say);
    if (!say().includes('.lock')) this.lastStep = this.#simulation.steps;
    for (const on of counted) changed(on, counts[on]);
    this.#stayAlive();
    return result;
  }

  /** Counts an operation. Returns the counts that it is in. */
  #count(isName: boolean): readonly DiskCount[] {
    const counts = this.#counts;
    if (this.requests > this.#requested) counts.end = 0;
    this.#requested = this.requests;
    const counted = countsOf[isName ? 'name' : 'other'][this.requests > 0 ? 'end' : 'beginning'];
    for (const on of counted) counts[on] += 1;
    return counted;
  }

  #stayAlive(): void {
    if (!this.isAlive) throw new Stopped();
  }

  /** What waits for the disk. It never comes once the process is dead. */
  later<Result>(what: keyof SimulatedProcess['waiting'], act: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return;
      this.waiting[what] += 1;
      const { random, syncMs = usualMs } = this.#options;
      this.#simulation.after(random.next() * (what === 'syncs' ? syncMs : usualMs), () => {
        this.waiting[what] -= 1;
        try {
          resolve(act());
        } catch (error) {
          if (!(error instanceof Stopped)) reject(error as Error);
        }
      });
    });
  }

  #over(inner: MemoryFileSystem): FileSystem {
    const look =
      <Args extends readonly unknown[], Result>(act: (...args: Args) => Result) =>
      (...args: Args): Result => {
        this.#stayAlive();
        return act(...args);
      };
    const change =
      <Args extends readonly string[], Result>(verb: 'makes' | 'names', words: string, act: (...args: Args) => Result) =>
      (...args: Args): Result =>
        this.act(
          verb,
          () => `${words} ${args.join(' to ')}`,
          () => act(...args),
        );
    return {
      process: inner.process,
      open: (path, flags) => {
        this.#stayAlive();
        const open = (): OpenFile => inner.open(path, flags);
        return new SimulatedFile(this, path, flags === 'wx' ? this.act('makes', () => `makes ${path}`, open) : open());
      },
      stat: look((path) => inner.stat(path)),
      list: look((folder) => inner.list(folder)),
      realPath: look((path) => inner.realPath(path)),
      makeFolder: change('makes', 'makes the folder', (path) => inner.makeFolder(path)),
      removeFolder: change('names', 'removes the folder', (path) => inner.removeFolder(path)),
      link: change('makes', 'links', (from, to) => inner.link(from, to)),
      rename: change('names', 'renames', (from, to) => inner.rename(from, to)),
      unlink: change('names', 'removes', (path) => inner.unlink(path)),
      build: (path, mode, make) => inner.build(path, mode, make),
      syncFolder: async (folder) => {
        const sync = (): Promise<void> =>
          this.act(
            'syncs',
            () => `syncs the folder ${folder}`,
            () => inner.syncFolder(folder),
          );
        await (
          await this.later('syncs', () => ({ done: sync() }))
        ).done;
      },
    };
  }
}

/** A file that a process has open. */
class SimulatedFile implements OpenFile {
  readonly #process: SimulatedProcess;
  readonly #path: string;
  readonly #file: OpenFile;
  #isOpen = true;

  constructor(process: SimulatedProcess, path: string, file: OpenFile) {
    this.#process = process;
    this.#path = path;
    this.#file = file;
    process.openFiles.push(path);
  }

  write(bytes: Uint8Array, offset: number, length: number, at: number): Promise<number> {
    const before = Buffer.from(bytes.subarray(offset, offset + length));
    return this.#process.later('writes', () => {
      if (!before.equals(bytes.subarray(offset, offset + length))) throw new Error('the buffer changed while it was being written');
      return this.writeSync(before, 0, length, at);
    });
  }

  writeSync(bytes: Uint8Array, offset: number, length: number, at: number): number {
    return this.#process.act(
      'writes',
      () => `writes to ${this.#path}`,
      () => this.#file.writeSync(bytes, offset, length, at),
    );
  }

  read(bytes: Uint8Array, offset: number, length: number, at: number): Promise<number> {
    return this.#process.later('reads', () => this.#file.readSync(bytes, offset, length, at));
  }

  readSync(bytes: Uint8Array, offset: number, length: number, at: number): number {
    return this.#file.readSync(bytes, offset, length, at);
  }

  size(): number {
    return this.#file.size();
  }

  datasync(): Promise<void> {
    return this.#process.later('syncs', () => this.datasyncSync());
  }

  datasyncSync(): void {
    this.#process.act(
      'syncs',
      () => `syncs ${this.#path}`,
      () => this.#file.datasyncSync(),
    );
  }

  truncate(length: number): void {
    this.#process.act(
      'cuts',
      () => `cuts ${this.#path}`,
      () => this.#file.truncate(length),
    );
  }

  close(): void {
    const { openFiles } = this.#process;
    if (this.#isOpen) openFiles.splice(openFiles.indexOf(this.#path), 1);
    this.#isOpen = false;
    this.#file.close();
  }
}
