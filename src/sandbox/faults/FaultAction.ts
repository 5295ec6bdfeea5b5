import type { Socket } from 'node:net';
import type { SandboxCall } from '../SandboxCall.ts';

/** A fault that is switched on. It may remember things between the requests it is played on. */
export interface FaultAction {
  /** Answers a request, badly. */
  play(exchange: SandboxCall): void;
  /** Ill-treats a connection that was just accepted, before anything is read from it. */
  readonly connect?: ((socket: Socket, after: (ms: number, run: () => void) => void, accept: () => void) => void) | undefined;
}
