import { dirname, join, resolve } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import type { FileSystem, HeldLock } from '../../sinks/index.ts';
import { lockedFileSystem } from '../../files/lockedFileSystem.ts';
import { readAll, readBlocks, writeAll } from '../../files/blocks.ts';
import { holdRun, ownFolder, runLock } from '../../files/takeWatchedLock.ts';
import { sinkFailure, systemCode, tryOnDisk } from '../../files/FileSystem.ts';
import { replaceFile } from '../../files/publish.ts';

/** The folder of an update under way. It is a run of its own, and replaces the finished run at the end. */
export const updateFolder: string = join(ownFolder, 'update');
export const journalFile: string = join(ownFolder, 'journal.jsonl');
export const updateJournal: string = join(updateFolder, journalFile);
/** What updates have changed, a folder for each. */
export const changesFolder = 'changes';
export const failuresFile = 'failures.jsonl';
/** Queries without rows, or without the one that they looked for. */
export const emptyFile = 'empty.jsonl';
/** Rows that a destination can't hold. */
export const rejectedFile = 'rejected.jsonl';
export const reportFile = 'report.html';

/**
 * The permissions of a new file, before the umask. Files with rows, and the report, may be read by others. The journal and the files with
 * whole queries or rejected rows may not.
 */
export function modeOf(file: string): number {
  const isPrivate = file.startsWith(ownFolder) || [failuresFile, emptyFile, rejectedFile].some((name) => file.startsWith(name));
  return isPrivate ? 0o600 : 0o666;
}

/** A move of a run's files. It is on disk while it is under way, so that a crash doesn't split the run. */
interface Move {
  /** Within the folder; '' is the folder itself. */
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
  /** Files to remove as well. */
  readonly remove: readonly string[];
}

const moving = join(ownFolder, 'moving.json');

/** A file that is written from its beginning. It is on disk once it is saved. */
interface NewFile {
  write(part: string | Uint8Array): Promise<void>;
  save(): Promise<void>;
  close(): void;
}

/** A flow's output folder, locked: no other run can be in it. Files are named by their path within it. */
export class FlowFolder {
  readonly path: string;
  readonly fileSystem: FileSystem;
  readonly lock: HeldLock;
  readonly #disk: FileSystem;
  /** The topmost folder that was made for it. undefined: it was there before. */
  readonly #made: string | undefined;

  private constructor(path: string, disk: FileSystem, lock: HeldLock, made: string | undefined) {
    this.path = path;
    this.fileSystem = lockedFileSystem(disk, lock);
    this.lock = lock;
    this.#disk = disk;
    this.#made = made;
  }

  /** Makes the folder if it doesn't exist. Throws a BusyError that names the process using it. */
  static async open(path: string, fileSystem: FileSystem): Promise<FlowFolder> {
    const own = join(path, ownFolder);
    const make = (inside: string): string | undefined => {
      try {
        return fileSystem.makeFolder(inside);
      } catch (error) {
        throw sinkFailure(path, 'making the folder', error);
      }
    };
    const made = make(path);
    for (const folder of [own, join(path, changesFolder)]) refuseLinks(folder, fileSystem);
    make(own);
    const folder = new FlowFolder(path, fileSystem, await holdRun(path, fileSystem), made && resolve(made));
    try {
      if (folder.has(moving)) {
        await folder.syncName(moving); // whoever wrote it may have been killed before
        await folder.#finishMove(folder.#moveUnderWay());
      }
    } catch (error) {
      folder.close();
      throw error;
    }
    return folder;
  }

  at(file: string): string {
    return join(this.path, file);
  }

  has(file: string): boolean {
    return this.fileSystem.stat(this.at(file)) !== undefined;
  }

  /** The files in a folder and in its folders, if it is there. */
  filesIn(folder: string): readonly string[] {
    if (!this.has(folder)) return [];
    const inside = this.fileSystem.list(this.at(folder)).map((name) => join(folder, name));
    return [...new Set(inside.flatMap((file) => (this.fileSystem.stat(this.at(file))?.kind === 'folder' ? this.filesIn(file) : [file])))];
  }

  /** A name that is free: `old-1`, `old-2`. */
  unusedName(kind: string): string {
    let number = 1;
    while (this.has(`${kind}-${number}`)) number += 1;
    return `${kind}-${number}`;
  }

  /** Removes a folder with all that is left in it. */
  clear(folder: string): void {
    if (!this.has(folder)) return;
    for (const name of this.fileSystem.list(this.at(folder))) {
      const inside = join(folder, name);
      if (this.fileSystem.stat(this.at(inside), false)?.kind === 'folder') this.clear(inside);
      else this.fileSystem.unlink(this.at(inside));
    }
    this.fileSystem.removeFolder(this.at(folder));
  }

  async remove(file: string): Promise<void> {
    if (!this.has(file)) return;
    this.fileSystem.unlink(this.at(file));
    await this.syncName(file);
  }

  /** Makes a file, in place of one that exists. */
  create(file: string): NewFile {
    const path = this.at(file);
    this.fileSystem.makeFolder(dirname(path));
    if (this.has(file)) this.fileSystem.unlink(path);
    const open = this.fileSystem.open(path, 'wx', modeOf(file));
    let end = 0;
    return {
      async write(part) {
        const bytes = typeof part === 'string' ? Buffer.from(part) : part;
        await writeAll(open, bytes, end);
        end += bytes.length;
      },
      save: () => open.datasync(),
      close: () => open.close(),
    };
  }

  /** Writes a file in one step, replacing an existing one. */
  async replace(file: string, parts: Iterable<string> | AsyncIterable<Uint8Array>): Promise<void> {
    try {
      this.fileSystem.makeFolder(dirname(this.at(file)));
      await replaceFile(this.at(file), parts, modeOf(file), this.fileSystem);
    } catch (error) {
      throw systemCode(error) === undefined ? error : sinkFailure(this.at(file), 'writing', error);
    }
  }

  /** Copies a file. The copy replaces an existing file, which may be the same. */
  async copy(from: string, to: string): Promise<void> {
    await this.replace(to, this.#blocksOf(from));
  }

  /** The bytes of a file, which is closed after the last of them: some systems replace no file that is open. */
  async *#blocksOf(file: string): AsyncGenerator<Uint8Array, void, undefined> {
    const source = this.fileSystem.open(this.at(file), 'r');
    try {
      yield* readBlocks(source);
    } finally {
      source.close();
    }
  }

  /** Moves files from one inner folder to another, and removes others. After a crash the next `open` completes it. */
  async move(move: Move): Promise<void> {
    await this.replace(moving, [JSON.stringify(move)]);
    await this.#finishMove(move);
  }

  /** Makes the name of a file safe from a power cut. */
  async syncName(file: string): Promise<void> {
    await this.fileSystem.syncFolder(dirname(this.at(file)));
  }

  /** Makes the names of new files safe from a power cut. */
  async sync(): Promise<void> {
    for (const file of [journalFile, ownFolder, '']) await this.syncName(file);
    for (let above = dirname(resolve(this.path)); above !== dirname(above); above = dirname(above)) await this.#syncAbove(above);
  }

  /** Syncs a file. On systems that can't sync folders, this also makes earlier names safe. */
  async syncFile(file: string): Promise<void> {
    if (!this.has(file)) return;
    const open = this.fileSystem.open(this.at(file), 'r+');
    try {
      await open.datasync();
    } finally {
      open.close();
    }
  }

  /** Syncs a folder above, which may be new too. One that can't be opened isn't ours, so it isn't new. */
  async #syncAbove(folder: string): Promise<void> {
    try {
      await this.fileSystem.syncFolder(dirname(folder));
    } catch (error) {
      if (!['EACCES', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
    }
  }

  close(): void {
    this.lock.release();
  }

  /** Removes the folder if it was made for this run and holds nothing but the journal. Then it is unlocked, too. */
  async discard(): Promise<void> {
    const [made, own] = [this.#made, [journalFile, runLock('')]];
    if (made === undefined || !this.filesIn('').every((file) => own.includes(file))) return;
    await this.sync(); // a power cut must not bring back a file without the journal
    await this.remove(journalFile);
    this.close();
    tryOnDisk(() => {
      this.#removeEmpty(this.path); // unless another run has locked it since
      for (let above = dirname(resolve(this.path)); above.length >= made.length; above = dirname(above)) this.#disk.removeFolder(above);
    });
  }

  #removeEmpty(folder: string): void {
    for (const name of this.#disk.list(folder)) this.#removeEmpty(join(folder, name));
    this.#disk.removeFolder(folder);
  }

  #moveUnderWay(): Move {
    try {
      return JSON.parse(readAll(this.at(moving), this.fileSystem).toString()) as Move;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new FlowError(
        `${this.path} is damaged: ${moving}, which says what files of an earlier run were being moved, can't be read. Nothing was ` +
          `changed and nothing was requested. Move the files by hand, or remove ${this.at(moving)}`,
      );
    }
  }

  async #finishMove(move: Move): Promise<void> {
    try {
      await this.#carryOut(move);
    } catch (error) {
      throw systemCode(error) === undefined ? error : sinkFailure(this.path, 'moving files into their place', error);
    }
  }

  async #carryOut({ from, to, files, remove }: Move): Promise<void> {
    const folders = new Set(files.map((file) => dirname(join(to, file))));
    for (const folder of folders) this.fileSystem.makeFolder(this.at(folder));
    // First the names of the folders: a power cut must not take a folder with moved files in it.
    for (const folder of folders) for (let at = folder; at !== '.'; at = dirname(at)) await this.syncName(at);
    for (const file of files) {
      if (this.has(join(from, file))) this.fileSystem.rename(this.at(join(from, file)), this.at(join(to, file)));
      await this.syncName(join(to, file)); // whoever moved it may have been killed before
    }
    for (const file of remove) await this.remove(file);
    await this.sync();
    await this.syncFile(join(to, journalFile));
    await this.remove(moving);
  }
}

/** Throws if there is a symlink at this path or in the folder there: it would lead a run to files outside of its own folder. */
function refuseLinks(path: string, fileSystem: FileSystem): void {
  const there = fileSystem.stat(path, false);
  if (there?.kind === 'symlink')
    throw new FlowError(`${path} is a symlink. A run makes this itself, and follows no links there. Remove the link and run again`);
  if (there?.kind === 'folder') for (const name of fileSystem.list(path)) refuseLinks(join(path, name), fileSystem);
}
