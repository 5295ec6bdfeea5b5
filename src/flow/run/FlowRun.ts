import { failureOf } from './failureOf.ts';
import { firstValueFrom, Observable, ReplaySubject, type Subscription, takeUntil } from 'rxjs';
import { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withDemand } from '../../../operators/demand/demandScope.ts';
import { Listener } from '../../../operators/kit/Listener.ts';
import { AuthError, BudgetError, TrawlerError } from '../../errors/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedReader.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { tileNews } from '../split/tileNews.ts';
import type { Learnt, Look } from '../split/learnSight.ts';
import { tilesOf } from '../split/tilesOf.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { requestPage } from './requestPage.ts';
import { Committer } from './Committer.ts';
import type { PageLike, WalkEvent } from '../../../operators/PageFactory.ts';
import { FailureShare } from './FailureShare.ts';
import { factoryOf, type FlowClient } from './FlowClient.ts';
import type { FlowProgress } from './FlowProgress.ts';
import { passes } from './passes.ts';
import { budgetReached, RequestBudget } from './RequestBudget.ts';
import { RowSamples } from './RowSamples.ts';
import { SeedQueue } from './SeedQueue.ts';
import { takeFailure, takePage, takeSeeds } from './takePage.ts';
import { WaitingQueries } from './WaitingQueries.ts';

export interface FlowRunOptions {
  readonly client: FlowClient;
  readonly concurrency: number;
  readonly maxRequests: number;
  readonly commitMs: number;
  readonly stdin: NodeJS.ReadableStream | undefined;
  /** The place of the run on the way to a sink. */
  readonly demand: DemandNode | undefined;
  readonly tell: (event: FlowProgress) => void;
}

/**
 * A running flow. It takes queries from the queue, requests their pages, and hands the results to the store. It ends when
 * nothing is left, or with a reason to stop. Unfinished work waits in the journal.
 */
export class FlowRun {
  /** Why it stopped before the end, in words. */
  because: string | undefined;
  readonly #flow: Flow;
  readonly #store: FlowStore;
  readonly #options: FlowRunOptions;
  readonly #queue: WaitingQueries;
  readonly #inFlight = new Map<number, Subscription>();
  readonly #root: DemandNode;
  readonly #nodes: ReadonlyMap<string, DemandNode>;
  readonly #budget: RequestBudget;
  readonly #committer: Committer;
  readonly #seeds: SeedQueue;
  readonly #share: FailureShare;
  readonly #samples: RowSamples;
  /** The view size of a stage's searches. */
  readonly #learnt: Map<string, Learnt>;
  readonly #stopped = new ReplaySubject<void>(1);
  /** Seeds wait for searches that learn how far a search sees. */
  #learning = false;
  #pumping = false;
  /** The client's budget is used up. Requests in flight may still finish. */
  #draining = false;
  #stopping = false;
  /** Queries that failed for a temporary reason. */
  #postponed = 0;
  #failure: unknown;
  #wake: () => void = () => undefined;

  constructor(flow: Flow, store: FlowStore, options: FlowRunOptions) {
    this.#flow = flow;
    this.#store = store;
    this.#options = options;
    const root = new DemandNode(options.demand, undefined, 'files');
    this.#root = root;
    this.#learnt = new Map(store.state.learnt);
    this.#nodes = stageNodes(flow, root);
    this.#budget = new RequestBudget(options.client, options.maxRequests, () => {
      root.hold();
      this.#settle();
    });
    this.#committer = new Committer(store, {
      everyMs: options.commitMs,
      spent: () => this.#budget.takeSpent(),
      committed: (commit) => options.tell({ type: 'commit', at: Date.now(), ...commit }),
      free: () => {
        if (root.holding && !this.#committer.full && !this.#budget.reached) root.release();
        this.#pump();
      },
      failed: (error) => this.stop(undefined, error),
    });
    this.#samples = new RowSamples(options.tell);
    this.#share = new FailureShare(flow.failAbove);
    this.#seeds = new SeedQueue(flow, store.state, options.stdin, (stage, batch) => this.#tiled(stage, batch));
    this.#queue = new WaitingQueries(flow);
    this.#queue.add(store.state.waiting.values());
  }

  /** Runs until nothing is left or something stops it, then commits everything received. */
  async run(): Promise<void> {
    const over = new Promise<void>((resolve) => (this.#wake = resolve));
    this.#pump();
    await over;
    this.#budget.close();
    this.#seeds.close();
    await this.#committer.end();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** The run has lost its folder, so nothing more may be written. */
  abandon(failure: unknown): void {
    this.#committer.abandon();
    this.stop(undefined, failure);
  }

  /** Stops new requests. `run` then ends with the pages received so far. With `failure`, it fails with that error. */
  stop(because: string | undefined, failure?: unknown): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.because = because;
    this.#failure = failure;
    for (const asking of this.#inFlight.values()) asking.unsubscribe();
    this.#inFlight.clear();
    this.#stopped.next();
    this.#settle();
  }

  /** Fills the free slots with the next queries, and reads more seeds if few are left. */
  #pump(): void {
    if (this.#pumping) return; // a page came synchronously: the loop below handles it
    this.#pumping = true;
    while (this.#mayRequest() && this.#inFlight.size < this.#options.concurrency) {
      const query = this.#queue.take();
      if (query === undefined) break;
      this.#request(query);
    }
    this.#pumping = false;
    if (this.#mayRequest() && this.#queue.size < this.#options.concurrency) {
      this.#seeds.pull(
        (stage, batch) => this.#seeded(stage, batch),
        (error) => this.#halt(error),
      );
    }
    this.#settle();
  }

  #mayRequest(): boolean {
    return !this.#stopping && !this.#draining && !this.#root.holding;
  }

  /** The first tiles of a stage that covers an area. */
  async #tiled(stage: FlowStage, batch: SeedBatch): Promise<SeedBatch> {
    if (stage.split?.kind !== 'area' || batch.found.length === 0) return batch;
    const index = this.#flow.stages.indexOf(stage);
    const learning = {
      before: this.#store.state.looks.get(stage.name) ?? [],
      request: (query: object) => this.#look(stage, query),
      looked: (look: Look) => {
        this.#store.take({ kind: 'look', stage: index, ...look });
        this.#committer.look();
      },
    };
    this.#learning = true;
    try {
      const { found, learnt } = await tilesOf(stage, stage.split, batch.found, learning, this.#learnt.get(stage.name));
      if (learnt !== undefined) this.#learnt.set(stage.name, learnt);
      return { ...batch, found };
    } finally {
      this.#learning = false;
    }
  }

  /**
   * A page of a search that finds out the view. It waits while the run may not send requests, and never arrives once the run
   * has stopped.
   */
  #look(stage: FlowStage, query: object): Promise<PageLike> {
    const node = this.#nodes.get(stage.name)!;
    const page$ = new Observable<PageLike>((destination) => {
      const asking = new Listener<PageLike>(destination, { place: node });
      withDemand(node, () => factoryOf(this.#options.client, stage)(query, { label: stage.name }).subscribe(asking));
      return asking;
    });
    return firstValueFrom(page$.pipe(takeUntil(this.#stopped)));
  }

  #seeded(stage: FlowStage, batch: SeedBatch): void {
    if (this.#stopping) return;
    this.#queue.add(takeSeeds(this.#flow, this.#store, stage, batch));
    this.#committer.look();
    this.#pump();
  }

  #request(query: StageQuery): void {
    const stage = this.#flow.byName.get(query.stage)!;
    const done = (step: () => void): void => {
      if (this.#stopping) return;
      this.#inFlight.delete(query.number);
      try {
        step();
      } catch (error) {
        // The step was taken only in part, so nothing more may be committed after its writes.
        this.#committer.abandon();
        this.stop(undefined, error);
      }
      if (this.#committer.full) this.#root.hold();
      this.#committer.look();
      this.#pump();
    };
    const asking = requestPage(this.#flow, this.#options.client, query, this.#nodes.get(query.stage)!, {
      page: (page) => done(() => this.#page(stage, query, page)),
      fault: (error) => done(() => this.#fault(stage, query, error)),
    });
    if (this.#stopping) asking?.unsubscribe();
    else if (asking !== undefined) this.#inFlight.set(query.number, asking);
  }

  #page(stage: FlowStage, query: StageQuery, page: PageLike): void {
    const { queries, rows, step, short } = takePage(this.#flow, this.#store, query, page);
    this.#queue.add(queries);
    this.#samples.add(stage.outputs, rows);
    const tile = tileNews(stage, query, step, rows);
    if (tile !== undefined) this.#options.tell({ type: 'tile', tile });
    tellNotices(stage.name, step.notices, this.#options.tell);
    this.#share.page(step.end !== undefined);
    if (step.failure !== undefined) this.#count(stage, query, step.failure.error);
    if (short !== undefined)
      this.#options.tell({
        type: 'short',
        at: Date.now(),
        stage: stage.name,
        operation: stage.operation.name,
        query: query.params,
        ...short,
      });
  }

  /** Seeds can't be read, or can't be made queries of. */
  #halt(error: unknown): void {
    if (error instanceof BudgetError) {
      this.#draining = true;
      this.#settle();
    } else if (error instanceof TrawlerError && error.pausedUntil !== undefined) {
      this.stop(`the service asks for a pause until ${new Date(error.pausedUntil).toISOString()}`);
    } else this.stop(undefined, error);
  }

  #fault(stage: FlowStage, query: StageQuery, error: unknown): void {
    if (error instanceof BudgetError) this.#draining = true;
    else if (error instanceof TrawlerError && error.pausedUntil !== undefined) {
      this.stop(`the service asks for a pause until ${new Date(error.pausedUntil).toISOString()}`);
    } else if (error instanceof AuthError || stage.onError === 'stop') this.stop(undefined, error);
    else {
      if (passes(error)) this.#postponed += 1; // it waits in the journal and isn't recorded as failed
      else takeFailure(this.#store, query, error);
      this.#count(stage, query, error);
    }
  }

  /** Handles a failed query, failed for good or for now. */
  #count(stage: FlowStage, query: StageQuery, error: unknown): void {
    this.#share.failed(error);
    this.#options.tell(failureEvent(stage, query, error));
    if (stage.onError === 'stop') this.stop(undefined, error);
    else if (this.#share.tooMany !== undefined) this.stop(this.#share.tooMany);
  }

  #later(): string {
    const queries = this.#postponed === 1 ? '1 query' : `${this.#postponed} queries`;
    return `${queries} failed for a reason that may pass, so the run stays open. Running it again retries them`;
  }

  /** Ends `run` if nothing is in progress. */
  #settle(): void {
    if (this.#stopping) return this.#wake();
    if (this.#pumping) return;
    const spent = this.#budget.reached && this.#budget.inFlight === 0;
    if (this.#seeds.busy) {
      // later, because the last page isn't taken yet
      if (this.#learning && spent && this.#inFlight.size === 0) setImmediate(() => this.#learning && this.stop(budgetReached));
      return;
    }
    const left = this.#inFlight.size > 0 || this.#queue.size > 0 || this.#seeds.left;
    if (!left && this.#postponed > 0 && !this.#committer.busy) return this.stop(this.#later());
    if (!left) return this.#committer.busy ? undefined : this.#wake();
    if (spent || (this.#draining && this.#inFlight.size === 0)) this.stop(budgetReached);
  }
}

/** The progress event of a failed query. */
function failureEvent(stage: FlowStage, query: StageQuery, error: unknown): FlowProgress {
  const { name, message } = failureOf(error);
  const { operation } = stage;
  return {
    type: 'failure',
    at: Date.now(),
    stage: stage.name,
    operation: operation.name,
    query: query.walk.query,
    error: { name, message },
  };
}

/** A place for each stage on the way to the files: the deepest stages are the nearest, so their requests go first. */
function stageNodes(flow: Flow, root: DemandNode): ReadonlyMap<string, DemandNode> {
  const deepest = Math.max(...flow.stages.map(({ depth }) => depth));
  return new Map(flow.stages.map(({ name, depth }) => [name, new DemandNode(root, root.depth + 1 + deepest - depth, `stage ${name}`)]));
}

/** Reports undocumented things that a walk noticed in a page of a stage. */
function tellNotices(stage: string, notices: readonly WalkEvent[], tell: (event: FlowProgress) => void): void {
  for (const notice of notices) {
    if (notice.type !== 'drift') continue;
    const message = `${notice.operation}: ${notice.issues.map((issue) => issue.message).join('; ')}`;
    tell({ type: 'notice', at: Date.now(), stage, message });
  }
}
