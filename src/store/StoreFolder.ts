import { join } from 'node:path';
import { type FileSystem, type OpenFile, sinkFailure, systemCode } from '../files/FileSystem.ts';

/** What is in the folder of a store. Segments are named by their numbers. */
interface FolderContent {
  /** In ascending order. */
  readonly segments: readonly number[];
  /** Those that a process writes to, or may write to. */
  readonly live: ReadonlySet<number>;
  /** The names of markers whose process is dead. */
  readonly stale: readonly string[];
  /** The number for the next segment. */
  readonly next: number;
}

/** The files in the folder of a store. */
export class StoreFolder {
  readonly path: string;
  readonly fileSystem: FileSystem;
  readonly #host: string;

  constructor(path: string, fileSystem: FileSystem) {
    this.path = path;
    this.fileSystem = fileSystem;
    this.#host = fileSystem.process.host.replaceAll(/[^A-Za-z0-9]/g, '_');
  }

  segment(number: number): string {
    return this.#at(number, '.warc.gz');
  }

  index(number: number): string {
    return this.#at(number, '.idx');
  }

  /** The marker of a segment that this process writes to. Its name says the machine, the process and when it started. */
  marker(number: number): string {
    const { pid, start = '' } = this.fileSystem.process;
    return this.#at(number, `-${this.#host}-${pid}-${start}.writing`);
  }

  at(name: string): string {
    return join(this.path, name);
  }

  get exists(): boolean {
    return this.fileSystem.stat(this.path)?.kind === 'folder';
  }

  content(): FolderContent {
    const { process } = this.fileSystem;
    const segments: number[] = [];
    const live = new Set<number>();
    const stale: string[] = [];
    let next = 1;
    for (const name of this.exists ? this.fileSystem.list(this.path) : []) {
      const [, digits, host, pid, start] = /^(\d{6,9})(?:\.warc\.gz|\.idx|-(\w+)-(\d+)-(\w*)\.writing)$/.exec(name) ?? [];
      if (digits === undefined) continue;
      const number = Number(digits);
      next = Math.max(next, number + 1);
      if (name.endsWith('.gz')) segments.push(number);
      if (host === undefined) continue;
      // Processes of other machines can't be seen, so they count as alive. A later process may have the same number.
      if (host !== this.#host || process.isRunning(Number(pid), start || undefined)) live.add(number);
      else stale.push(name);
    }
    return { segments: segments.sort((a, b) => a - b), live, stale, next };
  }

  /** The size of a file. undefined if there is none. */
  size(path: string): number | undefined {
    return this.fileSystem.stat(path)?.size;
  }

  /** The size of segments with their indexes. */
  sizeOf(segments: readonly number[]): number {
    return segments.flatMap((number) => [this.segment(number), this.index(number)]).reduce((sum, path) => sum + (this.size(path) ?? 0), 0);
  }

  /** The id of the file at a path. undefined if there is none. */
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

  #at(number: number, ending: string): string {
    return this.at(String(number).padStart(6, '0') + ending);
  }
}
