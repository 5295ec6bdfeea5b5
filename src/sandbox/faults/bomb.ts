import { gzipSync } from 'node:zlib';
import type { FaultAction } from './FaultAction.ts';

export interface BombOptions {
  /** Its size when it is unpacked. @default 314572800 (300 MiB) */
  readonly bytes?: number | undefined;
}

/** A small gzip body that unpacks to a huge one. */
export function bomb({ bytes = 314_572_800 }: BombOptions): FaultAction {
  let packed: Buffer | undefined;
  return {
    play(exchange) {
      packed ??= pack(bytes);
      exchange.send(200, packed, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    },
  };
}

/** Gzip bodies can be strung together, so that the whole is never in memory. */
function pack(bytes: number): Buffer {
  const mebibyte = gzipSync(Buffer.alloc(1_048_576, ' '));
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / 1_048_576) }, () => mebibyte));
}
