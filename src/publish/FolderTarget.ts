import { join } from 'node:path';
import { readAll } from '../files/blocks.ts';
import { type FileSystem, sinkFailure } from '../files/FileSystem.ts';
import { ownFolder, takeWatchedLock } from '../files/takeWatchedLock.ts';
import { lockedFileSystem } from '../files/lockedFileSystem.ts';
import { makeSafely, replaceFile } from '../files/publish.ts';
import type { HeldLock } from '../files/takeLock.ts';
import type { LocalFile, PublishTarget } from './PublishTarget.ts';

const drafts = join(ownFolder, 'drafts');

/** A folder, for example on a shared disk. It is locked: a second publisher gets a BusyError at once. */
export class FolderTarget implements PublishTarget {
  readonly url: string;
  readonly knowsConditions = true;
  readonly #root: string;
  readonly #files: FileSystem;
  readonly #lock: HeldLock;

  private constructor(url: string, root: string, files: FileSystem, lock: HeldLock) {
    this.url = url;
    this.#root = root;
    this.#files = lockedFileSystem(files, lock);
    this.#lock = lock;
  }

  static async open(url: string, root: string, files: FileSystem): Promise<FolderTarget> {
    try {
      await makeSafely(join(root, drafts), files);
    } catch (error) {
      throw sinkFailure(root, 'making the folder', error);
    }
    return new FolderTarget(url, root, files, await takeWatchedLock(join(root, ownFolder, 'publish.lock'), files));
  }

  async read(name: string): Promise<{ readonly text: string; readonly tag: string } | undefined> {
    const path = join(this.#root, name);
    if (this.#files.stat(path) === undefined) return undefined;
    const text = readAll(path, this.#files).toString();
    return { text, tag: text };
  }

  async swap(name: string, text: string, over: string | undefined): Promise<boolean> {
    if ((await this.read(name))?.tag !== over) return false; // nobody else writes in between: this process holds the lock
    return this.put(name, [Buffer.from(text)]);
  }

  async holds(name: string, { bytes }: LocalFile): Promise<boolean> {
    // this is enough: the digest is in the name, and only a complete file gets its name
    return this.#files.stat(join(this.#root, name))?.size === bytes;
  }

  async put(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<boolean> {
    const path = join(this.#root, name);
    const draft = join(this.#root, drafts, encodeURIComponent(name));
    try {
      await replaceFile(path, content, 0o666, this.#files, draft);
      return true;
    } catch (error) {
      throw sinkFailure(path, 'writing', error);
    }
  }

  close(): void {
    this.#lock.release();
  }
}
