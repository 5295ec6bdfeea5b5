import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FileStat, FileSystem, OpenFile } from '../../src/files/FileSystem.ts';

/** One thing that was done to the disk. */
export type Step =
  | { readonly kind: 'make'; readonly name: string; readonly file: number }
  | { readonly kind: 'write'; readonly file: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  | { readonly kind: 'datasync'; readonly file: number }
  | { readonly kind: 'link'; readonly file: number; readonly name: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly name: string }
  | { readonly kind: 'folder'; readonly name: string }
  | { readonly kind: 'syncFolder'; readonly name: string };

/** What is on a disk: names of files (numbers) and folders, and the files' bytes. */
export interface Disk {
  readonly names: ReadonlyMap<string, number | 'folder'>;
  readonly files: ReadonlyMap<number, Buffer>;
}

export const emptyDisk: Disk = { names: new Map([['/', 'folder']]), files: new Map() };

/** What goes wrong at a step: an error code; or, for a write, so many bytes are written and then nothing more is said. */
export type Fault = string | { readonly short: number };

const buildBytes = 64 * 1024;

/** A disk in memory that keeps a log of all that is done to it, and fails where it is told to. */
export class MemoryFileSystem implements FileSystem {
  readonly log: Step[] = [];
  readonly #names: Map<string, number | 'folder'>;
  readonly #files: Map<number, Buffer>;
  readonly #fault: (step: Step, index: number) => Fault | undefined;
  #next = 1;
  /** Files that are open right now. */
  openCount = 0;
  /** Awaited before each asynchronous step; replace it to slow the disk down. */
  pause: () => Promise<void> = () => Promise.resolve();

  constructor(disk: Disk = emptyDisk, fault: (step: Step, index: number) => Fault | undefined = () => undefined) {
    this.#names = new Map(disk.names);
    this.#files = new Map([...disk.files].map(([file, bytes]) => [file, Buffer.from(bytes)]));
    this.#next = Math.max(0, ...disk.files.keys()) + 1;
    this.#fault = fault;
  }

  get disk(): Disk {
    return { names: new Map(this.#names), files: new Map([...this.#files].map(([file, bytes]) => [file, Buffer.from(bytes)])) };
  }

  read(name: string): Buffer | undefined {
    const file = this.#names.get(name);
    return typeof file === 'number' ? this.#files.get(file) : undefined;
  }

  put(name: string, text: string): void {
    this.#files.set(this.#next, Buffer.from(text));
    this.#names.set(name, this.#next++);
  }

  get fileNames(): string[] {
    return [...this.#names]
      .filter(([, what]) => what !== 'folder')
      .map(([name]) => name)
      .sort();
  }

  /** Notes the step, or throws what it is told to; gives the bytes of a write that are written. */
  #step(step: Step): number {
    const fault = this.#fault(step, this.log.length);
    if (typeof fault === 'string') {
      this.log.push({ kind: 'syncFolder', name: '?' }); // an attempt counts, and does nothing
      throw failure(fault);
    }
    const done = step.kind === 'write' && fault !== undefined ? { ...step, bytes: step.bytes.subarray(0, fault.short) } : step;
    this.log.push(done);
    apply(done, this.#names, this.#files);
    return done.kind === 'write' ? done.bytes.length : 0;
  }

  #file(name: string): number {
    const file = this.#names.get(name);
    if (file === undefined) throw failure('ENOENT');
    if (file === 'folder') throw failure('EISDIR');
    return file;
  }

  open(name: string, flags: 'r' | 'r+' | 'wx'): OpenFile {
    if (this.#names.get(dirname(name)) !== 'folder') throw failure('ENOENT');
    let file: number;
    if (flags === 'wx') {
      if (this.#names.has(name)) throw failure('EEXIST');
      file = this.#next++;
      this.#step({ kind: 'make', name, file });
    } else file = this.#file(name);
    this.openCount += 1;
    let open = true;
    const content = (): Buffer => {
      if (!open) throw failure('EBADF');
      return this.#files.get(file)!;
    };
    const write = (bytes: Uint8Array, offset: number, length: number, at: number): number => {
      content();
      return this.#step({ kind: 'write', file, at, bytes: Buffer.from(bytes.subarray(offset, offset + length)) });
    };
    const read = (bytes: Uint8Array, offset: number, length: number, at: number): number =>
      at >= content().length ? 0 : content().copy(bytes, offset, at, at + length);
    return {
      write: async (bytes, offset, length, at) => {
        const before = Buffer.from(bytes.subarray(offset, offset + length));
        await this.pause();
        if (!before.equals(bytes.subarray(offset, offset + length))) throw new Error('the buffer changed while it was being written');
        return write(bytes, offset, length, at);
      },
      writeSync: write,
      read: async (bytes, offset, length, at) => {
        await this.pause();
        return read(bytes, offset, length, at);
      },
      readSync: read,
      size: () => content().length,
      datasync: async () => {
        await this.pause();
        content();
        this.#step({ kind: 'datasync', file });
      },
      datasyncSync: () => {
        content();
        this.#step({ kind: 'datasync', file });
      },
      truncate: (length) => {
        content();
        this.#step({ kind: 'truncate', file, length });
      },
      close: () => {
        if (open) this.openCount -= 1;
        open = false;
      },
    };
  }

  stat(name: string): FileStat | undefined {
    const file = this.#names.get(name);
    if (file === undefined) return undefined;
    return {
      kind: file === 'folder' ? 'folder' : 'file',
      size: file === 'folder' ? 0 : this.#files.get(file)!.length,
      id: String(file === 'folder' ? name : file),
    };
  }

  list(folder: string): string[] {
    const inside = folder === '/' ? '/' : `${folder}/`;
    const names = [...this.#names.keys()]
      .filter((name) => name !== '/' && name.startsWith(inside))
      .map((name) => name.slice(inside.length));
    return names.filter((name) => !name.includes('/'));
  }

  makeFolder(name: string): string | undefined {
    const there = this.#names.get(name);
    if (there === 'folder') return undefined;
    if (there !== undefined) throw failure('ENOTDIR');
    const first = this.makeFolder(dirname(name)) ?? name;
    this.#step({ kind: 'folder', name });
    return first;
  }

  removeFolder(name: string): void {
    if (this.list(name).length > 0) throw failure('ENOTEMPTY');
    this.#step({ kind: 'unlink', name });
  }

  realPath(name: string): string {
    return name;
  }

  link(existing: string, name: string): void {
    const file = this.#file(existing);
    if (this.#names.has(name)) throw failure('EEXIST');
    this.#step({ kind: 'link', file, name });
  }

  rename(from: string, to: string): void {
    this.#file(from);
    this.#step({ kind: 'rename', from, to });
  }

  unlink(name: string): void {
    this.#file(name);
    this.#step({ kind: 'unlink', name });
  }

  /** Through a real file, whose bytes then come in pieces. */
  async build(name: string, _mode: number, make: (path: string) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'trawler-memory-'));
    try {
      await make(join(folder, 'file'));
      const bytes = readFileSync(join(folder, 'file'));
      const file = this.open(name, 'wx');
      for (let at = 0; at < bytes.length; at += buildBytes) await file.write(bytes, at, Math.min(buildBytes, bytes.length - at), at);
      file.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  async syncFolder(name: string): Promise<void> {
    await this.pause();
    if (this.#names.get(name) !== 'folder') throw failure('ENOENT');
    this.#step({ kind: 'syncFolder', name });
  }
}

/** Does a step to names and files; one that can't be done any more changes nothing. */
export function apply(step: Step, names: Map<string, number | 'folder'>, files: Map<number, Buffer>): void {
  switch (step.kind) {
    case 'make':
      names.set(step.name, step.file);
      if (!files.has(step.file)) files.set(step.file, Buffer.alloc(0));
      break;
    case 'write': {
      const old = files.get(step.file) ?? Buffer.alloc(0);
      const bytes = Buffer.alloc(Math.max(old.length, step.at + step.bytes.length));
      old.copy(bytes);
      step.bytes.copy(bytes, step.at);
      files.set(step.file, bytes);
      break;
    }
    case 'truncate': {
      const bytes = Buffer.alloc(step.length);
      files.get(step.file)?.copy(bytes);
      files.set(step.file, bytes);
      break;
    }
    case 'link':
      names.set(step.name, step.file);
      break;
    case 'rename': {
      const file = names.get(step.from);
      if (file === undefined) break;
      names.delete(step.from);
      names.set(step.to, file);
      break;
    }
    case 'unlink':
      names.delete(step.name);
      break;
    case 'folder':
      names.set(step.name, 'folder');
      break;
    default:
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: as told`), { code });
}
