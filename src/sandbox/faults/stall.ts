import type { FaultAction } from './FaultAction.ts';
import { networkFault, type NetworkFaultOptions } from './networkFault.ts';

/** Nothing more comes, and the connection stays open. */
export function stall(options: NetworkFaultOptions): FaultAction {
  return networkFault(options.at, () => {});
}
