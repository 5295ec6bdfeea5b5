import { basename, dirname, join, resolve } from 'node:path';
import { readAll } from '../../src/files/blocks.ts';
import type { FileStat, FileSystem, OpenFile, HostProcess } from '../../src/files/FileSystem.ts';
import { nodeFileSystem } from '../../src/files/nodeFileSystem.ts';
import type { DiskStep } from './DiskContent.ts';
import { diskError, MemoryDisk } from './MemoryDisk.ts';

const buildBytes = 64 * 1024;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$|[<>:"|?*]|[. ]$/i;

/**
 * A `fileSystem` in memory, for sinks, flows and stores: a process that uses a `MemoryDisk`. Several on one disk are several
 * processes.
 *
 * @example
 * const fileSystem = new MemoryFileSystem();
 * await lastValueFrom(of({ id: 1 }).pipe(toJsonl('/rows.jsonl', { fileSystem })));
 * fileSystem.disk.read('/rows.jsonl'); // {"id":1}
 */
export class MemoryFileSystem implements FileSystem {
  readonly disk: MemoryDisk;
  readonly process: HostProcess;
  readonly #open = new Set<OpenFile>();
  /** Awaited before each asynchronous step. Replace it to slow the disk down. */
  pause: () => Promise<void> = () => Promise.resolve();

  constructor(disk: MemoryDisk = new MemoryDisk()) {
    this.disk = disk;
    const pid = disk.startProcess();
    const startOf = (one: number): string => `${disk.boot}_${one}`; // after a power cut the numbers begin again
    let count = 0;
    this.process = {
      host: 'memory',
      pid,
      start: startOf(pid),
      boot: `boot ${disk.boot}`,
      space: undefined,
      isRunning: (other, start) => disk.processes.has(other) && (start === undefined || start === startOf(other)),
      now: () => disk.now(),
      after: disk.options.after,
      unique: () => count++,
    };
  }

  /**
   * Ends the process as SIGKILL does: what it wrote is there, its files are closed, its locks are a dead process's, and it can't
   * do any more.
   */
  kill(): void {
    for (const file of this.#open) file.close();
    this.disk.processes.delete(this.process.pid);
  }

  open(path: string, flags: 'r' | 'r+' | 'wx' | 'a'): OpenFile {
    const name = this.#nameOf(path);
    const { content, open: openFiles } = this.disk;
    let file = content.at(name);
    if (file !== undefined && flags === 'wx') throw diskError('EEXIST');
    if (file === 'folder') throw diskError('EISDIR');
    if (file === undefined) {
      if (flags !== 'wx' && flags !== 'a') throw diskError(this.#whyMissing(name));
      this.#checkNew(name);
      this.#step({ kind: 'make', name, file: (file = this.disk.newFile()) });
    }
    const number = file;
    openFiles.push(number);
    let isOpen = true;
    const bytes = (): Buffer => {
      this.#alive();
      if (!isOpen) throw diskError('EBADF');
      return content.files.get(number)!.content;
    };
    const write: OpenFile['writeSync'] = (from, offset, length, position) => {
      const end = bytes().length;
      const at = flags === 'a' ? end : position;
      if (flags === 'r') throw diskError('EBADF');
      return this.#step({ kind: 'write', file: number, at, bytes: Buffer.from(from.subarray(offset, offset + length)) });
    };
    const read: OpenFile['readSync'] = (into, offset, length, at) => {
      const from = bytes();
      const code = this.disk.options.readFault?.(name);
      if (code !== undefined) throw diskError(code);
      return at >= from.length ? 0 : from.copy(into, offset, at, at + length);
    };
    const datasyncSync = (): void => {
      bytes();
      if (this.disk.options.windows && flags === 'r') throw diskError('EPERM');
      this.#step({ kind: 'datasync', file: number });
    };
    const opened: OpenFile = {
      write: async (from, offset, length, at) => {
        const before = Buffer.from(from.subarray(offset, offset + length));
        await this.pause();
        if (!before.equals(from.subarray(offset, offset + length))) throw new Error('the buffer changed while it was being written');
        return write(from, offset, length, at);
      },
      writeSync: write,
      read: async (into, offset, length, at) => {
        await this.pause();
        return read(into, offset, length, at);
      },
      readSync: read,
      size: () => bytes().length,
      datasync: async () => {
        await this.pause();
        datasyncSync();
      },
      datasyncSync,
      truncate: (length) => {
        bytes();
        if (flags === 'r') throw diskError('EINVAL');
        this.#step({ kind: 'truncate', file: number, length });
      },
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#open.delete(opened);
        openFiles.splice(openFiles.indexOf(number), 1);
      },
    };
    this.#open.add(opened);
    return opened;
  }

  /** The number of files that it has open. */
  get openCount(): number {
    return this.#open.size;
  }

  stat(path: string): FileStat | undefined {
    const name = this.#nameOf(path);
    const what = this.disk.content.at(name);
    if (what === undefined) return undefined;
    if (what === 'folder') return { kind: 'folder', size: 0, id: name };
    return { kind: 'file', size: this.disk.content.files.get(what)!.length, id: String(what) };
  }

  list(folder: string): string[] {
    const name = this.#folderAt(folder);
    return [...this.disk.content.names.keys()].filter((one) => dirname(one) === name).map((one) => basename(one));
  }

  makeFolder(path: string): string | undefined {
    const name = this.#nameOf(path);
    const there = this.disk.content.at(name);
    if (there === 'folder') return undefined;
    if (there !== undefined) throw diskError('EEXIST');
    const above = this.disk.content.at(dirname(name));
    const first = above === undefined ? this.makeFolder(dirname(name)) : undefined;
    this.#checkNew(name);
    this.#step({ kind: 'folder', name });
    return first ?? name;
  }

  removeFolder(path: string): void {
    if (this.list(path).length > 0) throw diskError('ENOTEMPTY');
    this.#step({ kind: 'unlink', name: this.#nameOf(path) });
  }

  realPath(path: string): string {
    const name = this.#nameOf(path);
    if (this.disk.content.at(name) === undefined) throw diskError(this.#whyMissing(name));
    return name;
  }

  link(existing: string, path: string): void {
    const { file } = this.#fileAt(existing);
    const name = this.#nameOf(path);
    if (this.disk.content.at(name) !== undefined) throw diskError('EEXIST');
    this.#checkNew(name);
    this.#step({ kind: 'link', file, name });
  }

  rename(from: string, to: string): void {
    const { name: old, file } = this.#fileAt(from);
    const name = this.#nameOf(to);
    const there = this.disk.content.at(name);
    if (there === 'folder') throw diskError('EISDIR');
    if (there === file) return; // two names of one file: the system leaves both
    if (there === undefined) this.#checkNew(name);
    else if (this.disk.options.windows && this.disk.open.includes(there)) throw diskError('EPERM');
    this.#step({ kind: 'rename', file, from: old, to: name });
  }

  unlink(path: string): void {
    this.#step({ kind: 'unlink', name: this.#fileAt(path).name });
  }

  /** The library writes a real file. Its bytes then come here in pieces. */
  async build(path: string, _mode: number, make: (path: string) => Promise<void>): Promise<void> {
    const { tmpdir } = process.getBuiltinModule('node:os');
    const { randomUUID } = process.getBuiltinModule('node:crypto');
    const folder = join(tmpdir(), `trawler-memory-${randomUUID()}`);
    nodeFileSystem.makeFolder(folder);
    try {
      await make(join(folder, 'file'));
      const bytes = readAll(join(folder, 'file'), nodeFileSystem);
      const file = this.open(path, 'wx');
      for (let at = 0; at < bytes.length; at += buildBytes) await file.write(bytes, at, Math.min(buildBytes, bytes.length - at), at);
      file.close();
    } finally {
      for (const name of nodeFileSystem.list(folder)) nodeFileSystem.unlink(join(folder, name));
      nodeFileSystem.removeFolder(folder);
    }
  }

  async syncFolder(folder: string): Promise<void> {
    await this.pause();
    const name = this.#folderAt(folder);
    if (!this.disk.options.windows) this.#step({ kind: 'syncFolder', name });
  }

  #alive(): void {
    if (!this.disk.processes.has(this.process.pid)) throw diskError('ESRCH');
  }

  #step(step: DiskStep): number {
    this.#alive();
    return this.disk.step(step);
  }

  /** The name of what is at a path, spelled as it was made. */
  #nameOf(path: string): string {
    this.#alive();
    if (this.disk.content.names.has(path)) return path;
    const name = resolve(path);
    if (!this.disk.options.windows || this.disk.content.at(name) !== undefined) return name;
    const lower = name.toLowerCase();
    for (const there of this.disk.content.names.keys()) if (there.length === lower.length && there.toLowerCase() === lower) return there;
    return join(this.#nameOf(dirname(name)), basename(name));
  }

  #fileAt(path: string): { readonly name: string; readonly file: number } {
    const name = this.#nameOf(path);
    const file = this.disk.content.at(name);
    if (file === undefined) throw diskError(this.#whyMissing(name));
    if (file === 'folder') throw diskError('EISDIR');
    return { name, file };
  }

  #folderAt(path: string): string {
    const name = this.#nameOf(path);
    const what = this.disk.content.at(name);
    if (what === undefined) throw diskError(this.#whyMissing(name));
    if (what !== 'folder') throw diskError('ENOTDIR');
    return name;
  }

  /** Why there is nothing at a path: it isn't there, or what should be a folder is a file. */
  #whyMissing(name: string): 'ENOENT' | 'ENOTDIR' {
    const above = this.disk.content.at(dirname(name));
    if (above === undefined) return this.#whyMissing(dirname(name));
    return above === 'folder' ? 'ENOENT' : 'ENOTDIR';
  }

  /** Throws if nothing can be made at a path. */
  #checkNew(name: string): void {
    this.#folderAt(dirname(name));
    if (this.disk.options.windows && reserved.test(basename(name))) throw diskError('EINVAL');
  }
}
