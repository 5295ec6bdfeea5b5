import { inspect } from 'node:util';
import type { Service } from '../contract/Service.ts';
import { Attempt } from './attempt/Attempt.ts';
import { Transport } from './attempt/Transport.ts';
import { Batches } from './batch/Batches.ts';
import type { AnyClient, ClientOf } from './Client.ts';
import { ClientCore, coreOf, type MakeAttempt } from './ClientCore.ts';
import type { ClientOptions } from './ClientOptions.ts';
import { createFactory } from './createFactory.ts';
import { explainCalls } from './explainCalls.ts';
import { resolveOptions, type Settings } from './options/resolveOptions.ts';
import type { ClientMember } from '../contract/clientMembers.ts';

/**
 * Creates a client of a service: each operation is a function from a query to an Observable of one page. Options are
 * checked at once. All its requests share one admission: concurrency, rate, pauses, retries and budget.
 */
export function createServiceClient<S extends Service>(service: S, options: ClientOptions = {}): ClientOf<S> {
  const { settings, given } = resolveOptions(service, options);
  const core: ClientCore = new ClientCore(
    settings,
    new Transport(given, settings),
    (owner, request) => new Attempt(core, owner, request),
    batchesOf,
  );
  return clientOf(core) as ClientOf<S>;
}

/** Creates a client that sends nothing itself: other processes make its attempts. Everything else is as in any client. */
export function createRemoteClient(settings: Settings, attempt: MakeAttempt): AnyClient {
  return clientOf(new ClientCore(settings, new Transport({ key: '' }, settings), attempt, batchesOf));
}

function batchesOf(core: ClientCore): Batches {
  return new Batches(core);
}

function clientOf(core: ClientCore): AnyClient {
  const { settings } = core;
  const { operations } = settings.service;
  const factories = Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, createFactory(core, operation)]));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= core.close());
  const about = { origin: settings.address.origin, prefix: settings.address.prefix, concurrency: settings.concurrency };
  const members = {
    events$: core.events.stream,
    health$: core.health.stream,
    stats: () => core.stats(),
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
