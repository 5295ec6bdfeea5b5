import type { FaultAction } from './FaultAction.ts';
import { networkFault, type NetworkFaultOptions } from './networkFault.ts';

export interface DelayOptions extends NetworkFaultOptions {
  /** How long nothing comes. @default 100 */
  readonly ms?: number | undefined;
}

/** A good answer that comes late, or stops for a while on its way. */
export function delay({ at, ms = 100 }: DelayOptions): FaultAction {
  return networkFault(at, ({ socket, rest, after, accept }) => {
    after(ms, () => {
      if (accept !== undefined) accept();
      else if (!socket.destroyed) socket.end(rest);
    });
  });
}
