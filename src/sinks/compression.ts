import type { Readable, Transform } from 'node:stream';
import { SinkError } from '../errors/index.ts';

export type Compression = 'gzip' | 'zstd';

const endings: { readonly [ending: string]: Compression } = { '.gz': 'gzip', '.zst': 'zstd' };

/** The compression that a name ends in, and the name without that ending. */
export function compressionOf(name: string): { readonly compression: Compression | undefined; readonly plain: string } {
  const ending = Object.keys(endings).find((one) => name.endsWith(one));
  return ending === undefined
    ? { compression: undefined, plain: name }
    : { compression: endings[ending], plain: name.slice(0, -ending.length) };
}

/** Bytes that the decompressor gives at a time. Smaller pieces cost more time. */
const plainBytes = 1 << 18;

/** Only newer versions of Node have zstd. */
type Zlib = typeof import('node:zlib') & {
  readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: object) => Buffer;
  readonly createZstdDecompress?: () => Transform;
  readonly constants: { readonly ZSTD_e_flush?: number };
};

/** Loaded when a file is compressed, so that a start without one is faster. */
function zlib(): Zlib {
  return process.getBuiltinModule('node:zlib') as Zlib;
}

/** Throws a SinkError if this Node can't write `.zst`. */
export function requireZstd(path: string): void {
  if (zlib().zstdCompressSync === undefined)
    throw new SinkError(`${path}: .zst needs Node 22.15 or newer, and this is ${process.version}; use .gz`);
}

/** Compresses one piece of a file. A reader decompresses several pieces in a row as one file. */
export function compressed(bytes: Buffer, compression: Compression | undefined): Buffer {
  if (compression === 'zstd') return zlib().zstdCompressSync!(bytes);
  return compression === 'gzip' ? zlib().gzipSync(bytes) : bytes;
}

/** Decompresses the beginning of a file, which may end in the middle of a piece. */
export function decompressed(bytes: Buffer, compression: Compression | undefined): Buffer {
  if (compression === undefined) return bytes;
  const { zstdDecompressSync, gunzipSync, constants } = zlib();
  return compression === 'zstd'
    ? zstdDecompressSync!(bytes, { finishFlush: constants.ZSTD_e_flush })
    : gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** The content of a file, decompressed. Errors of the file become errors of the stream. */
export function decompressStream(file: Readable, compression: Compression | undefined): NodeJS.ReadableStream {
  if (compression === undefined) return file;
  const packed =
    compression === 'zstd' ? process.getBuiltinModule('node:stream').Readable.from(zstdBlocks(file), { objectMode: false }) : file;
  const plain = compression === 'zstd' ? zstdDecompressor() : zlib().createGunzip({ chunkSize: plainBytes });
  packed.on('error', (error) => plain.destroy(error));
  return packed.pipe(plain);
}

function zstdDecompressor(): Transform {
  const { createZstdDecompress } = zlib();
  if (createZstdDecompress === undefined) throw new Error(`.zst needs Node 22.15 or newer, and this is ${process.version}`);
  return createZstdDecompress();
}

const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;

/**
 * Cuts a `.zst` file into pieces, none of which goes past the end of a frame. Node's decompressor needs that: it drops what follows the
 * end of a frame in the same piece. Holds one block (at most 128 KiB) in memory. Throws for a file that ends too early.
 */
async function* zstdBlocks(file: Readable): AsyncGenerator<Buffer, void, undefined> {
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
    yield Buffer.concat([start, descriptor, await take(1 - single + [0, 1, 2, 4][flags & 3]! + [single, 2, 4, 8][flags >> 6]!)]);
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
