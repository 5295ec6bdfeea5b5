import { longWaitMs } from '../../client/flowAccess.ts';
import { AuthError, BudgetError, TrawlerError } from '../../errors/index.ts';
import { isNotThere, type Service } from '../../contract/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { BegunQuery, OpenQuery } from '../core/Query.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { failureOf, passes, wasSent } from '../state/failureOf.ts';
import { decideFailure, decideHanded, decidePostponed } from '../core/decide.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress } from './FlowProgress.ts';
import { failureEvent } from './pageEvents.ts';
import type { RunControl } from './RunControl.ts';

interface FailureOptions {
  readonly client: FlowClient;
  readonly tell: (event: FlowProgress) => void;
}

/**
 * What follows when a query fails. If the reason may pass, the query is postponed: it is retried once after all others, in this run or the
 * next one. If it fails again, or the reason doesn't pass, it counts as failed. Too many failures stop the run.
 */
export class FailureHandling {
  /** The client's budget is used up, or a limit of the ledger is reached. Requests in flight may still finish. */
  overBudget: BudgetError | undefined;
  readonly counts: EndedQueries;
  readonly #flow: Flow;
  readonly #store: RunStorage;
  readonly #tell: FailureOptions['tell'];
  readonly #run: RunControl;
  readonly #waitMs: number;
  /** The queries to retry once. */
  readonly #postponed: OpenQuery[];
  #readyAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #saidPostponed = false;
  /** Queries that failed before any page came, perhaps because the address is wrong. They stay open until a page comes. */
  #notFound: { readonly stage: FlowStage; readonly query: BegunQuery; readonly error: unknown }[] = [];
  /** The services that are out: nothing more is sent to them. Whether the reason may pass. */
  readonly #out = new Map<Service, boolean>();

  constructor(flow: Flow, store: RunStorage, { client, tell }: FailureOptions, run: RunControl) {
    const { queries, served } = store.state;
    const earlier = Array.from(queries.counts.values()).reduce((sum, { done, failed }) => sum + done + failed, 0);
    this.#flow = flow;
    this.#store = store;
    this.#tell = tell;
    this.#run = run;
    this.#waitMs = longWaitMs(client);
    this.#postponed = Array.from(queries.open.values()).filter(({ is }) => is === 'postponed');
    this.counts = new EndedQueries({ limit: flow.failAbove, earlier, cameEarlier: served.size > 0 });
  }

  /** Whether queries wait until all others are done. */
  get hasPostponed(): boolean {
    return this.#postponed.length + this.#notFound.length > 0;
  }

  /** A page has come. `ended`: the last one of its query. */
  served(ended: boolean): void {
    this.counts.served(ended);
    for (const { stage, query, error } of this.#notFound.splice(0)) this.#fail(stage, query, error);
  }

  /**
   * Hands a query to another service of its stage, if its own is out: because of this error, or as earlier ones say. Never in the middle
   * of a walk. Returns whether it did.
   */
  handOver(stage: FlowStage, query: BegunQuery, error?: unknown): boolean {
    const own = this.#flow.byName.get(query.stage)!;
    if (own.others.length === 0) return false;
    const all = servicesAt(own);
    const { walk, rewalk, skip } = query;
    if (error !== undefined) {
      if (!isOut(error)) return false;
      if (!this.#out.has(stage.service)) this.#sayOut(stage, error);
      this.#out.set(stage.service, isOutage(error));
    } else if (!this.#out.has(stage.service)) return false;
    if (walk.pages > 0 || rewalk || skip > 0) return this.#waitForService(query, error) || this.#giveUp(stage, query, error);
    const to = all.findIndex((service) => !this.#out.has(service));
    // no other service is left, but one of them may be back later
    const mayReturn = [...this.#out.values()].includes(true);
    if (to < 0) return this.#out.get(stage.service) === false && mayReturn && this.#waitForService(query, error);
    this.#run.requestNow(this.#store.apply(decideHanded(query.number, to)));
    return true;
  }

  /** Postpones a query that can only be continued by its own service, which is out. Returns false if it was postponed before. */
  #waitForService(query: BegunQuery, error: unknown): boolean {
    if (error === undefined || query.is === 'postponed') return false;
    this.#retryLater(query);
    this.#recordPostponed(query);
    return true;
  }

  /** The service of a query is out for this run, and the run goes on with others. The query fails, and a run with `failures` retries it. */
  #giveUp(stage: FlowStage, query: BegunQuery, error: unknown): boolean {
    if (error === undefined || this.#out.get(stage.service) !== false) return false;
    this.#fail(stage, query, error);
    return true;
  }

  #sayOut({ name, service }: FlowStage, error: unknown): void {
    const message = `${service.name} is out, so its queries go to another service: ${failureOf(error).message}`;
    this.#tell({ type: 'notice', at: Date.now(), stage: name, message });
  }

  /** A request failed. */
  fault(stage: FlowStage, query: BegunQuery, error: unknown): void {
    if (wasSent(error) && pauseOf(error) !== undefined && this.#onLongPause(stage, query, error)) return;
    if (this.isPause(error)) return;
    if (error instanceof AuthError || this.#isWebsite(error) || stage.onError === 'fail') return this.#run.fail(error);
    if (this.#mayBeWrongAddress(error)) {
      this.#notFound.push({ stage, query, error });
      return this.#notFound.length < mostAtFirst ? undefined : this.#run.fail(error);
    }
    if (!passes(error)) return this.#fail(stage, query, error);
    // the client didn't send the request, so the query hasn't been tried
    if (!wasSent(error)) return this.#retryLater(query);
    if (query.is === 'postponed' && this.#hasCome) return this.#fail(stage, query, error);
    this.counts.postponed(error);
    this.#sayPostponed(stage, error);
    if (query.is === 'postponed') return this.#run.stop(this.counts.nothingCame);
    this.#retryLater(query);
    this.#recordPostponed(query);
    this.#stopIfTooMany();
  }

  /** A query has failed for good, and the storage knows it. */
  failed(stage: FlowStage, query: BegunQuery, error: unknown): void {
    this.counts.failed(error);
    this.#tell(failureEvent(stage, query, error));
    if (stage.onError === 'fail') this.#run.fail(error);
    else this.#stopIfTooMany();
  }

  /** Whether an error only means that no more requests can be sent in this run. */
  isPause(error: unknown): boolean {
    if (error instanceof BudgetError) this.overBudget ??= error;
    else if (pauseOf(error) !== undefined) this.#run.stop(`the service asks for a pause until ${new Date(pauseOf(error)!).toISOString()}`);
    else if (error instanceof TrawlerError && error.kind === 'quota')
      this.#run.stop("the service's quota is used up, and it does not say until when");
    else if (error instanceof TrawlerError && error.kind === 'closed') this.#run.stop('its client was closed');
    else if (error instanceof AuthError && this.#hasCome) this.#run.stop(error.message);
    else return false;
    return true;
  }

  /** Only postponed queries are left. They are retried when they have waited long enough. If only 404s have come, the address is wrong. */
  tryPostponed(): void {
    if (this.#postponed.length === 0 && this.#notFound.length > 0) return this.#run.fail(this.#notFound[0]!.error);
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        for (const [service, isPassing] of this.#out) if (isPassing) this.#out.delete(service);
        this.#run.requestNow(this.#postponed.splice(0));
      },
      Math.max(0, this.#readyAt - performance.now()),
    );
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** A page has come, in this run or one that it resumes. */
  get #hasCome(): boolean {
    return this.#store.state.served.size > 0;
  }

  #isWebsite(error: unknown): boolean {
    return error instanceof TrawlerError && error.kind === 'website' && !this.#hasCome;
  }

  /** Other areas don't wait for one whose search is held. */
  #mayBeWrongAddress(error: unknown): boolean {
    return error instanceof TrawlerError && isNotThere(error) && !this.#hasCome && !this.#store.state.covers.waits;
  }

  /**
   * The service asks for a long pause in response to a query. The query is postponed. If it was postponed already, and other queries got
   * through, it fails. Returns whether it fails.
   */
  #onLongPause(stage: FlowStage, query: BegunQuery, error: unknown): boolean {
    const isFailure = query.is === 'postponed' && this.#hasCome;
    if (isFailure) this.#fail(stage, query, error);
    else if (query.is !== 'postponed') this.#recordPostponed(query);
    return isFailure;
  }

  /** Retries a query once all others are done. */
  #retryLater({ number }: BegunQuery): void {
    this.#postponed.push(this.#store.state.queries.at(number));
    this.#readyAt = performance.now() + this.#waitMs;
  }

  #recordPostponed(query: BegunQuery): void {
    this.#run.requestNow(this.#store.apply(decidePostponed(query.number)));
  }

  #fail(stage: FlowStage, query: BegunQuery, error: unknown): void {
    const ready = this.#store.apply(decideFailure(this.#store, query, failureOf(error)));
    this.failed(stage, query, error); // first, because it may stop the run
    this.#run.requestNow(ready);
  }

  /** After the last query there is nothing to stop, so the files are finished. */
  #stopIfTooMany(): void {
    const { tooMany } = this.counts;
    if (tooMany !== undefined && this.#run.hasMore) this.#run.stop(tooMany);
  }

  #sayPostponed({ name }: FlowStage, error: unknown): void {
    if (this.#saidPostponed) return;
    this.#saidPostponed = true;
    const message = `${name}: a query failed for a reason that may pass, and is tried again after all others: ${failureOf(error).message}`;
    this.#tell({ type: 'notice', at: Date.now(), stage: name, message });
  }
}

/** The services that the queries of a stage may go to, in its order. */
function servicesAt(stage: FlowStage): readonly Service[] {
  return [stage, ...stage.others].map(({ service }) => service);
}

/** Whether an error says that a service is out, but may be back in this run. */
function isOutage(error: unknown): boolean {
  return passes(error) && pauseOf(error) === undefined && (error as TrawlerError).kind !== 'quota';
}

/** Whether an error says that a service is out. If the query is wrong instead, no other service could answer it either. */
function isOut(error: unknown): boolean {
  if (!(error instanceof TrawlerError) || error instanceof BudgetError || error.kind === 'closed') return false;
  return error instanceof AuthError || ['quota', 'website'].includes(error.kind ?? '') || pauseOf(error) !== undefined || passes(error);
}

/** Until when the service wants no request, in milliseconds since 1970, if that is longer than a request waits. */
function pauseOf(error: unknown): number | undefined {
  return error instanceof TrawlerError ? error.pausedUntil : undefined;
}

/** With fewer queries, the share that failed is not judged. */
const enoughQueries = 20;
/** This many failures in a row, for reasons that may pass, stop the run. */
const mostInRow = 20;
/** The same, before the first page of this run. */
const mostAtFirst = 5;

interface EndedQueriesOptions {
  /** The share that may fail. */
  readonly limit: number;
  /** Queries that ended in earlier runs. */
  readonly earlier: number;
  /** Pages came in earlier runs. */
  readonly cameEarlier: boolean;
}

/** Counts the queries that end in this run, and says when their failures must stop it. */
export class EndedQueries {
  readonly #options: EndedQueriesOptions;
  #ended = 0;
  #failed = 0;
  /** Failures in a row for a reason that may pass. */
  #row = 0;
  /** A page has come in this run. */
  #served = false;
  /** Failures before that, of any reason. */
  #first = 0;
  #latest = '';

  constructor(options: EndedQueriesOptions) {
    this.#options = options;
  }

  /** A page has come. `ended`: the last one of its query. */
  served(ended: boolean): void {
    this.#served = true;
    this.#row = 0;
    if (ended) this.#ended += 1;
  }

  /** A query failed for good. */
  failed(error: unknown): void {
    this.#ended += 1;
    this.#failed += 1;
    this.#note(error);
  }

  /** A query failed for a reason that may pass, and is tried once more. */
  postponed(error: unknown): void {
    this.#note(error);
  }

  get nothingCame(): string {
    return `nothing has come, and queries have failed ${this.#first} times. The last error: ${this.#latest}`;
  }

  /** Why the run must stop, in words. undefined while it needn't. */
  get tooMany(): string | undefined {
    const { limit, earlier, cameEarlier } = this.#options;
    if (!this.#served && !cameEarlier && this.#first >= mostAtFirst) return this.nothingCame;
    if (this.#row >= (this.#served ? mostInRow : mostAtFirst))
      return `the last ${this.#row} queries all failed for a reason that may pass: ${this.#latest}`;
    const ended = this.#ended + (this.#served ? earlier : 0);
    if (ended < enoughQueries || this.#failed / ended <= limit) return undefined;
    return (
      `${this.#failed} of ${ended} queries have failed, which is more than failAbove (${limit}) allows. What failed for good is in ` +
      `failures.jsonl`
    );
  }

  #note(error: unknown): void {
    this.#row = passes(error) ? this.#row + 1 : 0;
    if (!this.#served) this.#first += 1;
    this.#latest = failureOf(error).message;
  }
}
