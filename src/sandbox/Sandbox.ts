import type { Fault } from './faults/faults.ts';
import type { SandboxRequest } from './RequestLog.ts';

/** A running sandbox. */
export interface Sandbox extends AsyncDisposable {
  /** The base URL for a client. */
  readonly url: string;
  readonly port: number;
  /** The key that requests must carry. */
  readonly apiKey: string;
  /** Received requests in order of arrival. It keeps the latest 100,000, or `logLimit`. */
  readonly requests: readonly SandboxRequest[];
  /** The number of requests, for one operation or in total. Not limited by `logLimit`. */
  count(operation?: string): number;
  /** The logged requests of one operation. */
  calls(operation: string): readonly SandboxRequest[];
  /** Replaces the faults. Without arguments, removes them. Counting starts from 1 again. */
  setFaults(faults: readonly Fault[]): void;
  /** Clears the request log. */
  reset(): void;
  /** Ends every connection at once and leaves nothing behind. */
  close(): Promise<void>;
}
