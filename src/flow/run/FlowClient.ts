import { map, merge, type Observable, type Subscription } from 'rxjs';
import type { PageLike, PageRequest } from '../../../operators/PageLike.ts';
import { FailureCounts } from '../../errors/FailedAttempts.ts';
import { FlowError } from '../../errors/index.ts';
import type { AnyClient, ClientStats } from '../../client/Client.ts';
import { type FlowStage, type Flow, stageOf } from '../definition/Flow.ts';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { subscribeUnder } from '../../../operators/demand/demandScope.ts';
import { Listener } from '../../../operators/kit/Listener.ts';
import type { BegunQuery } from '../core/Query.ts';
import { rightOptions } from '../../client/coreOf.ts';
import { attachStore, serviceOfClient, storeOf } from '../../client/flowAccess.ts';
import { requestExpiring } from '../../fanouts/requestExpiring.ts';
import { openStore, type Store } from '../../store/index.ts';
import { parseAge } from '../../../operators/kit/days.ts';
import { resolve } from 'node:path';
import type { FlowDefinition } from '../definition/flowFormat.ts';

/** The members of a client that a run needs besides its flow's operations. */
export type FlowClient = Pick<AnyClient, 'stats' | 'events$'> & Partial<Pick<AnyClient, 'drift' | 'explain'>>;

/** The clients of a run: one for each service. */
export interface FlowClients extends Required<FlowClient> {
  readonly all: readonly FlowClient[];
  /** The one for a stage. */
  of(stage: Pick<FlowStage, 'service'>): FlowClient;
}

/**
 * Several clients as one: their counts are added up, and their events come as one stream. The first is used for services without a client
 * of their own.
 */
export function joinClients(all: readonly FlowClient[]): FlowClients {
  const first = all[0]!;
  const byService = new Map(all.map((client) => [serviceOfClient(client)?.name, client] as const));
  const of = ({ service }: Pick<FlowStage, 'service'>): FlowClient => byService.get(service.name) ?? first;
  return {
    all,
    of,
    stats: () => all.map((client) => client.stats()).reduce(added),
    // requests are numbered by each client, so the numbers are changed to differ
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

const summed = ['hits', 'responses', 'retries', 'polls', 'throttled', 'failures', 'inFlight', 'waiting', 'requests', 'budgetLeft'] as const;

function added(one: ClientStats, other: ClientStats): ClientStats {
  return {
    ...(one.pausedMs <= other.pausedMs ? one : other), // a pause is one only while all have one
    ...Object.fromEntries(summed.map((field) => [field, one[field] + other[field]])),
    failedAttempts: new FailureCounts().addAll(one.failedAttempts).addAll(other.failedAttempts).list,
    rate: one.rate === undefined ? other.rate : one.rate + (other.rate ?? 0),
  };
}

function factoryOf(clients: FlowClients, stage: FlowStage): (query: object, request?: PageRequest) => Observable<PageLike> {
  const { name } = stage.operation;
  const client = clients.of(stage);
  const factory: unknown = name in client ? client[name as keyof FlowClient] : undefined;
  if (typeof factory !== 'function') throw new FlowError(`stage ${stage.name}: the client that was given has no ${name}`);
  return factory as (query: object, request?: PageRequest) => Observable<PageLike>;
}

type PageOutcome = { readonly page: PageLike } | { readonly error: unknown };

/**
 * Requests the next page of a query, at its stage's node on the path to the files. `receive` is called once, unless the request is
 * unsubscribed first. Returns undefined if it was called at once.
 */
export function requestPage(
  flow: Flow,
  client: FlowClients,
  query: BegunQuery,
  node: DemandNode,
  receive: (outcome: PageOutcome) => void,
): Subscription | undefined {
  // A query that is walked again must not get its stored pages: they would lack the same rows.
  const store = query.rewalk ? 'renew' : 'use';
  let over = false;
  const end = (outcome: PageOutcome): void => {
    if (over) return;
    over = true;
    receive(outcome);
  };
  try {
    const listener = new Listener<PageLike>(
      {
        next: (page) => end({ page }),
        error: (error: unknown) => end({ error }),
        complete() {
          if (!over) end({ error: new Error('the response ended without a page') });
        },
      },
      stageOf(flow, query).keepsBytes,
    );
    subscribeUnder(node, pageOf(flow, client, query, store), listener);
    return over ? undefined : listener;
  } catch (error) {
    end({ error });
    return undefined;
  }
}

/**
 * Requests the page that a query needs. A URL that expires soon goes first. If it is refused, the page with it is requested again, at the
 * service that takes it.
 */
export function pageOf(flow: Flow, client: FlowClients, query: BegunQuery, store: PageRequest['store'] = 'use'): Observable<PageLike> {
  const stage = stageOf(flow, query);
  const options = {
    rows: stage.rows,
    missing: stage.definition.missing,
    label: stage.name,
    walk: query.number,
    batch: query.walk.batch,
    job: 'address' in query ? query.address : undefined,
    store,
    [rightOptions]: true,
  };
  const factory = factoryOf(client, stage);
  if (stage.fanOut?.expires !== true) return factory(query.walk.query, options);
  const above = query.parent === undefined ? undefined : flow.byName.get(query.parent.stage)!;
  const parent = above && ([above, ...above.others].find(({ service }) => service === stage.service) ?? above);
  const source = parent && {
    query: query.parent!.params,
    request: (params: object) =>
      factoryOf(client, parent)(params, { label: parent.name, missing: parent.definition.missing, store: 'renew' }),
  };
  return requestExpiring({
    spec: stage.fanOut,
    query: query.walk.query,
    request: (params) => factory(params, options),
    source,
  });
}

/** The stores of a run. */
export interface FlowResponses extends AsyncDisposable {
  /** Each response is stored. */
  readonly keepsAll: boolean;
  /** Where they are, in words. */
  readonly folders: string;
}

/** Opens the store that a flow names, for each of its clients that has none of its own. */
export function openResponses(flow: Flow, { all }: FlowClients): FlowResponses {
  const foldersOf = (): readonly (string | undefined)[] => all.map((client) => storeOf(client)?.folder);
  const named = foldersOf().includes(undefined) ? flow.definition.store : undefined;
  const store = named === undefined ? undefined : openNamed(flow, named);
  const detach = store === undefined ? [] : all.map((client) => attachStore(client, store));
  const used = foldersOf();
  return {
    keepsAll: !used.includes(undefined),
    folders: [...new Set(used)].filter((folder) => folder !== undefined).join(' and '),
    async [Symbol.asyncDispose]() {
      for (const end of detach) if (end !== false) end();
      await store?.close();
    },
  };
}

function openNamed(flow: Flow, named: NonNullable<FlowDefinition['store']>): Store {
  const { folder, mode, maxAge } = typeof named === 'string' ? { folder: named } : named;
  return openStore(resolve(flow.folder, folder), {
    mode,
    fileSystem: flow.fileSystem,
    maxAgeMs: typeof maxAge === 'string' ? parseAge(maxAge) : maxAge && mapAges(maxAge),
  });
}

function mapAges(ages: { readonly [operation: string]: string }): { readonly [operation: string]: number } {
  return Object.fromEntries(Object.entries(ages).map(([operation, age]) => [operation, parseAge(age) ?? Infinity]));
}
