import { gzipSync } from 'node:zlib';
import type { FaultAction } from './FaultAction.ts';

/** A gzip body that ends in the middle, with a content length that says it is whole. */
export function truncatedGzip(): FaultAction {
  return {
    play(exchange) {
      const whole = gzipSync(JSON.stringify(exchange.envelope()));
      exchange.send(200, whole.subarray(0, whole.length >> 1), { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    },
  };
}
