import type { FaultAction } from './FaultAction.ts';

/** Two content lengths that don't agree. */
export function twoLengths(): FaultAction {
  return {
    play(exchange) {
      const { head, body } = exchange.raw(200, 'content-length: 10\r\ncontent-length: 100');
      exchange.socket.end(Buffer.concat([head, body]));
    },
  };
}
