import { Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import * as zlib from 'node:zlib';
import { SinkError } from '../errors/index.ts';
import type { Compression } from './endings.ts';

/** Only newer versions of Node have this. */
const zstd = zlib as typeof zlib & {
  readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: object) => Buffer;
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
  if (compression === 'zstd') return Readable.from(zstdFrames(file));
  const plain = createGunzip();
  file.on('error', (error) => plain.destroy(error));
  return file.pipe(plain);
}

/** Node's own stream ends after the first frame, so a file of several frames is read whole. */
async function* zstdFrames(file: Readable): AsyncGenerator<Buffer, void, undefined> {
  if (zstd.zstdDecompressSync === undefined) throw new Error(`.zst needs Node 22.15 or newer, and this is ${process.version}`);
  const bytes = Buffer.concat(await file.toArray());
  for (let at = 0; at < bytes.length;) {
    const { buffer, engine } = zstd.zstdDecompressSync(bytes.subarray(at), { info: true }) as unknown as Frame;
    if (engine.bytesWritten === 0) throw new Error('the file ends in the midst of a frame');
    at += engine.bytesWritten;
    yield buffer;
  }
}

interface Frame {
  readonly buffer: Buffer;
  /** Size of the frame in the file, in bytes. */
  readonly engine: { readonly bytesWritten: number };
}
