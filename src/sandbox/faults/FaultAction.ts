import type { Socket } from 'node:net';
import type { SandboxCall } from '../SandboxCall.ts';

/** An active fault. It may keep state between requests. */
export interface FaultAction {
  /** Sends a bad response. */
  play(exchange: SandboxCall): void;
  /** Disturbs a connection that was just accepted, before anything is read from it. */
  readonly connect?: ((socket: Socket, after: (ms: number, run: () => void) => void, accept: () => void) => void) | undefined;
}
