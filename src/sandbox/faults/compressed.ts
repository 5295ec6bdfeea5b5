import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { FaultAction } from './FaultAction.ts';

export interface CompressedOptions {
  /** @default 'gzip' */
  readonly encoding?: 'gzip' | 'deflate' | 'br' | undefined;
}

/** A good answer, compressed whether the client asked for it or not. */
export function compressed({ encoding = 'gzip' }: CompressedOptions): FaultAction {
  const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding];
  return {
    play(exchange) {
      exchange.send(200, compress(JSON.stringify(exchange.envelope())), {
        'content-type': 'application/json',
        'content-encoding': encoding,
      });
    },
  };
}
