import { fill } from '../../files/blocks.ts';
import type { OpenFile } from '../../files/FileSystem.ts';

const lineFeed = 10;

/** Whole lines of a file from a position on, none beyond `end`: up to `size` bytes, or one line that is longer. */
export async function linesAt(file: OpenFile, position: number, end: number, size: number = 1 << 20): Promise<Buffer> {
  for (let most = size; ; most *= 2) {
    const bytes = Buffer.allocUnsafe(Math.min(most, end - position));
    const filled = await fill(file, bytes, position);
    if (filled < bytes.length) throw new Error(`the rows ended at ${position + filled} of ${end} bytes while they were read`);
    const whole = bytes.lastIndexOf(lineFeed) + 1;
    if (whole > 0) return bytes.subarray(0, whole);
  }
}

/** The lines of bytes that end with one. */
export function linesOf(bytes: Buffer): readonly string[] {
  return bytes.toString().split('\n').slice(0, -1);
}
