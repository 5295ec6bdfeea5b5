import type { OpenFile } from './FileSystem.ts';

const blockBytes = 1 << 20;

/** The first `size` bytes of a file in blocks, each a buffer of its own. Throws if the file has fewer. @default size: all there are */
export async function* readBlocks(file: OpenFile, size: number = Infinity): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < size;) {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, size - at));
    const read = await file.read(block, 0, block.length, at);
    if (read === 0 && size === Infinity) return;
    if (read === 0) throw new Error(`the file ended at ${at} of ${size} bytes while it was read`);
    at += read;
    yield block.subarray(0, read);
  }
}
