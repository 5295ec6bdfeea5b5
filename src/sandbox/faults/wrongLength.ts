import type { FaultAction } from './FaultAction.ts';

export interface WrongLengthOptions {
  /** How many bytes more than there are, or fewer, the header announces. @default 100 */
  readonly by?: number | undefined;
}

/** The content length is wrong: the body ends before it, or goes on after it. */
export function wrongLength({ by = 100 }: WrongLengthOptions): FaultAction {
  return {
    play(exchange) {
      const { length } = exchange.raw(200).body;
      const { head, body } = exchange.raw(200, `content-length: ${Math.max(0, length + by)}`);
      exchange.socket.end(Buffer.concat([head, body]));
    },
  };
}
