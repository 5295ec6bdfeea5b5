import { dirname, join, relative } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { readAll, readBlocks, sha256, writeAll } from '../files/blocks.ts';
import { type FileSystem, sinkFailure } from '../files/FileSystem.ts';
import { ownFolder, takeWatchedLock } from '../files/takeWatchedLock.ts';
import { lockedFileSystem } from '../files/lockedFileSystem.ts';
import { makeFolders, discard, publish } from '../files/publish.ts';
import type { HeldLock } from '../files/takeLock.ts';
import { sha256Of, type Fingerprint } from './fingerprint.ts';
import type { PublishTarget, TargetText } from './PublishTarget.ts';

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

  async *list(under: string): AsyncIterable<string> {
    for (const name of this.#namesIn('')) if (name.startsWith(under)) yield name;
  }

  async read(name: string): Promise<TargetText | undefined> {
    const path = this.#at(name);
    if (this.#files.stat(path) === undefined) return undefined;
    const text = readAll(path, this.#files).toString();
    return { text, tag: sha256().update(text).digest('hex') };
  }

  async swap(name: string, text: string, over: string | undefined): Promise<boolean> {
    if ((await this.read(name))?.tag !== over) return false; // the lock keeps others out until it is written
    await this.#write(name, [Buffer.from(text)]);
    return true;
  }

  async holds(name: string, print: Fingerprint): Promise<boolean> {
    const path = this.#at(name);
    if (this.#files.stat(path)?.size !== print.bytes) return false;
    const file = this.#files.open(path, 'r');
    try {
      return (await sha256Of(readBlocks(file))) === print.sha256;
    } finally {
      file.close();
    }
  }

  put(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#write(name, content);
  }

  async remove(name: string): Promise<void> {
    const path = this.#at(name);
    discard(path, this.#files);
    const folder = dirname(path);
    if (this.#files.stat(folder)?.kind !== 'folder') return;
    await this.#files.syncFolder(folder); // a file that a power cut brought back after its list was removed would be nobody's
    if (this.#files.list(folder).length === 0) this.#files.removeFolder(folder);
  }

  async removeUploads(under: string): Promise<void> {
    for (const draft of this.#files.list(join(this.#root, drafts)))
      if (decodeURIComponent(draft).startsWith(under)) discard(join(this.#root, drafts, draft), this.#files);
  }

  close(): void {
    this.#lock.release();
  }

  async #write(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const draft = this.#draft(name);
    discard(draft, this.#files); // of a process that was killed
    try {
      const file = this.#files.open(draft, 'wx', 0o666);
      try {
        let at = 0;
        for await (const block of content) {
          await writeAll(file, block, at);
          at += block.length;
        }
        await file.datasync();
      } finally {
        file.close();
      }
      await this.#name(draft, name);
    } catch (error) {
      throw sinkFailure(this.#at(name), 'writing', error);
    }
  }

  /** A finished draft becomes the file of this name. */
  async #name(draft: string, name: string): Promise<void> {
    const path = this.#at(name);
    await makeSafely(dirname(path), this.#files);
    if (await publish(draft, path, true, this.#files)) this.#files.unlink(draft);
  }

  #draft(name: string): string {
    return join(this.#root, drafts, encodeURIComponent(name));
  }

  #at(name: string): string {
    if (name.split(/[/\\]/).includes('..')) throw new SinkError(`${this.url}: the name ${name} leads out of it`);
    return join(this.#root, name);
  }

  *#namesIn(folder: string): Iterable<string> {
    for (const one of this.#files.list(join(this.#root, folder))) {
      const path = join(folder, one);
      if (path === drafts || path.startsWith(join(ownFolder, 'publish.lock'))) continue;
      if (this.#files.stat(join(this.#root, path), false)?.kind === 'folder') yield* this.#namesIn(path);
      else yield relative('', path).replaceAll('\\', '/');
    }
  }
}

/** Makes a folder and those above it, and waits until their names are safe from a power cut. */
async function makeSafely(folder: string, files: FileSystem): Promise<void> {
  for (const changed of makeFolders(folder, files)) await files.syncFolder(changed);
}
