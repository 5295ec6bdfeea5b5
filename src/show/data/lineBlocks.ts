import type { OpenFile } from '../../sinks/index.ts';

const blockBytes = 1 << 20;
const lineFeed = 10;

/**
 * The lines of a file in blocks of whole lines. The next block is read meanwhile. A block is valid until the next one. A last line
 * without a line feed isn't whole, and is left out.
 */
export async function* lineBlocks(file: Pick<OpenFile, 'read' | 'size'>): AsyncGenerator<Buffer, void, undefined> {
  const size = file.size();
  let [buffer, other] = [Buffer.allocUnsafeSlow(blockBytes), Buffer.allocUnsafeSlow(blockBytes)];
  let at = 0;
  let held = 0; // bytes at the start of `buffer` of a line that isn't whole
  const read = async (): Promise<number> => {
    const count = await file.read(buffer, held, Math.min(buffer.length - held, size - at), at);
    if (count === 0 && at < size) throw new Error(`the file ended at ${at} of ${size} bytes while it was read`);
    at += count;
    return held + count;
  };
  const begin = (): Promise<number> => {
    const reading = read();
    reading.catch(() => undefined); // told when it is awaited
    return reading;
  };
  let next = begin();
  try {
    for (let isOver = false; !isOver;) {
      const filled = await next;
      isOver = at === size;
      const whole = buffer.subarray(0, filled).lastIndexOf(lineFeed) + 1;
      if (whole === 0 && filled === buffer.length) other = Buffer.allocUnsafeSlow(2 * buffer.length); // a long line
      const block = buffer.subarray(0, whole);
      held = buffer.copy(other, 0, whole, filled);
      [buffer, other] = [other, buffer];
      if (!isOver) next = begin();
      if (whole > 0) yield block;
      if (other.length < buffer.length) other = Buffer.allocUnsafeSlow(buffer.length);
    }
  } finally {
    await next.catch(() => undefined); // it writes into a buffer
  }
}
