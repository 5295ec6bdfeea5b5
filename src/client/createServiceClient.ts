import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { ClientMember } from '../contract/clientMembers.ts';
import type { Service } from '../contract/Service.ts';
import { Admission } from './admission/Admission.ts';
import { Pause } from './admission/Pause.ts';
import { ResponseReader } from './response/ResponseReader.ts';
import { Attempt } from './attempt/Attempt.ts';
import { Outage } from './attempt/Outage.ts';
import { RetryQuota } from './attempt/RetryQuota.ts';
import { Transport } from './attempt/Transport.ts';
import { budgetRefusal, closedRefusal } from './admission/refusals.ts';
import type { AnyClient, ClientOf, ClientStats } from './Client.ts';
import { type ClientCore, type MakeAttempt, coreOf } from './ClientCore.ts';
import type { ClientOptions } from './ClientOptions.ts';
import { createFactory } from './createFactory.ts';
import { OpenCalls } from './OpenCalls.ts';
import { EventHub } from './events/EventHub.ts';
import { SpanReader } from './spans/SpanReader.ts';
import { HealthBoard } from './health/HealthBoard.ts';
import { OverloadSigns } from './rate/OverloadSigns.ts';
import { resolveOptions, type Settings } from './options/resolveOptions.ts';
import { ClientStore } from './store/ClientStore.ts';
import type { Explanation } from './admission/Task.ts';

/**
 * Creates a client of a service: each operation is a function from a query to an Observable of one page. Options are
 * checked at once. All its requests share one admission: concurrency, rate, pauses, retries and budget.
 */
export function createServiceClient<S extends Service>(service: S, options: ClientOptions = {}): ClientOf<S> {
  const { settings, key } = resolveOptions(service, options);
  return clientOf(createCore(settings, new Transport(key, settings))) as ClientOf<S>;
}

/** Creates a client that sends nothing itself: other processes make its attempts. Everything else is as in any client. */
export function createRemoteClient(settings: Settings, attempt: MakeAttempt): AnyClient {
  return clientOf(createCore(settings, new Transport(randomUUID(), settings), attempt));
}

function clientOf(core: ClientCore): AnyClient {
  const { settings } = core;
  const { operations } = settings.service;
  const factories = Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, createFactory(core, operation)]));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeCore(core));
  const about = { origin: settings.address.origin, prefix: settings.address.prefix, concurrency: settings.concurrency };
  const members = {
    events$: core.events.stream,
    health$: core.health.stream,
    stats: () => statsOf(core),
    explain: () => explainCalls(core),
    drift: () => core.reader.drift(),
    close,
    [Symbol.asyncDispose]: close,
    toJSON: () => about,
    [inspect.custom]: () => `Client ${inspect(about, { breakLength: Infinity })}`,
  } satisfies { readonly [M in ClientMember | symbol]: unknown };
  const client: AnyClient = Object.freeze({ ...factories, ...members });
  coreOf.set(client, core);
  return client;
}

function createCore(settings: Settings, transport: Transport, attempt?: MakeAttempt): ClientCore {
  const { clock, pace, concurrency, maxRequests, windowMs, healthy, limited } = settings;
  const events = new EventHub();
  const pause = new Pause({ clock, pace, longestMs: settings.maxRetryAfterMs });
  const spans = new SpanReader(settings.service);
  const core: ClientCore = {
    settings,
    transport,
    stored: settings.store === undefined ? undefined : new ClientStore(settings.store, settings, spans),
    attempt: attempt ?? ((owner, request) => new Attempt(core, owner, request)),
    events,
    quota: new RetryQuota(),
    signs: new OverloadSigns(),
    outage: new Outage(settings.outageMs),
    spans,
    reader: new ResponseReader(settings, events),
    pause,
    oddHeaders: new Set(),
    admission: new Admission({ clock, pace, pause, concurrency, maxRequests, overBudget: budgetRefusal(settings, events) }),
    health: new HealthBoard(Object.keys(settings.service.operations), {
      clock,
      windowMs,
      healthy,
      limited,
      changed: (operation, from, to) => {
        if (events.on) events.emit({ type: 'health', operation, at: clock.wall(), from, to });
      },
    }),
    calls: new OpenCalls(),
    counts: { calls: 0, hits: 0, responses: 0, retries: 0, throttled: 0, failures: 0 },
    refuseWaiting(refusal) {
      for (const call of Array.from(core.calls)) if (!call.inFlight && call.inStore !== true) call.refuse(refusal);
    },
    stop(refusal) {
      core.admission.stop(refusal);
      core.refuseWaiting(refusal);
    },
  };
  return core;
}

async function closeCore(core: ClientCore): Promise<void> {
  if (core.stored !== undefined) core.stored.open = false;
  core.admission.quietly(() => {
    core.admission.stop(closedRefusal);
    for (const call of Array.from(core.calls)) call.refuse(closedRefusal);
  });
  core.health.close();
  core.events.complete();
  await core.transport.close();
  await core.stored?.responses.store.sync();
}

function statsOf(core: ClientCore): ClientStats {
  const { admission, pause, counts, settings } = core;
  return {
    inFlight: admission.inFlight,
    waiting: admission.waiting + (core.stored?.queue.size ?? 0),
    requests: admission.sent,
    hits: counts.hits,
    responses: counts.responses,
    retries: counts.retries,
    throttled: counts.throttled,
    failures: counts.failures,
    rate: settings.pace.rate,
    pausedMs: pause.ms,
    pausedUntil: pause.until,
    budgetLeft: admission.budgetLeft,
  };
}

/** What a client does and waits for now, the longest wait first. */
function explainCalls({ calls, settings, admission, pause }: ClientCore): Explanation[] {
  const now = settings.clock.now();
  const queued = pause.ms > 0 ? 'a pause that the service asked for' : admission.isFull ? 'a place in flight' : 'the rate';
  const groups = new Map<string, Explanation>();
  for (const call of calls) {
    const state = call.explain?.(now, queued);
    if (state === undefined) continue;
    const key = JSON.stringify([state.operation, state.path, state.state, state.for]);
    const group = groups.get(key);
    groups.set(key, { ...state, count: (group?.count ?? 0) + 1, ms: Math.max(group?.ms ?? 0, Math.round(state.ms)) });
  }
  return [...groups.values()].sort((a, b) => b.ms - a.ms);
}
