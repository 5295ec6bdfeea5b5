import type { Subscription } from 'rxjs';
import { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { PageLike } from '../../../operators/PageFactory.ts';
import { AuthError, BudgetError, TrawlerError } from '../../errors/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import type { SeedBatch } from '../seeds/SeedReader.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { longWaitMs } from '../../client/attachStore.ts';
import { Committer } from './Committer.ts';
import { FailureShare } from './FailureShare.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress } from './FlowProgress.ts';
import { failureEvent, pageEvents } from './pageEvents.ts';
import { failureOf, passes } from './failureOf.ts';
import { LateQueries } from './LateQueries.ts';
import { requestPage } from './requestPage.ts';
import { budgetReached, RequestBudget } from './RequestBudget.ts';
import { RowSamples } from './RowSamples.ts';
import { SeedQueue } from './SeedQueue.ts';
import { SeedTiles } from './SeedTiles.ts';
import { ServiceWatch } from './ServiceWatch.ts';
import { stageNodes } from './stageNodes.ts';
import { takeFailure, takePage, takeSeeds } from './takePage.ts';
import { WaitingQueries } from './WaitingQueries.ts';

interface FlowRunOptions {
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
  readonly #tiles: SeedTiles;
  readonly #late: LateQueries;
  readonly #service: ServiceWatch;
  #pumping = false;
  /** The client's budget is used up. Requests in flight may still finish. */
  #draining = false;
  #stopping = false;
  /** Questions to the service whether it responds to anybody. */
  #asking = 0;
  /** No new request until that is known. */
  #doubting = false;
  #saidLate = false;
  #failure: unknown;
  #wake: () => void = () => undefined;

  constructor(flow: Flow, store: FlowStore, options: FlowRunOptions) {
    this.#flow = flow;
    this.#store = store;
    this.#options = options;
    const root = new DemandNode(options.demand, undefined, 'files');
    this.#root = root;
    this.#queue = new WaitingQueries(flow, options.concurrency - 1);
    this.#nodes = stageNodes(flow, root, this.#queue);
    this.#budget = new RequestBudget(options.client, options.maxRequests, () => {
      root.hold(true);
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
    const { counts, served } = store.state;
    const earlier = Array.from(counts.values()).reduce((sum, { done, failed }) => sum + done + failed, 0);
    this.#share = new FailureShare({ limit: flow.failAbove, earlier, cameEarlier: served.size > 0 });
    this.#late = new LateQueries(longWaitMs(options.client));
    this.#service = new ServiceWatch(flow, store.state, { client: options.client, nodes: this.#nodes });
    this.#tiles = new SeedTiles(flow, store, { client: options.client, nodes: this.#nodes, stepped: () => this.#committer.look() });
    this.#seeds = new SeedQueue(flow, store.state, options.stdin, (stage, batch) => this.#tiles.tiled(stage, batch));
    this.#queue.add(served.size > 0 ? store.state.waiting.values() : rotated([...store.state.waiting.values()]));
  }

  /** Runs until nothing is left or something stops it, then commits everything received. */
  async run(): Promise<void> {
    const over = new Promise<void>((resolve) => (this.#wake = resolve));
    this.#pump();
    await over;
    this.#budget.close();
    this.#service.close();
    this.#late.close();
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
    for (const request of this.#inFlight.values()) request.unsubscribe();
    this.#inFlight.clear();
    this.#tiles.stop();
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
    return !this.#stopping && !this.#draining && !this.#doubting && !this.#root.holding;
  }

  #seeded(stage: FlowStage, batch: SeedBatch): void {
    if (this.#stopping) return;
    this.#queue.add(takeSeeds(this.#flow, this.#store, stage, batch));
    this.#committer.look();
    this.#pump();
  }

  #request(query: StageQuery): void {
    const stage = this.#flow.byName.get(query.stage)!;
    const since = performance.now();
    const done = (step: () => void): void => {
      if (this.#stopping) return;
      this.#inFlight.delete(query.number);
      this.#take(step);
    };
    const request = requestPage(this.#flow, this.#options.client, query, this.#nodes.get(query.stage)!, {
      page: (page) => done(() => this.#page(stage, query, page)),
      fault: (error) => done(() => this.#fault(stage, query, error, since)),
    });
    if (this.#stopping) request?.unsubscribe();
    else if (request !== undefined) this.#inFlight.set(query.number, request);
  }

  #take(step: () => void): void {
    try {
      step();
    } catch (error) {
      // The step was taken only in part, so nothing more may be committed after its writes.
      this.#committer.abandon();
      this.stop(undefined, error);
    }
    if (this.#committer.full) this.#root.hold(true);
    this.#committer.look();
    this.#pump();
  }

  #page(stage: FlowStage, query: StageQuery, page: PageLike): void {
    const taken = takePage(this.#flow, this.#store, query, page);
    const { queries, rows, step } = taken;
    this.#queue.add(queries);
    this.#samples.add(stage.outputs, rows);
    const counts = this.#store.state.counts.get(stage.name)!;
    for (const event of pageEvents(stage, query, counts, taken)) this.#options.tell(event);
    this.#share.page(step.end !== undefined);
    if (step.failure !== undefined) this.#failed(stage, query, step.failure.error);
  }

  /** Seeds can't be read, or can't be turned into queries. */
  #halt(error: unknown): void {
    if (!this.#paused(error)) this.stop(undefined, error);
    this.#settle();
  }

  #fault(stage: FlowStage, query: StageQuery, error: unknown, since: number): void {
    if (this.#paused(error)) return;
    if (error instanceof AuthError || stage.onError === 'stop') return this.stop(undefined, error);
    if (!passes(error)) return this.#fail(stage, query, error);
    this.#share.postponed(error);
    if (this.#late.keep(query, error)) this.#sayLate(stage, error);
    else if (this.#service.hasServed(stage, since)) this.#fail(stage, query, error);
    else this.#ask(stage, error, (isUp) => (isUp ? this.#fail(stage, query, error) : this.#stayOpen()));
    this.#doubt(stage, error);
  }

  #fail(stage: FlowStage, query: StageQuery, error: unknown): void {
    takeFailure(this.#store, query, error);
    this.#failed(stage, query, error);
  }

  /** So many have failed that there may be an outage. If so, the run stays open. */
  #doubt(stage: FlowStage, error: unknown): void {
    const { tooMany, outage } = this.#share;
    if (tooMany !== undefined) return this.stop(tooMany);
    if (outage === undefined || this.#doubting) return;
    this.#doubting = true;
    this.#ask(stage, error, (isUp) => {
      this.#doubting = false;
      if (!isUp) this.stop(outage);
    });
  }

  /** Asks whether the service responds to anybody. */
  #ask(stage: FlowStage, error: unknown, then: (isUp: boolean) => void): void {
    this.#asking += 1;
    void this.#service.ask(stage, error).then((said) => {
      if (this.#stopping) return;
      this.#asking -= 1;
      if (said instanceof AuthError) return this.stop(undefined, said);
      if (this.#paused(said)) return this.#settle();
      const isUp = !passes(said);
      if (isUp) this.#share.served();
      this.#take(() => then(isUp));
    });
  }

  #sayLate({ name }: FlowStage, error: unknown): void {
    if (this.#saidLate) return;
    this.#saidLate = true;
    const message = `${name}: a query failed for a reason that may pass, and is tried again after all others: ${failureOf(error).message}`;
    this.#options.tell({ type: 'notice', at: Date.now(), stage: name, message });
  }

  /** Whether an error only means that no more requests can be sent in this run. */
  #paused(error: unknown): boolean {
    if (error instanceof BudgetError) this.#draining = true;
    else if (error instanceof TrawlerError && error.pausedUntil !== undefined)
      this.stop(`the service asks for a pause until ${new Date(error.pausedUntil).toISOString()}`);
    else return false;
    return true;
  }

  /** A query has failed for good. */
  #failed(stage: FlowStage, query: StageQuery, error: unknown): void {
    this.#share.failed(error);
    this.#options.tell(failureEvent(stage, query, error));
    if (stage.onError === 'stop') this.stop(undefined, error);
    else if (this.#share.tooMany !== undefined) this.stop(this.#share.tooMany);
  }

  /** Only late queries are left. */
  #tryLate(): void {
    if (this.#store.state.served.size === 0) return this.#stayOpen(); // nobody ever got through
    this.#late.release((queries) => {
      this.#queue.add(queries);
      this.#pump();
    });
  }

  #stayOpen(): void {
    const { size } = this.#store.state.waiting;
    const [queries, them] = size === 1 ? ['1 query', 'it'] : [`${size} queries`, 'them'];
    const { message } = failureOf(this.#late.error);
    this.stop(
      `${queries} failed for a reason that may pass, so the run stays open. Running it again retries ${them}. The last error: ${message}`,
    );
  }

  /** Ends `run` if nothing is in progress. */
  #settle(): void {
    if (this.#stopping) return this.#wake();
    if (this.#pumping) return;
    const spent = this.#budget.reached && this.#budget.inFlight === 0;
    if (this.#seeds.busy) {
      // later, because the last page isn't taken yet
      if (this.#tiles.searching && spent && this.#inFlight.size === 0)
        setImmediate(() => this.#tiles.searching && this.stop(budgetReached));
      return;
    }
    if (this.#asking > 0) {
      // later, because the response isn't taken yet
      if (spent) setImmediate(() => this.#asking > 0 && this.stop(budgetReached));
      return;
    }
    const left = this.#inFlight.size > 0 || this.#queue.size > 0 || this.#seeds.left;
    const late = this.#late.size > 0;
    if ((left || late) && (spent || (this.#draining && this.#inFlight.size === 0))) this.stop(budgetReached);
    else if (!left && late) this.#tryLate();
    else if (!left && !this.#committer.busy) this.#wake();
  }
}

/** From anywhere on: as long as nothing has come, the next run begins with other queries, because the first may all be bad. */
function rotated(queries: readonly StageQuery[]): readonly StageQuery[] {
  const from = Math.floor(Math.random() * queries.length);
  return [...queries.slice(from), ...queries.slice(0, from)];
}
