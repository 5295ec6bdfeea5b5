import type { FaultAction } from './FaultAction.ts';
import { networkFault, type NetworkFaultOptions } from './networkFault.ts';

/** Bytes that are no HTTP come instead of the rest; in the body, a chunk that has no size. */
export function rubbish(options: NetworkFaultOptions): FaultAction {
  return networkFault(options.at, ({ socket }) => socket.end(Buffer.from('\r\nzz\0\u0001 SSH-2.0-rubbish \u001b[31m\r\n\r\n')), true);
}
