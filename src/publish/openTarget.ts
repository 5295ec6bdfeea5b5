import { fileURLToPath } from 'node:url';
import { SinkError } from '../errors/index.ts';
import { type FileSystem, sinkFailure } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import type { PublishTarget, LocalFile } from './publishFolder.ts';
import { join } from 'node:path';
import { readAll } from '../files/blocks.ts';
import { ownFolder, takeWatchedLock } from '../files/takeWatchedLock.ts';
import { lockedFileSystem } from '../files/lockedFileSystem.ts';
import { makeSafely, replaceFile } from '../files/publish.ts';
import type { HeldLock } from '../files/takeLock.ts';

export interface OpenTargetOptions {
  /** For a target that is a folder. @default the disk */
  readonly fileSystem?: FileSystem;
  /** The variables `AWS_ENDPOINT_URL` and `AWS_REGION`. The SDK finds credentials by itself. @default process.env */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Aborts requests. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** Opens the target to publish to: `s3://bucket/prefix` or `file:///folder`. Nothing is requested or written yet. */
export async function openTarget(url: string, options: OpenTargetOptions = {}): Promise<PublishTarget> {
  const { fileSystem = nodeFileSystem, env = process.env, signal } = options;
  const [, bucket, prefix = ''] = /^s3:\/\/([^/@:?#\s]+)(?:\/([^?#]*))?$/.exec(url) ?? [];
  if (bucket !== undefined) {
    const { S3Target } = await import('./S3Target.ts');
    return S3Target.open(bucket, prefix.replaceAll(/^\/+|\/+$/g, ''), env, signal);
  }
  if (url.startsWith('file:///') && !/[?#]/.test(url)) return FolderTarget.open(url.replace(/\/+$/, ''), fileURLToPath(url), fileSystem);
  // not the URL itself, which may hold a key
  throw new SinkError(
    'A dataset is published to s3://bucket/prefix or to file:///folder. Credentials come from the environment, never from the URL',
  );
}

const drafts = join(ownFolder, 'drafts');

/** A folder, for example on a shared disk. It is locked: a second publisher gets a BusyError at once. */
class FolderTarget implements PublishTarget {
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
