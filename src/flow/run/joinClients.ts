import { map, merge } from 'rxjs';
import { serviceOfClient } from '../../client/attachStore.ts';
import type { ClientStats } from '../../client/Client.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { FlowClient } from './FlowClient.ts';

/** The clients of a run: one for each service. */
export interface FlowClients extends FlowClient {
  readonly all: readonly FlowClient[];
  /** The one for a stage. */
  of(stage: Pick<FlowStage, 'service'>): FlowClient;
}

/** Several clients as one: their counts are added up, and their events come as one stream. The first is that of all services that have none. */
export function joinClients(first: FlowClient, others: readonly FlowClient[] = []): FlowClients {
  const all = [first, ...others];
  const byService = new Map(others.map((client) => [serviceOfClient(client)?.name, client] as const));
  const of = ({ service }: Pick<FlowStage, 'service'>): FlowClient => byService.get(service.name) ?? first;
  return {
    all,
    of,
    stats: () => all.map((client) => client.stats()).reduce(added),
    // the number of a request is its client's own
    events$:
      all.length === 1
        ? first.events$
        : merge(
            ...all.map(({ events$ }, at) =>
              events$.pipe(map((event) => ('id' in event ? { ...event, id: event.id * all.length + at } : event))),
            ),
          ),
    drift: () => all.flatMap((client) => client.drift?.() ?? []),
    explain: () => all.flatMap((client) => client.explain?.() ?? []),
  };
}

function added(one: ClientStats, other: ClientStats): ClientStats {
  const sum = (field: 'hits' | 'responses' | 'retries' | 'throttled' | 'failures' | 'inFlight' | 'waiting' | 'requests'): number =>
    one[field] + other[field];
  return {
    ...one,
    hits: sum('hits'),
    responses: sum('responses'),
    retries: sum('retries'),
    throttled: sum('throttled'),
    failures: sum('failures'),
    inFlight: sum('inFlight'),
    waiting: sum('waiting'),
    requests: sum('requests'),
    failedAttempts: [...one.failedAttempts, ...other.failedAttempts],
    pausedMs: Math.min(one.pausedMs, other.pausedMs),
  };
}
