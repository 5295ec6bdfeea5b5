import type { ClientCore } from '../ClientCore.ts';

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

/** What a client does and waits for right now, the longest wait first. */
export function explainCalls({ calls, settings, admission }: ClientCore): Explanation[] {
  const now = settings.clock.now();
  const queued = admission.pausedMs > 0 ? 'a pause that the service asked for' : admission.isFull ? 'a place in flight' : 'the rate';
  const groups = new Map<string, Explanation>();
  for (const call of calls) {
    const state = call.explain?.(now, queued);
    if (state === undefined) continue;
    const key = JSON.stringify([state.operation, state.path, state.state, state.for]);
    const group = groups.get(key);
    groups.set(key, { ...state, count: (group?.count ?? 0) + 1, ms: Math.max(group?.ms ?? 0, state.ms) });
  }
  return [...groups.values()].sort((a, b) => b.ms - a.ms);
}
