import type { FaultAction } from './FaultAction.ts';
import { networkFault, type NetworkFaultOptions } from './networkFault.ts';

/** The connection is reset. */
export function reset(options: NetworkFaultOptions): FaultAction {
  return networkFault(options.at, ({ socket }) => socket.resetAndDestroy());
}
