import type { OpenFile } from '../../sinks/index.ts';

const blockBytes = 1 << 20;
const lineFeed = 10;

/** Puts the next bytes into a buffer, at most `length` of them, and tells how many they are. 0: there are no more. */
export type ReadNext = (buffer: Buffer, offset: number, length: number) => Promise<number>;

/**
 * Lines in blocks of whole lines. The next block is read meanwhile. A block is valid until the next one. A last line without a line
 * feed isn't whole, and is left out.
 */
export async function* lineBlocks(readNext: ReadNext): AsyncGenerator<Buffer, void, undefined> {
  let [buffer, other] = [Buffer.allocUnsafeSlow(blockBytes), Buffer.allocUnsafeSlow(blockBytes)];
  let held = 0; // bytes at the start of `buffer` of a line that isn't whole
  const begin = (): Promise<number> => {
    const reading = readNext(buffer, held, buffer.length - held);
    reading.catch(() => undefined); // told when it is awaited
    return reading;
  };
  let next = begin();
  try {
    for (let read = await next; read > 0; read = await next) {
      const filled = held + read;
      const whole = buffer.subarray(0, filled).lastIndexOf(lineFeed) + 1;
      if (whole === 0 && filled === buffer.length) other = Buffer.allocUnsafeSlow(2 * buffer.length); // a long line
      const block = buffer.subarray(0, whole);
      held = buffer.copy(other, 0, whole, filled);
      [buffer, other] = [other, buffer];
      next = begin();
      if (whole > 0) yield block;
      if (other.length < buffer.length) other = Buffer.allocUnsafeSlow(buffer.length);
    }
  } finally {
    await next.catch(() => undefined); // it writes into a buffer
  }
}

/** The bytes of a file from one offset to another. */
export function bytesOf(file: Pick<OpenFile, 'read'>, from: number, to: number): ReadNext {
  let at = from;
  return async (buffer, offset, length) => {
    if (at === to) return 0;
    const count = await file.read(buffer, offset, Math.min(length, to - at), at);
    if (count === 0) throw new Error(`the file ended at ${at} of ${to} bytes while it was read`);
    at += count;
    return count;
  };
}

/** The bytes of the content of a file. */
export function bytesOfContent(content: AsyncIterable<Buffer | string>): ReadNext {
  const pieces = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let piece: Buffer = Buffer.alloc(0);
  return async (buffer, offset, length) => {
    while (piece.length === 0) {
      const next = await pieces.next();
      if (next.done === true) return 0;
      piece = next.value;
    }
    const count = piece.copy(buffer, offset, 0, length);
    piece = piece.subarray(count);
    return count;
  };
}
