import type { Hash } from 'node:crypto';
import type { FileSystem, OpenFile } from './FileSystem.ts';

const blockBytes = 1 << 20;
/** The smallest buffer for a read of unknown size. It is never 0, because such a read must find the end. */
const endBytes = 1024;

/** Size and hash of a finished file. */
export function hashFile(path: string, fileSystem: FileSystem): { readonly bytes: number; readonly sha256: string } {
  const file = fileSystem.open(path, 'r');
  try {
    const hash = sha256();
    const bytes = file.size();
    eachBlock(file, bytes, (block) => void hash.update(block));
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    file.close();
  }
}

/** Reads the first `size` bytes of a file in blocks. A block is valid until the next one. */
export function eachBlock(file: OpenFile, size: number, take: (block: Uint8Array, at: number) => void): void {
  const buffer = Buffer.allocUnsafe(Math.min(size, blockBytes));
  for (let at = 0; at < size;) {
    const read = file.readSync(buffer, 0, Math.min(buffer.length, size - at), at);
    if (read === 0) throw endedEarly(at, size);
    take(buffer.subarray(0, read), at);
    at += read;
  }
}

function endedEarly(at: number, size: number): Error {
  return new Error(`the file ended at ${at} of ${size} bytes while it was read`);
}

/** Reads the whole of a small file. */
export function readAll(path: string, fileSystem: FileSystem): Buffer {
  const file = fileSystem.open(path, 'r');
  try {
    const size = file.size();
    const bytes = readUpTo(file, 0, size);
    if (bytes.length < size) throw endedEarly(bytes.length, size);
    return bytes;
  } finally {
    file.close();
  }
}

/** Reads this many bytes, or as many as there are. */
export function readUpTo(file: OpenFile, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (let read = 1; at < length && read > 0; at += read) read = file.readSync(bytes, at, length - at, position + at);
  return bytes.subarray(0, at);
}

/** Reads a file from `from` to `size` in blocks, each in a buffer of its own. Throws if the file is shorter. @default size: to the end */
export async function* readBlocks(
  file: Pick<OpenFile, 'read' | 'size'>,
  size: number = Infinity,
  from: number = 0,
): AsyncGenerator<Buffer, void, undefined> {
  for (let at = from; at < size;) {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, size - at, Math.max(file.size() - at, endBytes)));
    const read = await file.read(block, 0, block.length, at);
    if (read === 0 && size === Infinity) return;
    if (read === 0) throw endedEarly(at, size);
    at += read;
    yield block.subarray(0, read);
  }
}

/** Fills a buffer from a position on. Returns the number of bytes, which is smaller at the end of the file. */
export async function fill(file: Pick<OpenFile, 'read'>, bytes: Uint8Array, position: number): Promise<number> {
  let at = 0;
  for (let read = 1; at < bytes.length && read > 0; at += read) read = await file.read(bytes, at, bytes.length - at, position + at);
  return at;
}

/** Whether something is at a path. false also if this process may not read the folder. */
export function pathExists(path: string, fileSystem: FileSystem): boolean {
  try {
    return fileSystem.stat(path) !== undefined;
  } catch {
    return false;
  }
}

/** Writes all bytes, in as many steps as the disk takes. */
export async function writeAll(file: Pick<OpenFile, 'write'>, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;) at += some(await file.write(bytes, at, bytes.length - at, position + at));
}

export function writeAllSync(file: Pick<OpenFile, 'writeSync'>, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length;) at += some(file.writeSync(bytes, at, bytes.length - at, position + at));
}

/** Throws for a write that made no progress, which would otherwise be repeated for ever. */
function some(written: number): number {
  if (written <= 0) throw new Error('the system wrote nothing and gave no reason');
  return written;
}

/** A new SHA-256. node:crypto is loaded at the first call, because that takes 3 ms. */
export function sha256(): Hash {
  return process.getBuiltinModule('node:crypto').createHash('sha256');
}
