import type { Fault } from './faults/faults.ts';
import type { SandboxRequest } from './RequestLog.ts';

/** A running sandbox. */
export interface Sandbox extends AsyncDisposable {
  /** What a client takes as its base URL. */
  readonly url: string;
  readonly port: number;
  /** The key it wants to see. */
  readonly apiKey: string;
  /** What it was asked, in order of arrival; the latest 100,000, or as many as `logLimit` says. */
  readonly requests: readonly SandboxRequest[];
  /** How many requests came, of one operation or in all; not limited by `logLimit`. */
  count(operation?: string): number;
  /** The remembered requests of one operation. */
  calls(operation: string): readonly SandboxRequest[];
  /** Plays other faults from now on; none for none. They count from 1 again. */
  setFaults(faults: readonly Fault[]): void;
  /** Forgets the requests so far. */
  reset(): void;
  /** Ends every connection at once and leaves nothing behind. */
  close(): Promise<void>;
}
