import * as zlib from 'node:zlib';
import { isUtf8 } from 'node:buffer';

/** Why a body could not be decoded. */
export type DecodeFailure = 'tooLarge' | 'truncated' | 'corrupt' | 'unknownEncoding' | 'needsNewerNode';

type Done = (fault: DecodeFailure | undefined, body: Buffer) => void;
type Packing = 'gzip' | 'zlib' | 'deflate' | 'br' | 'zstd';

interface Decoder {
  readonly atOnce: (body: Buffer, options: zlib.ZlibOptions) => Buffer;
  readonly offLoop: (body: Buffer, options: zlib.ZlibOptions, done: (error: Error | null, body: Buffer) => void) => void;
}

/** The longest body that is read. V8 has no text that is longer. */
export const mostBodyBytes: number = 2 ** 29;

const offLoopBytes = 256 * 1024;
const maxAtOnce = 1024 * 1024;
const usualChunk = 16 * 1024;
const [openList, openObject] = [91, 123]; // of JSON, which nothing compressed begins with
const maxLayers = 3; // a packed file in a packed response, and one more
/** Node has zstd from 22.15 on. */
const newer = zlib as unknown as { readonly zstdDecompressSync?: Decoder['atOnce']; readonly zstdDecompress?: Decoder['offLoop'] };

const decoders: { readonly [packing in Packing]: Decoder | undefined } = {
  gzip: { atOnce: zlib.gunzipSync, offLoop: zlib.gunzip },
  zlib: { atOnce: zlib.inflateSync, offLoop: zlib.inflate },
  deflate: { atOnce: zlib.inflateRawSync, offLoop: zlib.inflateRaw },
  br: { atOnce: zlib.brotliDecompressSync, offLoop: zlib.brotliDecompress },
  zstd: newer.zstdDecompressSync && { atOnce: newer.zstdDecompressSync, offLoop: newer.zstdDecompress! },
};

/** Those of a response, which may come from a store. */
interface Headers {
  readonly [name: string]: string | readonly string[] | undefined;
}

/**
 * Undoes a body's compression, whatever the header says: its first bytes decide, where they tell. What comes out is in UTF-8, if the
 * charset is known. Gives up as soon as the output exceeds `maxBytes`. Large bodies are decoded off the event loop. For others `done`
 * is called before this returns.
 */
export function decodeBody(body: Buffer, headers: Headers, maxBytes: number, done: Done): void {
  const encoding = String(headers['content-encoding'] ?? '').toLowerCase();
  const type = String(headers['content-type'] ?? '');
  if (encoding === '' && (body[0] === openObject || body[0] === openList)) return done(undefined, inUtf8(body, type));
  const packing = body.length === 0 ? undefined : packingOf(body, encoding);
  unpack(body, packing, maxBytes, maxLayers, (fault, plain) => done(fault, fault === undefined ? inUtf8(plain, type) : plain));
}

/** Whether a body is JSON in UTF-8 as it came, as most are. */
export function isPlain(body: Buffer, headers: Headers): boolean {
  const type = headers['content-type'];
  const isJson = body[0] === openObject || body[0] === openList;
  return isJson && headers['content-encoding'] === undefined && (type === undefined || plainTypes.has(String(type)));
}

const plainTypes: ReadonlySet<string> = new Set(['application/json', 'application/json; charset=utf-8', 'application/json;charset=utf-8']);

function unpack(body: Buffer, packing: Packing | 'unknown' | undefined, maxBytes: number, layers: number, done: Done): void {
  if (packing === undefined) return done(undefined, body);
  if (packing === 'unknown') return done('unknownEncoding', body);
  const decoder = decoders[packing];
  if (decoder === undefined) return done('needsNewerNode', body);
  const options = { maxOutputLength: maxBytes, chunkSize: chunkFor(body, packing) };
  const decoded = (error: unknown, plain: Buffer): void => {
    if (error === undefined) return unpack(plain, layers > 1 ? packedAs(plain) : undefined, maxBytes, layers - 1, done);
    const fault = failureKindOf(error);
    // These have no mark of their own, so only the header said that it is compressed.
    if (fault === 'corrupt' && (packing === 'br' || packing === 'deflate') && isUtf8(body)) return done(undefined, body);
    done(fault, body);
  };
  if (body.length > offLoopBytes) return decoder.offLoop(body, options, (error, plain) => decoded(error ?? undefined, plain));
  let plain = body;
  try {
    plain = decoder.atOnce(body, options);
  } catch (error) {
    return decoded(error, body);
  }
  decoded(undefined, plain);
}

/** How a body is compressed: as its first bytes say, else as its header says, unless its first bytes would be others then. */
function packingOf(body: Buffer, encoding: string): Packing | 'unknown' | undefined {
  const packed = packedAs(body);
  if (packed !== undefined) return packed;
  switch (encoding) {
    case 'br':
      return 'br';
    case 'deflate': // some services send it without a header
      return hasZlibHeader(body) ? 'zlib' : 'deflate';
    case '':
    case 'identity':
    case 'gzip':
    case 'x-gzip':
    case 'zstd':
      return undefined;
    default:
      return 'unknown';
  }
}

/** What the first bytes of a body say. No text begins like this. */
function packedAs(body: Buffer): Packing | undefined {
  if (body.length < 4) return undefined;
  if (body[0] === 0x1f && body[1] === 0x8b && body[2] === 8) return 'gzip';
  if (body[0] === 0x78 && body[1]! > 0x7f && hasZlibHeader(body)) return 'zlib';
  return body.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : undefined;
}

function hasZlibHeader(body: Buffer): boolean {
  return (body[0]! & 0x0f) === 8 && ((body[0]! << 8) | (body[1] ?? 0)) % 31 === 0;
}

/** Room for the whole output where the body says how long it is: half the time of joining chunks. */
function chunkFor(body: Buffer, packing: Packing): number {
  const told = packing === 'gzip' ? body.readUInt32LE(body.length - 4) : 0;
  return told > maxAtOnce ? usualChunk : Math.max(told + 64, usualChunk);
}

function failureKindOf(error: unknown): DecodeFailure {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'tooLarge';
  return code === 'Z_BUF_ERROR' ? 'truncated' : 'corrupt';
}

/**
 * A body in UTF-8. If it isn't, it is converted from the charset that its content type names, or its XML declaration. What is sent
 * as JSON has none, but XML also comes as plain text. One in UTF-8 stays as it is, whatever they say: many services name the wrong one.
 */
export function inUtf8(body: Buffer, contentType: string): Buffer {
  const named = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType);
  const charset = named ?? (isJson.test(contentType) ? null : declared.exec(body.toString('latin1', 0, 100)));
  if (charset === null || isUtf8(body)) return body;
  try {
    const decoder = new TextDecoder(charset[1]);
    // Without `stream`, Node 20 takes Windows-1252 for Latin-1.
    return Buffer.from(decoder.decode(body, { stream: true }) + decoder.decode());
  } catch {
    return body; // an unknown charset
  }
}

const isJson = /^[^;]*json/i;

/** The charset in the first line of an XML document. */
const declared = /^<\?xml [^>]*encoding\s*=\s*["']([^"']+)/;
