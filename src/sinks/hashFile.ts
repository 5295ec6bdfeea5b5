import { createHash, type Hash } from 'node:crypto';
import type { FileSystem, OpenFile } from './FileSystem.ts';

/** Size and hash of a finished file. */
export function hashFile(path: string, fileSystem: FileSystem, also?: Hash): { readonly bytes: number; readonly sha256: string } {
  const file = fileSystem.open(path, 'r');
  try {
    const hash = createHash('sha256');
    const bytes = file.size();
    eachBlock(file, bytes, (block) => {
      hash.update(block);
      also?.update(block);
    });
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    file.close();
  }
}

/** Reads the first `size` bytes of a file, one megabyte at a time. A block is valid until the next one. */
export function eachBlock(file: OpenFile, size: number, take: (block: Uint8Array, at: number) => void): void {
  const buffer = Buffer.allocUnsafe(Math.min(size, 1024 * 1024));
  for (let at = 0; at < size;) {
    const read = file.readSync(buffer, 0, Math.min(buffer.length, size - at), at);
    if (read === 0) throw new Error(`the file ended at ${at} of ${size} bytes while it was read`);
    take(buffer.subarray(0, read), at);
    at += read;
  }
}

/** The whole of a small file. */
export function readAll(path: string, fileSystem: FileSystem): Buffer {
  const file = fileSystem.open(path, 'r');
  try {
    const bytes = Buffer.alloc(file.size());
    eachBlock(file, bytes.length, (block, at) => bytes.set(block, at));
    return bytes;
  } finally {
    file.close();
  }
}
