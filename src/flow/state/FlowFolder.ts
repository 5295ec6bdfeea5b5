import { dirname, join, relative } from 'node:path';
import { FlowError, BusyError } from '../../errors/index.ts';
import { nodeFileSystem, type FileSystem, type HeldLock, takeLock } from '../../sinks/index.ts';
import { lockedFileSystem } from '../../files/lockedFileSystem.ts';
import { readAll, readBlocks } from '../../files/blocks.ts';
import { sinkFailure } from '../../files/sinkFailure.ts';

/** The folder for the run's own files. */
export const ownFolder = '.trawler';
/** The folder of an update under way. It is a run of its own, and replaces the finished run at the end. */
export const updateFolder: string = join(ownFolder, 'update');
export const updateJournal: string = join(updateFolder, ownFolder, 'journal.jsonl');
/** What updates have changed, a folder for each. */
export const changesFolder = 'changes';
export const failuresFile = 'failures.jsonl';
export const packageFile = 'datapackage.json';
export const reportFile = 'report.html';

/** A move of a run's files. It is on disk while it is under way, so that a crash doesn't split the run. */
interface Move {
  /** Within the folder; '' is the folder itself. */
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
  /** Files to remove as well. */
  readonly remove: readonly string[];
}

/** A flow's output folder, locked: no other run can be in it. */
export class FlowFolder {
  readonly path: string;
  readonly fileSystem: FileSystem;
  readonly journal: string;
  /** Held until `close`. */
  readonly lock: HeldLock;

  private constructor(path: string, fileSystem: FileSystem, lock: HeldLock) {
    this.path = path;
    this.fileSystem = lockedFileSystem(fileSystem, lock);
    this.journal = join(path, ownFolder, 'journal.jsonl');
    this.lock = lock;
  }

  /** Makes the folder if it doesn't exist. Throws a BusyError that names the process using it. */
  static async open(path: string, fileSystem: FileSystem = nodeFileSystem): Promise<FlowFolder> {
    const own = join(path, ownFolder);
    const made = (folder: string): void => {
      try {
        fileSystem.makeFolder(folder);
      } catch (error) {
        throw sinkFailure(path, 'making the folder', error);
      }
    };
    made(path);
    for (const folder of [own, join(path, changesFolder)]) refuseLinks(folder, fileSystem);
    made(own);
    const folder = new FlowFolder(path, fileSystem, await holdFolder(join(own, 'run.lock'), path, fileSystem));
    try {
      await folder.#goOnMoving();
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

  /**
   * Replaces files by copies of them, because the process that had the folder before may wake and write to those that it has
   * open. The journal comes first: what its records count is then in the copies too.
   */
  async renew(files: readonly string[]): Promise<void> {
    const idOf = (file: string): string | undefined => this.fileSystem.stat(this.at(file), false)?.id;
    // A part that has its final name too is complete: nobody writes to it.
    const parts = files.filter((file) => idOf(`${file}.part`) !== idOf(file)).map((file) => `${file}.part`);
    for (const file of [relative(this.path, this.journal), ...parts].filter((one) => this.has(one))) {
      const draft = `${file}.new`;
      if (this.has(draft)) this.fileSystem.unlink(this.at(draft));
      await this.#copy(this.at(file), this.at(draft));
      this.fileSystem.rename(this.at(draft), this.at(file));
      await this.fileSystem.syncFolder(dirname(this.at(file)));
    }
  }

  /** An update of its finished run has begun, and hasn't taken its place. */
  get hasUpdate(): boolean {
    return this.has(updateJournal);
  }

  /** Rows of each stage, as the datapackage.json of the last finished run says. */
  lastRows(): { readonly [stage: string]: number } | undefined {
    if (!this.has(packageFile)) return undefined;
    try {
      const { trawler } = JSON.parse(readAll(this.at(packageFile), this.fileSystem).toString()) as {
        readonly trawler: { readonly stages: readonly { readonly name: string; readonly rows: number }[] };
      };
      return Object.fromEntries(trawler.stages.map(({ name, rows }) => [name, rows]));
    } catch {
      return undefined; // a foreign file, or one that was changed
    }
  }

  /** Makes the names of new files safe from a power cut. */
  async sync(): Promise<void> {
    await this.fileSystem.syncFolder(dirname(this.journal));
    await this.fileSystem.syncFolder(this.path);
    await this.fileSystem.syncFolder(dirname(this.path));
  }

  /** Moves the files of an earlier run into a numbered folder. Returns its name, undefined if there were none. */
  async moveAside(files: readonly string[]): Promise<string | undefined> {
    const names = new Set([relative(this.path, this.journal), ...files.flatMap((file) => [file, `${file}.part`])]);
    const old = [...names].filter((file) => this.has(file));
    if (old.length === 0) return undefined;
    const to = this.#unusedName('old');
    await this.#begin({ from: '', to, files: old, remove: [] });
    return to;
  }

  /** Replaces the files of this run by those of a run in an inner folder. Removes files that no longer exist there. */
  async adopt(from: string, files: readonly string[], remove: readonly string[]): Promise<void> {
    await this.#begin({ from, to: '', files, remove });
  }

  async #begin(move: Move): Promise<void> {
    await this.replace(moving, [JSON.stringify(move)]);
    await this.#move(move);
  }

  /** Writes lines to a new file, which replaces an existing one. They are safe once it is closed. */
  openLines(file: string): { write(lines: readonly string[]): Promise<void>; close(): Promise<void> } {
    this.fileSystem.makeFolder(dirname(this.at(file)));
    if (this.has(file)) this.fileSystem.unlink(this.at(file));
    const open = this.fileSystem.open(this.at(file), 'wx', 0o600);
    let end = 0;
    return {
      write: async (lines) => {
        const bytes = Buffer.from(lines.join(''));
        for (let at = 0; at < bytes.length;) at += await open.write(bytes, at, bytes.length - at, end + at);
        end += bytes.length;
      },
      close: async () => {
        await open.datasync();
        open.close();
        await this.fileSystem.syncFolder(dirname(this.at(file)));
      },
    };
  }

  /** Copies files in their current state into a numbered folder. Returns its name. */
  async keepCopies(files: readonly string[]): Promise<string> {
    const to = this.#unusedName('damaged');
    for (const file of files.filter((one) => this.has(one))) {
      this.fileSystem.makeFolder(dirname(this.at(join(to, file))));
      await this.#copy(this.at(file), this.at(join(to, file)));
    }
    await this.sync();
    return to;
  }

  /** Writes a file in one step, replacing an existing one. */
  async replace(file: string, texts: Iterable<string>): Promise<void> {
    const draft = this.at(`${file}.new`);
    if (this.has(`${file}.new`)) this.fileSystem.unlink(draft);
    const open = this.fileSystem.open(draft, 'wx', 0o600);
    let end = 0;
    try {
      for (const text of texts) {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length;) at += await open.write(bytes, at, bytes.length - at, end + at);
        end += bytes.length;
      }
      await open.datasync();
    } finally {
      open.close();
    }
    this.fileSystem.rename(draft, this.at(file));
    await this.fileSystem.syncFolder(dirname(draft));
  }

  async remove(file: string): Promise<void> {
    if (!this.has(file)) return;
    this.fileSystem.unlink(this.at(file));
    await this.fileSystem.syncFolder(dirname(this.at(file)));
  }

  /** Throws if there are files that no journal knows. */
  refuse(files: readonly string[]): void {
    const there = files.flatMap((file) => [file, `${file}.part`]).filter((file) => this.has(file));
    if (there.length === 0) return;
    throw new FlowError(
      `${this.path} has ${there.join(', ')} already, and no journal that says where they come from. Choose another folder, or start over with fresh, which moves them aside`,
    );
  }

  close(): void {
    this.lock.release();
  }

  #unusedName(kind: string): string {
    let number = 1;
    while (this.has(`${kind}-${number}`)) number += 1;
    return `${kind}-${number}`;
  }

  /** Completes the move of an earlier run if a crash interrupted it. */
  async #goOnMoving(): Promise<void> {
    if (!this.has(moving)) return;
    const text = readAll(this.at(moving), this.fileSystem).toString();
    let move: Move;
    try {
      move = JSON.parse(text) as Move;
    } catch {
      throw new FlowError(
        `${this.path} is damaged: ${moving}, which says what files of an earlier run were being moved, can't be read. Nothing was changed and nothing was requested. Move the files by hand, or remove ${this.at(moving)}`,
      );
    }
    await this.#move(move);
  }

  async #move({ from, to, files, remove }: Move): Promise<void> {
    const there = files.filter((one) => this.has(join(from, one)));
    const folders = new Set(there.map((file) => dirname(join(to, file))));
    for (const folder of folders) this.fileSystem.makeFolder(this.at(folder));
    // A file must not move into a folder whose own name a power cut may take.
    for (const folder of folders) {
      for (let at = folder; at !== '.'; at = dirname(at)) await this.fileSystem.syncFolder(dirname(this.at(at)));
    }
    for (const file of there) {
      this.fileSystem.rename(this.at(join(from, file)), this.at(join(to, file)));
      await this.fileSystem.syncFolder(dirname(this.at(join(to, file))));
    }
    for (const file of remove) await this.remove(file);
    await this.sync();
    await this.remove(moving);
  }

  async #copy(from: string, to: string): Promise<void> {
    const source = this.fileSystem.open(from, 'r');
    const target = this.fileSystem.open(to, 'wx', 0o600);
    try {
      let end = 0;
      for await (const block of readBlocks(source)) {
        for (let at = 0; at < block.length;) at += await target.write(block, at, block.length - at, end + at);
        end += block.length;
      }
      await target.datasync();
    } finally {
      source.close();
      target.close();
    }
  }
}

const moving = join('.trawler', 'moving.json');

/** A holder on another machine or in another container renews its lock three times in this time. */
const watchMs = 7000;

/**
 * Takes the lock of a run's folder. If the holder's process can't be seen from here, its lock is watched for a while,
 * because a live holder changes it. Throws a BusyError that says what to do.
 */
async function holdFolder(lock: string, folder: string, fileSystem: FileSystem): Promise<HeldLock> {
  const before = read(lock, fileSystem);
  try {
    return takeLock(lock, fileSystem);
  } catch (error) {
    if (!(error instanceof BusyError) || error.elsewhere !== true) throw busy(folder, error);
  }
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  try {
    return takeLock(lock, fileSystem, before);
  } catch (error) {
    throw busy(folder, error);
  }
}

function busy(folder: string, error: unknown): unknown {
  if (!(error instanceof BusyError)) return error;
  return new BusyError(`${folder}: another run is under way there. ${error.message}`, { cause: error });
}

function read(path: string, fileSystem: FileSystem): string {
  try {
    return readAll(path, fileSystem).toString();
  } catch {
    return '';
  }
}

/** Throws if there is a symlink at this path or in the folder there: it would lead a run to files outside of its own folder. */
function refuseLinks(path: string, fileSystem: FileSystem): void {
  const there = fileSystem.stat(path, false);
  if (there?.kind === 'symlink')
    throw new FlowError(`${path} is a symlink. A run makes this itself, and follows no links there. Remove the link and run again`);
  if (there?.kind === 'folder') for (const name of fileSystem.list(path)) refuseLinks(join(path, name), fileSystem);
}
