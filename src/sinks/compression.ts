import { Readable, type Transform } from 'node:stream';
import { constants, createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import * as zlib from 'node:zlib';
import { SinkError } from '../errors/index.ts';
import type { Compression } from './endings.ts';
import { zstdBlocks } from './zstdBlocks.ts';

/** Only newer versions of Node have this. */
const zstd = zlib as typeof zlib & {
  readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: object) => Buffer;
  readonly createZstdDecompress?: () => Transform;
  readonly constants: { readonly ZSTD_e_flush?: number };
};

/** Throws a SinkError if this Node can't write `.zst`. */
export function requireZstd(path: string): void {
  if (zstd.zstdCompressSync === undefined)
    throw new SinkError(`${path}: .zst needs Node 22.15 or newer, and this is ${process.version}; use .gz`);
}

/** Compresses one piece of a file. Readers see several pieces in a row as one file. */
export function compressed(bytes: Buffer, compression: Compression | undefined): Buffer {
  if (compression === 'zstd') return zstd.zstdCompressSync!(bytes);
  return compression === 'gzip' ? gzipSync(bytes) : bytes;
}

/** Unpacks the beginning of a file, which may end in the middle of a piece. */
export function decompressed(bytes: Buffer, compression: Compression | undefined): Buffer {
  if (compression === 'zstd') return zstd.zstdDecompressSync!(bytes, { finishFlush: zstd.constants.ZSTD_e_flush });
  return compression === 'gzip' ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes;
}

/** The uncompressed content of a file. Errors of the file become errors of the stream. */
export function decompressStream(file: Readable, compression: Compression | undefined): NodeJS.ReadableStream {
  if (compression === undefined) return file;
  const packed = compression === 'zstd' ? Readable.from(zstdBlocks(file), { objectMode: false }) : file;
  const plain = compression === 'zstd' ? zstdDecompressor() : createGunzip();
  packed.on('error', (error) => plain.destroy(error));
  return packed.pipe(plain);
}

function zstdDecompressor(): Transform {
  if (zstd.createZstdDecompress === undefined) throw new Error(`.zst needs Node 22.15 or newer, and this is ${process.version}`);
  return zstd.createZstdDecompress();
}
