import { Transport } from './attempt/Transport.ts';
import { Batches } from './batch/Batches.ts';
import type { AnyClient, ClientOf, Page } from './Client.ts';
import { ClientCore, type MakeAttempt } from './ClientCore.ts';
import { coreOf, rightOptions } from './coreOf.ts';
import type { ClientOptions } from './ClientOptions.ts';
import { healthOf } from './events/healthOf.ts';
import { resolveOptions, type Settings } from './options/resolveOptions.ts';
import type { ClientMember } from '../contract/describeOperation.ts';
import { Observable } from 'rxjs';
import type { PageRequest, WalkEvent } from '../../operators/PageLike.ts';
import { takesLazy } from '../../operators/kit/Listener.ts';
import { onAbort } from '../../operators/kit/onAbort.ts';
import { currentDemand } from '../../operators/demand/demandScope.ts';
import { InvalidQueryError, PaginationError } from '../errors/index.ts';
import { checkQuery, type Operation, pagingKindOf, sandboxKey, type Service } from '../contract/index.ts';
import { Call } from './attempt/Call.ts';
import { loadXml } from './response/formats/readerFor.ts';
import { CallStore } from './store/CallStore.ts';
import type { LimitGroup } from './admission/LimitGroups.ts';
import { FixedPace } from './rate/Pace.ts';
import type { Explanation } from './admission/Task.ts';
import { anything, oneOf, signal, text, declareOptions } from '../../operators/options/index.ts';
import { balanceOf, newWriter, ownName } from '../ledger/ledgerNames.ts';
import { LedgerClient } from '../ledger/LedgerClient.ts';
import type { Given } from './options/resolveKey.ts';

const { inspect } = process.getBuiltinModule('node:util');

/**
 * Creates a client of a service: each operation is a function from a query to an Observable of one page. Options are
 * checked at once. All its requests share one admission: concurrency, rate, pauses, retries and budget.
 */
export function createServiceClient<S extends Service>(service: S, options: ClientOptions = {}): ClientOf<S> {
  return clientOf(createCore(service, options)) as ClientOf<S>;
}

type AttemptMaker = (core: ClientCore, ...of: Parameters<MakeAttempt>) => ReturnType<MakeAttempt>;

/** The core of a client. `attempt` sends one request in another way, with the core's transport. */
export function createCore(service: Service, options: ClientOptions, attempt?: AttemptMaker): ClientCore {
  const { settings, given } = resolveOptions(service, options);
  const make: MakeAttempt | undefined = attempt && ((owner, request) => attempt(core, owner, request));
  const core: ClientCore = new ClientCore(settings, new Transport(given, settings), make, batchesOf);
  core.ledger = ledgerClientOf(settings, given);
  return core;
}

/** Creates a client that sends nothing itself: other processes make its attempts. Everything else is as in any client. */
export function createRemoteClient(settings: Settings, attempt: MakeAttempt): AnyClient {
  return clientOf(new ClientCore(settings, new Transport({ key: '', values: {} }, settings), attempt, batchesOf));
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
    health$: healthOf(Object.keys(operations), core.events.stream, settings.clock),
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

const requestOptions = declareOptions<PageRequest>()({
  rows: text('a dotted path in the response'),
  missing: oneOf('empty'),
  signal: signal(),
  label: anything(),
  walk: anything(),
  batch: anything(),
  job: text(),
  store: oneOf('use', 'renew', 'skip').or('use'),
});
const noOptions: PageRequest = {};

/**
 * Creates a function from a query to an Observable of one page. It is cold: each subscription checks the query and
 * makes one request. Unsubscribing, or the signal, cancels the request.
 */
function createFactory(core: ClientCore, operation: Operation): (query: object, request?: PageRequest) => Observable<Page> {
  if (operation.spec.format === 'xml') loadXml();
  const { tokenRepeats } = pagingKindOf(operation.spec.paging);
  const plan = core.planOf(operation);
  const factory = (query: object, request: PageRequest = noOptions): Observable<Page> => {
    // A plain `mergeMap(client.search)` passes an index here.
    if (request !== noOptions && typeof request === 'object' && !(rightOptions in request)) requestOptions.check(operation.name, request);
    return new Observable((subscriber) => {
      const { rows, missing, signal, label, walk, batch, job, store = 'use' } = request;
      if (signal?.aborted === true) return subscriber.error(signal.reason);
      const issues = checkQuery(operation, query);
      if (issues.length > 0) {
        const what = issues.map((issue) => issue.message).join('; ');
        return subscriber.error(new InvalidQueryError(`${operation.name}: ${what}`, { operation: operation.name, query }));
      }
      const stored = store === 'skip' ? undefined : core.stored;
      // If the service counts the pages of a token, only requests lead to the next page, so stored ones don't help.
      // A replay has only those.
      const renews = (store === 'renew' || tokenRepeats) && stored?.store.mode !== 'replay';
      const [lazy, node] = [takesLazy(subscriber), currentDemand()];
      const purpose = { operation, plan, query, rows, missing, lazy, label, walk, batch, job, renews, node, subscriber };
      const call = new Call(core, purpose, stored?.open === true ? new CallStore(core, stored, purpose) : undefined);
      if (signal !== undefined) subscriber.add(onAbort(signal, () => subscriber.error(signal.reason)));
      call.start();
      subscriber.add(call); // which may be closed already
    });
  };
  return Object.defineProperties(factory, {
    name: { value: operation.name },
    list: { value: operation.spec.rows, enumerable: true },
    paging: { value: operation.spec.paging, enumerable: true },
    operation: { value: operation, enumerable: true },
    spec: { value: operation.spec },
    heedsDemand: { value: true },
    notify: { value: (event: WalkEvent) => notify(core, event) },
    paginationError: {
      value: (message: string, details: { readonly query: object; readonly lastCursor?: string | number | object | undefined }) =>
        new PaginationError(message, { operation: operation.name, ...details }),
    },
  });
}

/** Emits a walk's notice as an event of the client. */
function notify(core: ClientCore, event: WalkEvent): void {
  if (!core.events.on) return;
  const at = core.settings.clock.wall();
  core.events.emit({ ...event, at });
}

/** What a client does and waits for now, the longest wait first. */
function explainCalls({ calls, settings, admission, limitGroups }: ClientCore): Explanation[] {
  const now = settings.clock.now();
  const set = limitGroups.main.pace instanceof FixedPace ? limitGroups.main.pace.rate : undefined;
  const queuedIn = ({ pause, pace, inFlight }: LimitGroup): string => {
    if (pause.ms > 0) return 'a pause that the service asked for';
    if (admission.isFull) return 'a slot';
    if (pace.atOnce !== undefined && inFlight >= pace.atOnce) return 'an earlier response';
    return pace.rate === set && set !== undefined ? 'the rate that was set' : 'the rate';
  };
  const groups = new Map<string, { -readonly [K in keyof Explanation]: Explanation[K] }>();
  for (const call of calls) {
    const state = call.explain?.(now, queuedIn(call.limitGroup));
    if (state === undefined) continue;
    const key = [state.operation, state.state, state.for, ...state.path].join('\n');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ...state, count: 1 });
    else {
      group.count += 1;
      group.ms = Math.max(group.ms, state.ms);
    }
  }
  return [...groups.values()].map((group) => ({ ...group, ms: Math.round(group.ms) })).sort((a, b) => b.ms - a.ms);
}

/** What a client may spend, if there is a ledger. The sandbox and replays cost nothing. */
function ledgerClientOf({ ledger, service, store, clock, fileSystem }: Settings, given: Given): LedgerClient | undefined {
  const at = ledger ?? process.env['TRAWLER_LEDGER'];
  if (!at || store?.mode === 'replay' || given.key.split(':')[0] === sandboxKey) return undefined;
  return new LedgerClient({
    open: async () => (await import('../ledger/openLedger.ts')).openLedger(at, fileSystem),
    writer: newWriter(fileSystem.process),
    balance: balanceOf(service, { key: given.key, user: given.values['secret.user'] }),
    who: ownName(),
    price: service.price,
    clock,
  });
}
