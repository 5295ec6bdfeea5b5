/** Requests of one operation on one path that are in the same state. */
export interface Explanation {
  readonly operation: string;
  /** What is on the way from these requests to the sink, the nearest to them first. */
  readonly path: readonly string[];
  readonly state: 'in flight' | 'waits';
  /** What they wait for: a pause the service asked for, the rate, a place in flight, the next attempt, the store, or what holds them. */
  readonly for?: string | undefined;
  readonly count: number;
  /** How long the oldest of them has been in this state. */
  readonly ms: number;
}

/** What a call says of itself. */
export type CallState = Omit<Explanation, 'count'>;
