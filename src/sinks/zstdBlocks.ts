import type { Readable } from 'node:stream';

const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;

/**
 * The frames of a `.zst` file in pieces, none of which goes past the end of a frame: Node's decompressor drops what follows
 * the end of a frame in the same piece. Holds one block (at most 128 KiB) in memory. Throws for a file that ends too early.
 */
export async function* zstdBlocks(file: Readable): AsyncGenerator<Buffer, void, undefined> {
  const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const next = await chunks.next();
    if (next.done !== true) held = Buffer.concat([held, next.value]);
    return next.done !== true;
  };
  const take = async (size: number): Promise<Buffer> => {
    while (held.length < size) if (!(await more())) throw new Error('the file ends in the middle of a frame');
    const taken = held.subarray(0, size);
    held = held.subarray(size);
    return taken;
  };

  while (held.length > 0 || (await more())) {
    const start = await take(4);
    const magic = start.readUInt32LE();
    if ((magic & ~0xf) >>> 0 === skippableMagic) {
      for (let left = (await take(4)).readUInt32LE(); left > 0; left -= Math.min(left, 65_536)) await take(Math.min(left, 65_536));
      continue;
    }
    if (magic !== frameMagic) throw new Error("isn't a Zstandard file");
    const descriptor = await take(1);
    const flags = descriptor[0]!;
    const single = (flags >> 5) & 1;
    yield Buffer.concat([start, descriptor, await take((1 - single) + [0, 1, 2, 4][flags & 3]! + [single, 2, 4, 8][flags >> 6]!)]); // prettier-ignore
    for (let last = false; !last;) {
      const head = await take(3);
      const word = head.readUIntLE(0, 3);
      last = (word & 1) === 1;
      const isRun = ((word >> 1) & 3) === 1;
      const body = await take(isRun ? 1 : word >> 3);
      yield Buffer.concat([head, body, await take(last ? ((flags >> 2) & 1) * 4 : 0)]);
    }
  }
}
