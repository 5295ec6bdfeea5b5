import { brotliDecompress, brotliDecompressSync, gunzip, gunzipSync, inflate, inflateRaw, inflateRawSync, inflateSync } from 'node:zlib';

/** Why a body could not be decoded. */
export type DecodeFailure = 'tooLarge' | 'truncated' | 'corrupt' | 'unknownEncoding';

const besideBytes = 256 * 1024;
const maxAtOnce = 1024 * 1024;
const usualChunk = 16 * 1024;
const zlib = { atOnce: inflateSync, beside: inflate };
const rawDeflate = { atOnce: inflateRawSync, beside: inflateRaw };
const decoders = new Map([
  ['gzip', { atOnce: gunzipSync, beside: gunzip }],
  ['x-gzip', { atOnce: gunzipSync, beside: gunzip }],
  ['deflate', zlib],
  ['br', { atOnce: brotliDecompressSync, beside: brotliDecompress }],
]);

/**
 * Decodes a body's content encoding in one step, and gives up as soon as the output exceeds `maxBytes`. Large bodies
 * are decoded off the event loop. For others `done` is called before this returns.
 */
export function decodeBody(
  body: Buffer,
  encoding: string,
  maxBytes: number,
  done: (fault: DecodeFailure | undefined, body: Buffer) => void,
): void {
  if (encoding === '' || encoding === 'identity' || body.length === 0) return done(undefined, body);
  let decoder = decoders.get(encoding);
  if (decoder === undefined) return done('unknownEncoding', body);
  if (decoder === zlib && !hasZlibHeader(body)) decoder = rawDeflate; // some services send this as 'deflate'
  const options = { maxOutputLength: maxBytes, chunkSize: chunkFor(body, encoding) };
  if (body.length > besideBytes) {
    return decoder.beside(body, options, (error, decoded) => done(error === null ? undefined : failureKindOf(error), decoded));
  }
  let decoded = body;
  let fault: DecodeFailure | undefined;
  try {
    decoded = decoder.atOnce(body, options);
  } catch (error) {
    fault = failureKindOf(error);
  }
  done(fault, decoded);
}

/** Room for the whole output where the body says how long it is: half the time of joining chunks. */
function chunkFor(body: Buffer, encoding: string): number {
  const told = encoding.endsWith('gzip') && body.length >= 4 ? body.readUInt32LE(body.length - 4) : 0;
  return told > maxAtOnce ? usualChunk : Math.max(told + 64, usualChunk);
}

function hasZlibHeader(body: Buffer): boolean {
  return (body[0]! & 0x0f) === 8 && ((body[0]! << 8) | (body[1] ?? 0)) % 31 === 0;
}

function failureKindOf(error: unknown): DecodeFailure {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'tooLarge';
  return code === 'Z_BUF_ERROR' ? 'truncated' : 'corrupt';
}
