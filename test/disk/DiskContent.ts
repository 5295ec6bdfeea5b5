import { dirname } from 'node:path';
import { getOrInsert } from '../../operators/kit/once.ts';
import { ByteBuffer } from '../../src/files/ByteBuffer.ts';

/** One change of a disk. Files have numbers, because a file may have several names or none. */
export type DiskStep =
  | { readonly kind: 'make'; readonly name: string; readonly file: number }
  | { readonly kind: 'write'; readonly file: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  | { readonly kind: 'datasync'; readonly file: number }
  | { readonly kind: 'link'; readonly file: number; readonly name: string }
  | { readonly kind: 'rename'; readonly file: number; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly name: string }
  | { readonly kind: 'folder'; readonly name: string }
  | { readonly kind: 'syncFolder'; readonly name: string }
  /** It was tried, and changed nothing. */
  | { readonly kind: 'failed' };

/** What is on a disk: names of files and folders, and the files' bytes. */
export class DiskContent {
  readonly names: Map<string, number | 'folder'> = new Map();
  readonly files: Map<number, ByteBuffer> = new Map();

  /** What is at a path. The root is always there. */
  at(path: string): number | 'folder' | undefined {
    return this.names.get(path) ?? (path === dirname(path) ? 'folder' : undefined);
  }

  copy(): DiskContent {
    const copy = new DiskContent();
    for (const [name, what] of this.names) {
      copy.names.set(name, what);
      if (what !== 'folder') writeInto(copy.#bytesOf(what), this.files.get(what)!.content, 0);
    }
    return copy;
  }

  /** A step that makes no sense any more, because another one is missing, changes nothing. */
  apply(step: DiskStep): void {
    switch (step.kind) {
      case 'make':
        this.names.set(step.name, step.file);
        this.#bytesOf(step.file);
        break;
      case 'write':
        writeInto(this.#bytesOf(step.file), step.bytes, step.at);
        break;
      case 'truncate': {
        const bytes = this.#bytesOf(step.file);
        if (step.length > bytes.length) writeInto(bytes, Buffer.alloc(step.length - bytes.length), bytes.length);
        bytes.length = step.length;
        break;
      }
      case 'link':
        this.names.set(step.name, step.file);
        break;
      case 'rename':
        if (this.names.get(step.from) === step.file) this.names.delete(step.from);
        this.names.set(step.to, step.file);
        break;
      case 'unlink':
        this.names.delete(step.name);
        break;
      case 'folder':
        this.names.set(step.name, 'folder');
        break;
      default:
    }
  }

  /** Removes names in folders that aren't there. */
  dropLost(): void {
    const isThere = (path: string): boolean => path === dirname(path) || (this.names.get(path) === 'folder' && isThere(dirname(path)));
    for (const name of this.names.keys()) if (!isThere(dirname(name))) this.names.delete(name);
  }

  /** The bytes of a file, also of one that has lost its name. */
  #bytesOf(file: number): ByteBuffer {
    return getOrInsert(this.files, file, () => new ByteBuffer(256));
  }
}

function writeInto(buffer: ByteBuffer, bytes: Uint8Array, at: number): void {
  if (bytes.length === 0) return; // which makes no file longer
  const end = Math.max(buffer.length, at + bytes.length);
  const memory = buffer.room(end - buffer.length);
  if (at > buffer.length) memory.fill(0, buffer.length, at);
  memory.set(bytes, at);
  buffer.length = end;
}
