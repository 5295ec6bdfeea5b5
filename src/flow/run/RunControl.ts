import type { OpenQuery } from '../core/Query.ts';

/** What the parts of a run may do to it. */
export interface RunControl {
  /** Whether there are queries that haven't ended, or seeds that weren't read. */
  readonly hasMore: boolean;
  /** Checks again whether requests can be sent. */
  free(): void;
  /** A query's request isn't sent now. It waits again. */
  holdBack(query: number): void;
  /** Requests these queries. */
  requestNow(queries: readonly OpenQuery[]): void;
  /** Sends no more requests, for a reason in words. The run stays open. */
  stop(because: string | undefined): void;
  /** Sends no more requests. The run fails with this error. */
  fail(error: unknown): void;
}
