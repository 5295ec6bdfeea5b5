import { countOf } from '../../operators/kit/countOf.ts';
import type { Operation, ResponseStore } from '../contract/index.ts';
import { Admission, budgetRefusal, closedRefusal } from './admission/Admission.ts';
import { LimitGroups } from './admission/LimitGroups.ts';
import type { Refusal, Task } from './admission/Task.ts';
import { FailureCounts } from '../errors/FailedAttempts.ts';
import { Trouble } from './attempt/Trouble.ts';
import type { AttemptOwner, AttemptRequest, RunningAttempt } from './attempt/AttemptFailure.ts';
import type { Transport } from './attempt/Transport.ts';
import type { QueryBatches } from './batch/SharedRequest.ts';
import type { ClientStats } from './Client.ts';
import { EventHub } from './events/clientEvents.ts';
import type { LedgerClient } from '../ledger/LedgerClient.ts';
import type { Settings } from './options/resolveOptions.ts';
import { ResponseReader } from './response/ResponseReader.ts';
import { SpanReader } from './spans/SpanReader.ts';
import { StoredResponses } from './store/StoredResponses.ts';
import { planOperations, type OperationPlan } from './OperationPlan.ts';

export type MakeAttempt = (owner: AttemptOwner, request: AttemptRequest) => RunningAttempt;

/** What all calls of one client share. */
export class ClientCore {
  readonly settings: Settings;
  readonly transport: Transport;
  /** Makes attempts in another way: through another process that has the key, or for the proxy. undefined: this client sends them. */
  readonly remote: MakeAttempt | undefined;
  /** Where calls look before they queue for a request; undefined without a store. */
  stored: StoredResponses | undefined = undefined;
  /** What may be spent. undefined without a ledger. */
  ledger: LedgerClient | undefined = undefined;
  readonly events = new EventHub();
  /** Calls that aren't over. */
  readonly calls = new OpenCalls();
  /** Headers about limits that made no sense, each reported once. */
  readonly oddHeaders = new Set<string>();
  readonly counts = { calls: 0, hits: 0, responses: 0, retries: 0, polls: 0, throttled: 0, failures: 0, failedAttempts: 0 };
  readonly failed = new FailureCounts();
  readonly trouble: Trouble;
  readonly limitGroups: LimitGroups;
  readonly admission: Admission;
  readonly reader: ResponseReader;
  readonly spans: SpanReader;
  readonly batches: QueryBatches;
  readonly planOf: (operation: Operation) => OperationPlan;

  constructor(settings: Settings, transport: Transport, remote: MakeAttempt | undefined, makeBatches: (core: ClientCore) => QueryBatches) {
    const { clock, concurrency, maxRequests, service, store } = settings;
    this.settings = settings;
    this.transport = transport;
    this.remote = remote;
    this.trouble = new Trouble(settings, this.events);
    this.limitGroups = new LimitGroups(settings);
    this.planOf = planOperations(settings, this.limitGroups);
    const overBudget = budgetRefusal(settings, this.events);
    this.admission = new Admission({ clock, limitGroups: this.limitGroups.all, concurrency, maxRequests, overBudget });
    this.reader = new ResponseReader(settings, this.events);
    this.spans = new SpanReader(service);
    if (store !== undefined) this.useStore(store);
    this.batches = makeBatches(this);
  }

  /** From now on, calls look into a store first. */
  useStore(store: ResponseStore): void {
    this.stored = new StoredResponses(store, this.settings, this.spans);
  }

  /** Refuses all calls that wait to send a request. */
  refuseWaiting(refusal: Refusal): void {
    for (const call of Array.from(this.calls)) if (!call.inFlight && !call.inStore) call.refuse(refusal);
  }

  /** Stops sending. Waiting requests are refused. Requests in flight may still complete. */
  stop(refusal: Refusal): void {
    this.admission.stop(refusal);
    this.refuseWaiting(refusal);
  }

  /** Ends all calls with an error. Everything stored so far is safe afterwards. */
  async close(): Promise<void> {
    if (this.stored !== undefined) this.stored.open = false;
    this.admission.beforeNext(() => {
      this.admission.stop(closedRefusal);
      for (const call of Array.from(this.calls)) call.refuse(closedRefusal);
    });
    this.events.complete();
    await this.transport.close();
    await this.ledger?.close();
    await this.stored?.store.sync();
  }

  stats(): ClientStats {
    const { admission, limitGroups } = this;
    const { pace, pause } = limitGroups.main;
    const { hits, responses, retries, polls, throttled, failures } = this.counts;
    return {
      hits,
      responses,
      retries,
      polls,
      throttled,
      failures,
      failedAttempts: this.failed.list,
      inFlight: admission.inFlight,
      waiting: admission.waiting + this.batches.waiting,
      requests: admission.sent,
      rate: pace.rate,
      pausedMs: pause.ms,
      pausedUntil: pause.until,
      budgetLeft: admission.budgetLeft,
    };
  }
}

/** The calls of one client that aren't over. A process that ends while there are any says so, once. */
export class OpenCalls {
  size = 0;
  /** In no order. No `Set`: if members come and go all the time, V8 makes new tables, and the old ones keep removed members in memory. */
  readonly #calls: Task[] = [];

  constructor() {
    for (const calls of clients) if (calls.deref() === undefined) clients.delete(calls);
    if (!isHeard) process.once('exit', tell);
    isHeard = true;
    clients.add(new WeakRef(this));
  }

  add(call: Task): void {
    call.slot = this.size;
    this.size = this.#calls.push(call);
  }

  delete(call: Task): void {
    const { slot } = call;
    if (slot === -1) return;
    call.slot = -1;
    const last = this.#calls.pop()!;
    this.size -= 1;
    if (slot === this.size) return;
    this.#calls[slot] = last;
    last.slot = slot;
  }

  /** The calls of this moment: they may end meanwhile. */
  [Symbol.iterator](): Iterator<Task> {
    return this.#calls.slice().values();
  }
}

/** The open calls of all clients, for the one listener of the process's end. So a call needn't add and remove a listener. */
const clients = new Set<WeakRef<OpenCalls>>();

let isHeard = false;

function tell(code: number): void {
  if (code > 128) return; // a signal stopped it, which is no mistake
  const open = Array.from(clients).reduce((sum, calls) => sum + (calls.deref()?.size ?? 0), 0);
  if (open === 0) return;
  const { writeSync } = process.getBuiltinModule('node:fs');
  try {
    const streams = countOf(open, 'open stream');
    writeSync(2, `trawler: the process ended with ${streams} of a client that wasn't closed; let them end, or await client.close()\n`);
  } catch {
    // nobody can be told
  }
}
