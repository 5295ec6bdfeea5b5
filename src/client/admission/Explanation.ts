/** Requests of one operation on one path that are in the same state. */
export interface Explanation {
  readonly operation: string;
  /** The parts on the path from these requests to the sink, nearest to the requests first. */
  readonly path: readonly string[];
  readonly state: 'in flight' | 'waits';
  /** What they wait for: a pause required by the service, the rate, a place in flight, the next attempt, the store, or a full part downstream. */
  readonly for?: string | undefined;
  readonly count: number;
  /** How long the oldest has been in this state. */
  readonly ms: number;
}

/** A call's own description. */
export type CallState = Omit<Explanation, 'count'>;
