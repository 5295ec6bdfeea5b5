import type { FaultAction } from './FaultAction.ts';
import { networkFault, type NetworkFaultOptions } from './networkFault.ts';

/** The connection is closed in good order, but too early. */
export function close(options: NetworkFaultOptions): FaultAction {
  return networkFault(options.at, ({ socket }) => socket.destroySoon());
}
