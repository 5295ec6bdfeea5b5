import type { FaultAction } from './FaultAction.ts';
import { networkFault, type NetworkFaultOptions } from './networkFault.ts';

export interface SlicesOptions extends NetworkFaultOptions {
  /** The size of a slice. @default 3 */
  readonly bytes?: number | undefined;
}

/** A good answer whose rest comes in small slices: a client must not notice. */
export function slices({ at, bytes = 3 }: SlicesOptions): FaultAction {
  if (at === 'connect') throw new RangeError("startSandbox: the fault 'slices' has nothing to slice at 'connect'");
  return networkFault(at, ({ socket, rest }) => {
    let sent = 0;
    const next = (): void => {
      if (socket.destroyed) return;
      socket.write(rest.subarray(sent, (sent += bytes)));
      if (sent < rest.length) setImmediate(next);
      else socket.end();
    };
    next();
  });
}
