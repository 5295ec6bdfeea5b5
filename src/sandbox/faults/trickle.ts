import type { FaultAction } from './FaultAction.ts';
import { networkFault, type NetworkFaultOptions } from './networkFault.ts';

export interface TrickleOptions extends NetworkFaultOptions {
  /** Between two bytes. @default 50 */
  readonly everyMs?: number | undefined;
}

/** The rest comes byte by byte, so slowly that a timeout between bytes never strikes. */
export function trickle({ at, everyMs = 50 }: TrickleOptions): FaultAction {
  return networkFault(at, ({ socket, rest, after }) => {
    const bytes = rest.length > 0 ? rest : Buffer.from('HTTP/1.1 200 OK\r\nx-trickle: drip drop\r\n');
    let sent = 0;
    const drip = (): void => {
      if (socket.destroyed) return;
      socket.write(bytes.subarray(sent, ++sent));
      if (sent < bytes.length) after(everyMs, drip);
      else socket.end();
    };
    drip();
  });
}
