import type { SandboxCall } from '../../../src/sandbox/SandboxCall.ts';
import type { PlayFault } from './ChangedResponse.ts';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

export interface RedirectOptions {
  /** @default 302 */
  readonly status?: number | undefined;
  /** @default 'http://elsewhere.example/' */
  readonly to?: string | undefined;
}

/** Redirects the client. */
export function redirect({ status = 302, to = 'http://elsewhere.example/' }: RedirectOptions): PlayFault {
  return (exchange) => exchange.send(status, '', { location: to });
}

/** 204, which has no body. */
export function noContent(): PlayFault {
  return (exchange) => exchange.send(204, '');
}

/** 200 with an empty body. */
export function empty(): PlayFault {
  return (exchange) => exchange.send(200, '', { 'content-type': 'application/json' });
}

/** 200 with a page for people: a captcha, a maintenance notice. */
export function html(): PlayFault {
  const page = '<!doctype html>\n<html><body><h1>Checking your browser\u001b[31m …</h1></body></html>';
  return (exchange) => exchange.send(200, page, { 'content-type': 'text/html; charset=utf-8' });
}

export interface HugeHeaderOptions {
  /** @default 20000 */
  readonly bytes?: number | undefined;
}

/** A correct response with a header too large for a client. */
export function hugeHeader({ bytes = 20_000 }: HugeHeaderOptions): PlayFault {
  return (exchange) => exchange.json(exchange.correct(), 200, { 'x-huge': 'h'.repeat(bytes) });
}

/** Two content lengths that don't agree. */
export function twoLengths(): PlayFault {
  return (exchange) => {
    const { head, body } = exchange.raw(200, 'content-length: 10\r\ncontent-length: 100');
    exchange.socket.end(Buffer.concat([head, body]));
  };
}

export interface WrongLengthOptions {
  /** Added to the real length, or subtracted if it is negative. @default 100 */
  readonly by?: number | undefined;
}

/** The content length is wrong: the body ends before it, or goes on after it. */
export function wrongLength({ by = 100 }: WrongLengthOptions): PlayFault {
  return (exchange) => {
    const { length } = exchange.raw(200).body;
    const { head, body } = exchange.raw(200, `content-length: ${Math.max(0, length + by)}`);
    exchange.socket.end(Buffer.concat([head, body]));
  };
}

export interface ConnectionCloseOptions {
  /** How long the body is. @default 100000 */
  readonly bytes?: number | undefined;
}

/** A correct response with a large body. The connection closes after it. */
export function connectionClose({ bytes = 100_000 }: ConnectionCloseOptions): PlayFault {
  return (exchange) => exchange.json(enlarged(exchange, bytes), 200, { connection: 'close' });
}

/** A response made large by an unknown field. */
function enlarged(exchange: SandboxCall, bytes: number): unknown {
  const size = Buffer.byteLength(JSON.stringify(exchange.correct())) + ',"padding":""'.length;
  return exchange.wrap({ ...exchange.data(), padding: ' '.repeat(Math.max(0, bytes - size)) });
}

export interface HugePageOptions {
  /** @default 67108864 (64 MiB) */
  readonly bytes?: number | undefined;
}

/** A correct response that is far too large. */
export function hugePage({ bytes = 67_108_864 }: HugePageOptions): PlayFault {
  return (exchange) => exchange.json(enlarged(exchange, bytes));
}

export interface CompressedOptions {
  /** @default 'gzip' */
  readonly encoding?: 'gzip' | 'deflate' | 'br' | undefined;
}

/** A correct response, compressed even if the client doesn't accept that. */
function compressBody({ encoding = 'gzip' }: CompressedOptions): PlayFault {
  const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding];
  return (exchange) => {
    exchange.send(200, compress(JSON.stringify(exchange.correct())), {
      'content-type': 'application/json',
      'content-encoding': encoding,
    });
  };
}

/** A gzip body that ends in the middle, with a content length that says it is whole. */
export function truncatedGzip(): PlayFault {
  return (exchange) => {
    const whole = gzipSync(JSON.stringify(exchange.correct()));
    exchange.send(200, whole.subarray(0, whole.length >> 1), { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  };
}

export interface BombOptions {
  /** Its size when it is unpacked. @default 314572800 (300 MiB) */
  readonly bytes?: number | undefined;
}

/** A small gzip body that unpacks to a huge one. */
export function bomb({ bytes = 314_572_800 }: BombOptions): PlayFault {
  let packed: Buffer | undefined;
  return (exchange) => {
    packed ??= pack(bytes);
    exchange.send(200, packed, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  };
}

/** Gzip bodies can be strung together, so that the whole is never in memory. */
function pack(bytes: number): Buffer {
  const mebibyte = gzipSync(Buffer.alloc(1_048_576, ' '));
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / 1_048_576) }, () => mebibyte));
}

export { compressBody as compressed };
