import { join } from 'node:path';
import { type FileSystem, type OpenFile, sinkFailure, systemCode, tryOnDisk } from '../files/FileSystem.ts';
import { writeAllSync } from '../files/blocks.ts';

/** The content of a store's folder: numbered segments, an index for each, and a marker for each one being written. */
export interface FolderContent {
  /** In ascending order. */
  readonly segments: readonly number[];
  /** Segments that a process writes to, or may write to. */
  readonly live: ReadonlySet<number>;
  /** Markers of processes that are gone. */
  readonly stale: readonly string[];
  /** Files that count hits, one per process. */
  readonly hits: readonly string[];
  /** Files with the reservations of other processes. */
  readonly reservations: readonly string[];
  /** The folder is there. */
  readonly exists: boolean;
  /** The smallest number above those of all files. */
  readonly next: number;
}

/** The files in the folder of a store. */
export class StoreFolder {
  readonly path: string;
  readonly fileSystem: FileSystem;
  /** Its machine, number and start, as names of files have them. */
  readonly #own: readonly [host: string, pid: string, start: string];

  constructor(path: string, fileSystem: FileSystem) {
    this.path = path;
    this.fileSystem = fileSystem;
    const { host, pid, start = '' } = fileSystem.process;
    this.#own = [host.replaceAll(/[^A-Za-z0-9]/g, '_'), String(pid), start];
  }

  segment(number: number): string {
    return this.#at(number, '.warc.gz');
  }

  index(number: number): string {
    return this.#at(number, '.idx');
  }

  marker(number: number): string {
    return this.#at(number, `-${this.#own.join('-')}.writing`);
  }

  reservations(count: number): string {
    return `reservations-${this.#own.join('-')}-${count}`;
  }

  at(name: string): string {
    return join(this.path, name);
  }

  get exists(): boolean {
    return this.fileSystem.stat(this.path)?.kind === 'folder';
  }

  content(): FolderContent {
    const [host] = this.#own;
    const { process } = this.fileSystem;
    const segments: number[] = [];
    const live = new Set<number>();
    const stale: string[] = [];
    const hits: string[] = [];
    const reservations: string[] = [];
    const { exists } = this;
    let next = 1;
    for (const name of exists ? this.fileSystem.list(this.path) : []) {
      if (/^hits-[\w-]+\.json$/.test(name)) hits.push(name);
      const [, who, where, pid, start] = /^(?:\d+|reservations)-((\w+)-(\d+)-(\w*))(?:-\d+|\.writing)$/.exec(name) ?? [];
      const isElsewhere = where !== undefined && where !== host; // processes of other machines can't be seen, so they count as alive
      const isAlive = isElsewhere || (where === host && process.isRunning(Number(pid), start || undefined)); // a later one may have the number
      const isOwn = who === this.#own.join('-');
      if (where !== undefined && !isAlive) stale.push(name);
      if (name.startsWith('reservations-') && isAlive && !isOwn) reservations.push(name);
      const match = /^(\d{6,9})(?:\.(warc\.gz|idx)|-\w+-\d+-\w*\.writing)$/.exec(name);
      if (match === null) continue;
      const number = Number(match[1]);
      next = Math.max(next, number + 1);
      if (match[2] === 'warc.gz') segments.push(number);
      else if (isAlive) live.add(number);
    }
    return { segments: segments.sort((a, b) => a - b), live, stale, hits, reservations, exists, next };
  }

  /** The size of a file. undefined if there is none. */
  size(path: string): number | undefined {
    return this.fileSystem.stat(path)?.size;
  }

  /** The size of segments with their indexes, and of the files that count hits. */
  sizeOf({ segments, hits = [] }: { readonly segments: readonly number[]; readonly hits?: readonly string[] }): number {
    const paths = [...segments.flatMap((number) => [this.segment(number), this.index(number)]), ...hits.map((name) => this.at(name))];
    return paths.reduce((sum, path) => sum + (this.size(path) ?? 0), 0);
  }

  /** Which file is at a path. */
  idOf(path: string): string | undefined {
    return this.fileSystem.stat(path)?.id;
  }

  /** Opens a file for reading. undefined if there is none. */
  openToRead(path: string): OpenFile | undefined {
    try {
      return this.fileSystem.open(path, 'r');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw sinkFailure(path, 'opening it', error);
    }
  }

  /** Writes a file that can be made again: completely or not at all, but not yet safe from a power cut. */
  replace(path: string, bytes: Buffer): void {
    const draft = `${path}.${this.fileSystem.process.pid}.new`;
    if (this.fileSystem.stat(draft) !== undefined) this.fileSystem.unlink(draft);
    const file = this.fileSystem.open(draft, 'wx', 0o600);
    try {
      writeAllSync(file, bytes, 0);
    } finally {
      file.close();
    }
    this.fileSystem.rename(draft, path);
  }

  remove(path: string): void {
    if (this.fileSystem.stat(path) !== undefined) this.fileSystem.unlink(path);
  }

  /** Removes a file that says what this process does. If it stays, it is ignored once the process has ended. */
  discard(path: string): void {
    tryOnDisk(() => this.remove(path));
  }

  #at(number: number, ending: string): string {
    return join(this.path, String(number).padStart(6, '0') + ending);
  }
}
