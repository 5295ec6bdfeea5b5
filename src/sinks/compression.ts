import type { Duplex, Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import * as zlib from 'node:zlib';
import { SinkError } from '../errors/index.ts';
import type { Compression } from './endings.ts';

/** What newer versions of Node have. */
const zstd = zlib as typeof zlib & {
  readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: object) => Buffer;
  readonly createZstdDecompress?: () => Duplex;
  readonly constants: { readonly ZSTD_e_flush?: number };
};

/** Throws a SinkError where this Node can't write `.zst`. */
export function requireZstd(path: string): void {
  if (zstd.zstdCompressSync === undefined)
    throw new SinkError(`${path}: .zst needs Node 22.15 or newer, and this is ${process.version}; use .gz`);
}

/** A piece of a file: several of them in a row are one file to every reader. */
export function compressed(bytes: Buffer, compression: Compression | undefined): Buffer {
  if (compression === 'zstd') return zstd.zstdCompressSync!(bytes);
  return compression === 'gzip' ? gzipSync(bytes) : bytes;
}

/** The beginning of a file, which may end in the middle of a piece. */
export function decompressed(bytes: Buffer, compression: Compression | undefined): Buffer {
  if (compression === 'zstd') return zstd.zstdDecompressSync!(bytes, { finishFlush: zstd.constants.ZSTD_e_flush });
  return compression === 'gzip' ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes;
}

/** A file as it was before it was compressed; what goes wrong with the file goes wrong with the stream. */
export function decompressStream(file: Readable, compression: Compression | undefined): NodeJS.ReadableStream {
  if (compression === undefined) return file;
  if (compression === 'zstd' && zstd.createZstdDecompress === undefined) throw new Error(`.zst needs Node 22.15 or newer, and this is ${process.version}`); // prettier-ignore
  const plain = compression === 'zstd' ? zstd.createZstdDecompress!() : createGunzip();
  file.on('error', (error) => plain.destroy(error));
  return file.pipe(plain);
}
