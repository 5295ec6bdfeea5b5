import { workingKey } from '../../client/flowAccess.ts';
import type { Subscription } from 'rxjs';
import { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { onAbort } from '../../../operators/kit/onAbort.ts';
import type { PageLike } from '../../../operators/PageLike.ts';
import { PaginationError } from '../../errors/index.ts';
import { refusedRecheck, setUnreliable } from '../../../operators/walk/Recheck.ts';
import { type Flow, type FlowStage, stageOf } from '../definition/Flow.ts';
import { decideJob, decideRefused, decideSeeds } from '../core/decide.ts';
import { decidePage } from '../core/decidePage.ts';
import { begun, type BegunQuery, type OpenQuery } from '../core/Query.ts';
import { type SeedBatch, SeedQueue } from '../seeds/SeedQueue.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { Committer, type CommitterOptions } from './Committer.ts';
import { type FlowClients, requestPage } from './FlowClient.ts';
import type { FlowProgress, FlowSummary } from './FlowProgress.ts';
import { progressOf } from './progressOf.ts';
import { pageEvents } from './pageEvents.ts';
import { RequestBudget, type SentCount } from './RequestBudget.ts';
import type { RunControl } from './RunControl.ts';
import { FailureHandling } from './FailureHandling.ts';
import { stageNodes, WaitingQueries } from './WaitingQueries.ts';

interface FlowRunOptions {
  readonly client: FlowClients;
  readonly concurrency: number;
  readonly maxRequests: number;
  /** Whether `maxRequests` is set by the flow, and not by an option of the run. */
  readonly isBudgetOfFlow: boolean;
  /** The quote that sets the budget. */
  readonly quoteId?: string | undefined;
  readonly sent?: SentCount | undefined;
  readonly commitMs: number;
  /** The most queries of each stage that runs over no other. undefined: all. */
  readonly first: number | undefined;
  readonly stdin: NodeJS.ReadableStream | undefined;
  readonly signal: AbortSignal;
  /** The node of the run on the path to a sink. */
  readonly demand: DemandNode | undefined;
  readonly tell: (event: FlowProgress) => void;
}

const progressMs = 100;

/**
 * A running flow. It takes queries from the queue, requests their pages, and hands the results to the store. It ends when
 * nothing is left, or with a reason to stop. Unfinished work waits in the journal.
 */
export class FlowRun implements RunControl {
  readonly #flow: Flow;
  readonly #store: RunStorage;
  readonly #options: FlowRunOptions;
  readonly #queue: WaitingQueries;
  readonly #inFlight = new Map<number, Subscription>();
  readonly #root: DemandNode;
  readonly #nodes: ReadonlyMap<string, DemandNode>;
  readonly #budget: RequestBudget;
  readonly #events: Subscription;
  readonly #committer: Committer;
  readonly #seeds: SeedQueue;
  readonly #failures: FailureHandling;
  #pumping = false;
  /** If set, no more requests are sent. The reason is in words, or an error. */
  #stop: { readonly because: string | undefined; readonly failure: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(flow: Flow, store: RunStorage, options: FlowRunOptions) {
    const { client, tell } = options;
    this.#flow = flow;
    this.#store = store;
    this.#options = options;
    this.#root = new DemandNode(options.demand, undefined, 'files');
    this.#root.countSharing(() => this.#pump());
    this.#queue = new WaitingQueries(flow, options.concurrency - 1);
    this.#nodes = stageNodes(flow, this.#root, this.#queue);
    this.#budget = new RequestBudget(
      client,
      { limit: options.maxRequests, isOfFlow: options.isBudgetOfFlow, quoteId: options.quoteId, sent: options.sent },
      this,
    );
    const spent: CommitterOptions['spent'] = () => ({ requests: this.#budget.takeSpent(), key: this.#newKey() });
    const committed: CommitterOptions['committed'] = (commit) => tell({ type: 'commit', at: Date.now(), ...commit });
    this.#committer = new Committer(store, { everyMs: options.commitMs, spent, committed }, this);
    this.#failures = new FailureHandling(flow, store, { client: client.all[0]!, tell }, this);
    this.#events = client.events$.subscribe((event) => {
      if (event.type === 'pending' && event.walk !== undefined) this.#jobStarted(event.walk, event.query, event.address);
      this.#budget.event(event);
    });
    this.#seeds = new SeedQueue(flow, store.state, options.stdin, options.first);
    this.#queue.add(Array.from(store.state.queries.open.values()).filter(({ is }) => is !== 'postponed'));
  }

  /** Runs until nothing is left or something stops it, then commits everything received. Returns why it stopped early, in words. */
  async run(): Promise<string | undefined> {
    const { client, signal, tell } = this.#options;
    const { history, folderTaken } = this.#store;
    const tellProgress = (): void => {
      tell({ type: 'progress', at: Date.now(), stages: progressOf(this.#flow, history), client: client.stats() });
    };
    const telling = setInterval(tellProgress, progressMs);
    const forget = onAbort(signal, () => this.stop(undefined));
    void folderTaken.then((error) => {
      this.#committer.abandon(); // the folder belongs to another run
      this.fail(error);
    });
    try {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#pump();
      });
      this.#events.unsubscribe();
      for (const part of [this.#failures, this.#seeds]) part.close();
      await this.#committer.end();
      if (this.#stop?.failure !== undefined) throw this.#stop.failure;
      tellProgress();
    } finally {
      clearInterval(telling);
      forget();
    }
    return this.#stop?.because;
  }

  /** Whether everything is done that `first` allows in this run. */
  get tookFirst(): boolean {
    return this.#stop === undefined && this.#seeds.hasRest;
  }

  /** A key that worked and that the journal doesn't have yet. */
  #newKey(): string | undefined {
    const { keys } = this.#store.history;
    return this.#options.client.all.map(workingKey).find((key) => key !== undefined && !keys.has(key));
  }

  /** The limit of a ledger, or the quote, that has stopped it. */
  get overLimit(): FlowSummary['overLimit'] {
    const { because, until } = this.#failures.overBudget ?? {};
    const quote = because === undefined ? this.#budget.usedUpQuote : undefined;
    const reason = because ?? (quote === undefined ? undefined : this.#budget.because);
    if (reason === undefined || this.#stop?.because !== reason) return undefined;
    return { because: reason, until, ...(quote === undefined ? {} : { quote }) };
  }

  /** Then `run` ends with the pages received so far. */
  stop(because: string | undefined): void {
    this.#end({ because, failure: undefined });
  }

  fail(error: unknown): void {
    this.#end({ because: undefined, failure: error });
  }

  get hasMore(): boolean {
    return this.#store.state.queries.left > 0 || this.#seeds.left;
  }

  /** Holds requests while too much waits for the disk, or if the budget is used up. Otherwise sends more. */
  free(): void {
    if (this.#committer.full || this.#budget.isSpent) this.#root.hold(true);
    else this.#root.release();
    this.#pump();
  }

  holdBack(number: number): void {
    const query = this.#store.state.queries.open.get(number);
    this.#inFlight.get(number)?.unsubscribe();
    this.#inFlight.delete(number);
    if (query !== undefined) this.#queue.add([query]);
  }

  requestNow(queries: readonly OpenQuery[]): void {
    this.#queue.add(queries);
    this.#pump();
  }

  #end(stop: { readonly because: string | undefined; readonly failure: unknown }): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    for (const request of this.#inFlight.values()) request.unsubscribe();
    this.#inFlight.clear();
    this.#settle();
  }

  /** Fills the free slots with the next queries, and reads more seeds if few are left. */
  #pump(): void {
    if (this.#pumping) return; // a page came synchronously: the loop below handles it
    this.#pumping = true;
    while (this.#mayRequest() && this.#inFlight.size - this.#root.sharing < this.#options.concurrency) {
      const query = this.#queue.take();
      if (query === undefined) break;
      this.#request(query);
    }
    this.#pumping = false;
    const isFew = this.#queue.size < this.#options.concurrency;
    // read no more seeds while areas wait to learn how far a search sees, unless nothing is in flight
    if (this.#seeds.left && isFew && this.#mayRequest() && !(this.#inFlight.size > 0 && this.#store.state.covers.waits)) {
      this.#seeds.pull(
        (stage, batch) => this.#seeded(stage, batch),
        (error) => this.#seedsFailed(error),
      );
    }
    this.#settle();
  }

  #mayRequest(): boolean {
    return this.#stop === undefined && this.#failures.overBudget === undefined && !this.#root.holding;
  }

  #seeded(stage: FlowStage, batch: SeedBatch): void {
    if (this.#stop !== undefined) return;
    this.#queue.add(this.#store.apply(decideSeeds(this.#store, stage, batch)));
    this.#committer.noteOrCommit();
    this.#pump();
  }

  /** The service works on a job for a query. If the run is resumed, it asks for the result and doesn't start the job again. */
  #jobStarted(number: number, params: object, address: string): void {
    const { queries } = this.#store.state;
    if (!queries.open.has(number)) return;
    const query = queries.at(number);
    if (query.walk.query !== params || ('address' in query && query.address === address)) return;
    this.#runStep(() => void this.#store.apply(decideJob(number, address)));
  }

  #request(given: OpenQuery): void {
    const known = this.#store.state.queries.open.get(given.number) ?? given; // a job may have begun meanwhile
    const stage = stageOf(this.#flow, known);
    const query = begun(stage, known);
    if (this.#failures.handOver(stage, query)) return;
    const request = requestPage(this.#flow, this.#options.client, query, this.#nodes.get(query.stage)!, (outcome) => {
      this.#inFlight.delete(query.number);
      this.#runStep(() => ('page' in outcome ? this.#page(stage, query, outcome.page) : this.#failed(stage, query, outcome.error)));
    });
    if (this.#stop !== undefined) request?.unsubscribe();
    else if (request !== undefined) this.#inFlight.set(query.number, request);
  }

  #runStep(step: () => void): void {
    if (this.#stop !== undefined) return;
    try {
      step();
    } catch (error) {
      // The step was only partly written, so nothing after it may be committed.
      this.#committer.abandon();
      this.fail(error);
    }
    if (this.#committer.full) this.#root.hold(true);
    this.#committer.noteOrCommit();
    this.#pump();
  }

  #page(stage: FlowStage, query: BegunQuery, page: PageLike): void {
    const { queries, covers } = this.#store.state;
    const leftBefore = stage.split?.kind === 'area' ? covers.leftBy(query).length : undefined;
    const taken = decidePage(this.#store, query, page, Date.now());
    if (taken.unreliable !== undefined) setUnreliable(page, taken.unreliable);
    this.#queue.add(this.#store.apply(taken.events));
    this.#store.files.write(stage.name, taken.rows);
    const left = leftBefore === undefined ? [] : covers.leftBy(query).slice(leftBefore);
    for (const event of pageEvents(stage, query, queries.counts.get(stage.name)!, taken, left)) this.#options.tell(event);
    this.#failures.served(taken.isLast);
    const failed = queries.failed.get(query.number);
    const failure = taken.failure ?? (failed && new PaginationError(failed.failure.message));
    if (failure !== undefined) this.#failures.failed(stage, query, failure);
  }

  #failed(stage: FlowStage, query: BegunQuery, error: unknown): void {
    const instead = decideRefused(this.#store, query, error);
    if (instead !== undefined) return this.#queue.add(this.#store.apply(instead));
    if (this.#failures.handOver(stage, query, error)) return;
    const end = refusedRecheck(stage.operation.spec, query.walk, error);
    if (end === undefined) this.#failures.fault(stage, query, error);
    else this.#page(stage, query, end);
  }

  /** Seeds can't be read, or can't be turned into queries. */
  #seedsFailed(error: unknown): void {
    if (!this.#failures.isPause(error)) this.fail(error);
    this.#settle();
  }

  /** Does what is left to do at a moment when nothing can be requested. */
  #settle(): void {
    switch (this.#turn()) {
      case 'end':
        return this.#wake();
      case 'spent':
        return this.stop(this.#failures.overBudget?.because ?? this.#budget.because);
      case 'postponed':
        return this.#failures.tryPostponed();
      case 'wait':
    }
  }

  /** What a run does when it can request nothing: the first of these that holds. */
  #turn(): 'end' | 'wait' | 'spent' | 'postponed' {
    if (this.#stop !== undefined) return 'end';
    if (this.#pumping || this.#seeds.busy) return 'wait';
    const outOfBudget = this.#failures.overBudget !== undefined;
    const isSpent = this.#budget.isSpent && this.#budget.inFlight === 0;
    // queries that the client's budget refused wait in the journal, so they are left too
    const isLeft = this.#inFlight.size > 0 || this.#queue.size > 0 || this.#seeds.left || outOfBudget;
    const isOpen = isLeft || this.#failures.hasPostponed;
    if (isOpen && (isSpent || (outOfBudget && this.#inFlight.size === 0))) return 'spent';
    if (isLeft) return 'wait';
    if (isOpen) return 'postponed';
    return this.#committer.busy ? 'wait' : 'end';
  }
}
