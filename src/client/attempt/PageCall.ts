import { AsyncResource } from 'node:async_hooks';
import type { Observer } from 'rxjs';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withDemand } from '../../../operators/demand/demandScope.ts';
import type { Lazy } from '../../../operators/LazyRow.ts';
import { partOf } from '../../../operators/named.ts';
import type { Operation } from '../../contract/index.ts';
import type { TrawlerError } from '../../errors/index.ts';
import type { Charge } from '../admission/Lanes.ts';
import type { CallState, Refusal, Task } from '../admission/Task.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { ClientEvent } from '../events/clientEvents.ts';
import type { ResponsePage } from '../response/ResponsePage.ts';
import type { RunningAttempt } from './AttemptFailure.ts';

/** The purpose of a call. */
export interface CallRequest {
  readonly operation: Operation;
  readonly query: object;
  /** Another list of the response as rows. */
  readonly rows: string | undefined;
  /** A list that is missing is an empty one. */
  readonly missing?: 'empty' | undefined;
  /** Rows may stay unparsed. */
  readonly lazy?: Lazy | undefined;
  /** Its label, such as the stage of a flow. */
  readonly label: string | undefined;
  /** The query with that label that it belongs to. */
  readonly walk?: number | undefined;
  /** The node where the call was made. */
  readonly node: DemandNode | undefined;
  /** The path of a job that was started for it. */
  readonly job?: string | undefined;
  /** It takes no response from before: a stored one is replaced. */
  readonly renews?: boolean | undefined;
  /** The ids of the batch that its walk belongs to. */
  readonly batch?: readonly string[] | undefined;
  readonly subscriber: Observer<ResponsePage>;
}

/** The fields that the events of a call have in common. */
type EventBase = Omit<Extract<ClientEvent, { type: 'request' }>, 'type'>;

/**
 * One page for one subscriber: its entry among the calls of the client, its events, and what follows from its end. How it
 * gets the page is up to its subclasses.
 */
export abstract class PageCall implements Task {
  readonly charge: Charge;
  readonly node: DemandNode | undefined;
  readonly depth: number;
  slot = -1;
  taken: number | undefined = undefined;
  order = 0;
  index = -1;
  parked: DemandNode | undefined = undefined;
  letGo: true | undefined = undefined;

  protected readonly core: ClientCore;
  readonly request: CallRequest;
  /** Requests sent. */
  protected sent = 0;
  /** When it was made, was sent, or last failed before a retry. */
  protected since = 0;
  protected over = false;
  readonly #id: number;
  readonly #part: string | undefined;
  /** The async context where the call was made, for `AsyncLocalStorage`: its effects run there. */
  readonly #born = new AsyncResource('trawler call');

  constructor(core: ClientCore, request: CallRequest) {
    this.core = core;
    this.request = request;
    this.#id = ++core.counts.calls;
    this.charge = core.lanes.chargeOf(request.operation);
    this.node = request.node;
    this.depth = request.node?.depth ?? -1;
    this.#part = partOf(request.node);
  }

  abstract readonly inFlight: boolean;
  abstract start(): void;
  abstract admit(): void;
  abstract refuse(refusal: Refusal): void;
  /** Drops its request in flight, or whatever it waits for. */
  protected abstract withdraw(): void;
  /** Lets go of its slot, if it has one, and runs `then`. */
  protected abstract leave(then: () => void): void;

  protected begin(): void {
    this.core.calls.add(this);
    this.since = this.core.settings.clock.now();
    this.node?.addActive(1);
  }

  /** Ends the call silently: there is no subscriber any more. */
  cancel(): void {
    if (this.over) return;
    this.end(undefined);
    this.withdraw();
  }

  explain(now: number, queued: string): CallState | undefined {
    const state = this.inFlight ? 'in flight' : 'waits';
    const waitsFor = this.parked === undefined ? this.waitsFor(queued) : (this.parked.name ?? 'a node without a name');
    const { name } = this.request.operation;
    return { operation: name, path: this.node?.path ?? [], state, for: this.inFlight ? undefined : waitsFor, ms: now - this.since };
  }

  stalled(holder: DemandNode): void {
    const { events, settings } = this.core;
    if (!events.on) return;
    const { operation, query } = this.request;
    const path = this.node?.path ?? [];
    const name = holder.name ?? 'a node without a name';
    events.emit({ type: 'stalled', operation: operation.name, query, at: settings.clock.wall(), path, holder: name });
  }

  protected waitsFor(queued: string): string {
    return this.index === -1 ? 'its next attempt' : queued;
  }

  protected succeed(page: ResponsePage): void {
    const { subscriber } = this.request;
    this.leave(() => {
      subscriber.next(page);
      subscriber.complete();
    });
  }

  protected fail(error: TrawlerError, good: boolean | undefined): void {
    const { events, counts } = this.core;
    counts.failures++;
    this.end(good);
    if (events.on) events.emit({ ...this.base('failure'), error });
    this.leave(() => this.request.subscriber.error(error));
  }

  /** `good` is passed to `HealthBoard.ended`. */
  protected end(good: boolean | undefined): void {
    this.over = true;
    this.core.calls.delete(this);
    if (this.core.calls.size === 0) this.core.outage.forget();
    this.node?.addActive(-1);
    if (this.sent > 0) this.core.health.ended(this.request.operation.name, good);
  }

  /** Runs `work` where the call was made: requests that it starts belong to that node. */
  protected where(work: () => void): void {
    this.#born.runInAsyncScope(withDemand, undefined, this.node, work, true);
  }

  /** Sends a request in the async context of the call, whoever made room for it, so that a trace gives its span the right parent. */
  protected send(attempt: RunningAttempt): void {
    this.#born.runInAsyncScope(() => attempt.send());
  }

  /**
   * What all events of a call have. There are two for every page, so `Object.assign` adds the rest: V8 takes a microsecond for
   * each new field of a spread copy.
   */
  protected base<Type extends ClientEvent['type']>(type: Type): EventBase & { readonly type: Type } {
    const { query, label, walk } = this.request;
    const operation = this.request.operation.name;
    const at = this.core.settings.clock.wall();
    const [id, attempt, part] = [this.#id, this.sent, this.#part];
    if (label !== undefined) return { type, operation, query, at, id, attempt, part, label, walk };
    if (part !== undefined) return { type, operation, query, at, id, attempt, part };
    return { type, operation, query, at, id, attempt };
  }
}
