import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { longWaitMs } from '../../client/attachStore.ts';
import { AuthError, BudgetError, TrawlerError } from '../../errors/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { BegunQuery, OpenQuery } from '../core/Query.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { failureOf, passes, wasSent } from '../state/failureOf.ts';
import { decideFailure, decidePostponed } from '../core/decide.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress } from './FlowProgress.ts';
import { PostponedQueries } from './PostponedQueries.ts';
import { failureEvent } from './pageEvents.ts';
import type { RunControl } from './RunControl.ts';
import { ServiceWatch } from './ServiceWatch.ts';

interface FailureOptions {
  readonly client: FlowClient;
  /** The nodes of the stages on the way to the files. */
  readonly nodes: ReadonlyMap<string, DemandNode>;
  readonly tell: (event: FlowProgress) => void;
}

/**
 * What follows when a query fails: it is tried again later, it is a failure on record, or the run stops. An outage is when
 * nobody gets through. A query that fails while others succeed is a failure.
 */
export class FailureHandling {
  /** The client's budget is used up, or a limit of the ledger is reached. Requests in flight may still finish. */
  overBudget: BudgetError | undefined;
  /** Enough have failed that no request is sent before it is known whether there is an outage. */
  inDoubt = false;
  /** How often the service is being asked whether it responds to anybody. */
  probing = 0;
  readonly share: FailureShare;
  readonly #store: RunStorage;
  readonly #tell: FailureOptions['tell'];
  readonly #run: RunControl;
  readonly #postponed: PostponedQueries;
  readonly #service: ServiceWatch;
  #saidPostponed = false;

  constructor(flow: Flow, store: RunStorage, options: FailureOptions, run: RunControl) {
    const { queries, served } = store.state;
    const earlier = Array.from(queries.counts.values()).reduce((sum, { done, failed }) => sum + done + failed, 0);
    this.#store = store;
    this.#tell = options.tell;
    this.#run = run;
    this.share = new FailureShare({ limit: flow.failAbove, earlier, cameEarlier: served.size > 0 });
    this.#postponed = new PostponedQueries(longWaitMs(options.client));
    this.#service = new ServiceWatch(flow, store.state, options);
    for (const query of queries.open.values()) if (query.is === 'postponed') this.#postponed.bring(query);
  }

  /** Some queries wait until all others are done. */
  get hasPostponed(): boolean {
    return this.#postponed.size > 0;
  }

  /** A request failed that was sent at the moment `since`. */
  fault(stage: FlowStage, query: BegunQuery, error: unknown, since: number): void {
    if (wasSent(error) && pauseOf(error) !== undefined && this.#takePause(stage, query, error)) return;
    if (this.isPause(error)) return;
    if (error instanceof AuthError || this.#isWrongAddress(error) || stage.onError === 'fail') return this.#run.fail(error);
    if (!passes(error)) return this.#fail(stage, query, error);
    this.share.postponed(error);
    if (this.#postponed.keep(query, error)) this.#keep(stage, query, error);
    else if (this.#service.hasServed(stage, since)) this.#fail(stage, query, error);
    else this.#probe(stage, error, (isUp) => (isUp ? this.#fail(stage, query, error) : this.#stayOpen()));
    this.#doubt(stage, error);
  }

  /** A query has failed for good, and that is in the store. */
  failed(stage: FlowStage, query: BegunQuery, error: unknown): void {
    this.share.failed(error);
    this.#tell(failureEvent(stage, query, error));
    if (stage.onError === 'fail') this.#run.fail(error);
    else if (this.#tooMany !== undefined) this.#run.stop(this.#tooMany);
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

  /** A page has come, in this run or one that it resumes. */
  get #hasCome(): boolean {
    return this.#store.state.served.size > 0;
  }

  #isWrongAddress(error: unknown): boolean {
    return error instanceof TrawlerError && error.kind === 'website' && !this.#hasCome;
  }

  /** Only postponed queries are left. */
  tryPostponed(): void {
    if (this.#store.state.served.size === 0 && !this.#postponed.untried) return this.#stayOpen(); // nobody ever got through
    this.#postponed.release((queries) => this.#run.again(queries));
  }

  close(): void {
    this.#service.close();
    this.#postponed.close();
  }

  /**
   * The service asks for a long pause in response to a query, which comes last from now on. If it did so as one of the last
   * already, and others got through, the query is a failure on record. Returns whether it is.
   */
  #takePause(stage: FlowStage, query: BegunQuery, error: unknown): boolean {
    const { state } = this.#store;
    const isFailure = this.#postponed.knows(query) && state.served.size > 0;
    if (isFailure) this.#fail(stage, query, error);
    else if (state.queries.open.get(query.number)?.is !== 'postponed') this.#postpone(query);
    return isFailure;
  }

  #keep(stage: FlowStage, query: BegunQuery, error: unknown): void {
    this.#sayPostponed(stage, error);
    if (this.#store.state.covers.learnsFrom(stage, query)) this.#run.again(this.#postpone(query));
  }

  #postpone(query: BegunQuery): readonly OpenQuery[] {
    return this.#store.take(decidePostponed(this.#store, query)).ready;
  }

  #fail(stage: FlowStage, query: BegunQuery, error: unknown): void {
    const { ready } = this.#store.take(decideFailure(this.#store, query, error));
    this.failed(stage, query, error); // first, because it may stop the run
    this.#run.again(ready);
  }

  /** Enough have failed that the run must stop. After the last query there is nothing to stop, so the files are finished. */
  get #tooMany(): string | undefined {
    return this.#run.hasMore ? this.share.tooMany : undefined;
  }

  /** If enough have failed that there may be an outage, sends a request to find out. In an outage the run stays open. */
  #doubt(stage: FlowStage, error: unknown): void {
    const { outage } = this.share;
    if (this.#tooMany !== undefined) return this.#run.stop(this.#tooMany);
    if (outage === undefined || this.inDoubt) return;
    this.inDoubt = true;
    this.#probe(stage, error, (isUp) => {
      this.inDoubt = false;
      if (!isUp) this.#run.stop(outage);
    });
  }

  /** Asks whether the service responds to anybody. */
  #probe(stage: FlowStage, error: unknown, then: (isUp: boolean) => void): void {
    this.probing += 1;
    void this.#service.probe(stage, error).then((said) =>
      this.#run.take(() => {
        this.probing -= 1;
        if (this.isPause(said)) return;
        if (said instanceof AuthError) return this.#run.fail(said);
        const isUp = !passes(said);
        if (isUp) this.share.served();
        then(isUp);
      }),
    );
  }

  #sayPostponed({ name }: FlowStage, error: unknown): void {
    if (this.#saidPostponed) return;
    this.#saidPostponed = true;
    const message = `${name}: a query failed for a reason that may pass, and is tried again after all others: ${failureOf(error).message}`;
    this.#tell({ type: 'notice', at: Date.now(), stage: name, message });
  }

  #stayOpen(): void {
    const size = this.#store.state.queries.left;
    const [queries, them] = size === 1 ? ['1 query', 'it'] : [`${size} queries`, 'them'];
    const { message } = failureOf(this.#postponed.error);
    this.#run.stop(
      `${queries} failed for a reason that may pass, so the run stays open. Running it again retries ${them}. The last error: ${message}`,
    );
  }
}

/** Until when the service wants no request, in milliseconds since 1970, if that is longer than a request waits. */
function pauseOf(error: unknown): number | undefined {
  return error instanceof TrawlerError ? error.pausedUntil : undefined;
}

/** A share of fewer queries means nothing. */
const enoughQueries = 20;
/** The failures in a row, for reasons that may pass, after which perhaps nobody gets through. */
const outageRow = 20;
/** The same while nothing has come yet in this run. */
const firstRow = 5;

interface FailureShareOptions {
  /** The share that may fail. */
  readonly limit: number;
  /** Queries that ended in earlier runs. */
  readonly earlier: number;
  /** Pages came in earlier runs. */
  readonly cameEarlier: boolean;
}

/** Counts the queries that end in this run, and detects when their failures point to a larger problem. */
export class FailureShare {
  readonly #options: FailureShareOptions;
  #ended = 0;
  #failed = 0;
  /** Failures in a row for a reason that may pass. */
  #row = 0;
  /** The service has responded to somebody in this run. */
  #served = false;
  /** Failures before that, of any reason. */
  #first = 0;
  readonly #kinds = new Set<string>();
  #latest = '';

  constructor(options: FailureShareOptions) {
    this.#options = options;
  }

  /** The service responds. `ended`: with the last page of a query. */
  served(ended: boolean = false): void {
    this.#served = true;
    this.#row = 0;
    if (ended) this.#ended += 1;
  }

  /** A query failed for good. */
  failed(error: unknown): void {
    this.#ended += 1;
    this.#failed += 1;
    this.#row = 0;
    this.#note(error);
  }

  /** A query failed for a reason that may pass. */
  postponed(error: unknown): void {
    this.#row += 1;
    this.#note(error);
  }

  /** Why the run must stop, in words. undefined while it needn't. */
  get tooMany(): string | undefined {
    const { limit, earlier, cameEarlier } = this.#options;
    if (!this.#served && !cameEarlier && this.#first >= firstRow && this.#kinds.size === 1)
      return `nothing has come, and the first ${this.#first} queries all failed with ${[...this.#kinds].join()}: ${this.#latest}`;
    const ended = this.#ended + (this.#served ? earlier : 0);
    if (ended < enoughQueries || this.#failed / ended <= limit) return undefined;
    return `${this.#failed} of ${ended} queries have failed, which is more than failAbove (${limit}) allows. What failed for good is in failures.jsonl`;
  }

  /** Why it seems that nobody gets through, in words. undefined while it doesn't. */
  get outage(): string | undefined {
    if (this.#row < (this.#served ? outageRow : firstRow)) return undefined;
    return `the last ${this.#row} queries all failed for a reason that may pass: ${this.#latest}`;
  }

  #note(error: unknown): void {
    const { name, message, status, code } = failureOf(error);
    if (!this.#served) this.#first += 1;
    this.#kinds.add([name, status ?? code].join(' ').trim());
    this.#latest = message;
  }
}
