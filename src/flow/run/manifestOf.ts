import type { Flow } from '../definition/Flow.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { outcomeOf, progressOf } from './progressOf.ts';

/** What a finished run leaves as `manifest.json`. */
export function manifestOf(flow: Flow, store: FlowStore): string {
  const stages = progressOf(flow, store.history);
  const manifest = {
    flow: { name: flow.name, digest: flow.digest, service: flow.service.name, definition: { ...flow.definition, service: undefined } },
    outcome: outcomeOf(stages),
    startedAt: new Date(store.history.startedAt).toISOString(),
    endedAt: new Date(store.history.finishedAt ?? Date.now()).toISOString(),
    requests: store.history.requests,
    stages: stages.map(({ name, call, outcome, done, failed, capped, short, nearly, got, claimed, doubts, pages, rows }) => ({
      name,
      call,
      outcome,
      queries: done + failed,
      failed,
      capped,
      ...(claimed === 0 ? {} : { short, nearly, got, claimed }),
      ...(doubts.length === 0 ? {} : { doubts }),
      pages,
      rows,
    })),
    files: store.history.finished ?? [],
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
