import type { Lane } from './admission/Lane.ts';
import type { Explanation } from './admission/Task.ts';
import type { ClientCore } from './ClientCore.ts';

/** What a client does and waits for now, the longest wait first. */
export function explainCalls({ calls, settings, admission }: ClientCore): Explanation[] {
  const now = settings.clock.now();
  const queuedIn = ({ pause }: Lane): string =>
    pause.ms > 0 ? 'a pause that the service asked for' : admission.isFull ? 'a slot' : 'the rate';
  const groups = new Map<string, Explanation>();
  for (const call of calls) {
    const state = call.explain?.(now, queuedIn(call.charge.lane));
    if (state === undefined) continue;
    const key = JSON.stringify([state.operation, state.path, state.state, state.for]);
    const group = groups.get(key);
    groups.set(key, { ...state, count: (group?.count ?? 0) + 1, ms: Math.max(group?.ms ?? 0, Math.round(state.ms)) });
  }
  return [...groups.values()].sort((a, b) => b.ms - a.ms);
}
