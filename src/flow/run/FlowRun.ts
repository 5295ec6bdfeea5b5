import type { Subscription } from 'rxjs';
import { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withDemand } from '../../../operators/demand/demandScope.ts';
import type { PageLike } from '../../../operators/PageFactory.ts';
import { AuthError, BudgetError } from '../../errors/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { SeedReader, type SeedBatch } from '../seeds/SeedReader.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { Unit } from '../unit/Unit.ts';
import { Committer } from './Committer.ts';
import { factoryOf, type FlowClient } from './FlowClient.ts';
import type { FlowProgress } from './FlowProgress.ts';
import { failureOf } from './failureOf.ts';
import { RequestBudget } from './RequestBudget.ts';
import { RowSamples } from './RowSamples.ts';
import { foundAnew, takeFailure, takePage } from './takePage.ts';
import { UnitQueue } from './UnitQueue.ts';

const seedBatch = 64;
const fewestEnded = 20;
const budgetReached = 'maxRequests is used up. Running it again with a new budget goes on where it stopped';

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
 * A flow on its way: takes units from the queue, asks for their pages, hands what follows to the store. Ends when
 * nothing is left, or with a reason to stop; what isn't done then waits in the journal.
 */
export class FlowRun {
  /** Why it stopped before the end, in words. */
  because: string | undefined;
  readonly #flow: Flow;
  readonly #store: FlowStore;
  readonly #options: FlowRunOptions;
  readonly #queue = new UnitQueue();
  readonly #asking = new Map<number, Subscription>();
  readonly #root: DemandNode;
  readonly #nodes: ReadonlyMap<string, DemandNode>;
  readonly #budget: RequestBudget;
  readonly #committer: Committer;
  readonly #readers: SeedReader[];
  readonly #samples: RowSamples;
  #pulling = false;
  #pumping = false;
  /** The client's budget is used up: what is on its way may still come. */
  #draining = false;
  #stopping = false;
  #failure: unknown;
  #ended = 0;
  #failed = 0;
  #wake: () => void = () => undefined;

  constructor(flow: Flow, store: FlowStore, options: FlowRunOptions) {
    this.#flow = flow;
    this.#store = store;
    this.#options = options;
    const root = new DemandNode(options.demand);
    this.#root = root;
    const deepest = Math.max(...flow.stages.map(({ depth }) => depth));
    this.#nodes = new Map(flow.stages.map(({ name, depth }) => [name, new DemandNode(root, root.depth + 1 + deepest - depth)]));
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
    const { seeds, waiting } = store.state;
    const unread = flow.stages.filter(({ name }) => seeds.get(name)?.ended === false);
    this.#readers = unread.map((stage) => new SeedReader(stage, seeds.get(stage.name)!, options.stdin));
    this.#add([...waiting.values()]);
  }

  /** Runs until nothing is left or something stops it; then all that came is committed. */
  async run(): Promise<void> {
    const over = new Promise<void>((resolve) => (this.#wake = resolve));
    this.#pump();
    await over;
    this.#budget.close();
    for (const reader of this.#readers) await reader.close();
    await this.#committer.end();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Stops asking. `run` then ends, with what came until now; it fails with `failure` where one is given. */
  stop(because: string | undefined, failure?: unknown): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.because = because;
    this.#failure = failure;
    for (const asking of this.#asking.values()) asking.unsubscribe();
    this.#asking.clear();
    this.#settle();
  }

  /** Fills what is free with the units that come first, and reads on in the seeds when few are left. */
  #pump(): void {
    if (this.#pumping) return; // a page that came at once: the loop below goes on with it
    this.#pumping = true;
    while (this.#mayAsk() && this.#asking.size < this.#options.concurrency) {
      const unit = this.#queue.take();
      if (unit === undefined) break;
      this.#ask(unit);
    }
    this.#pumping = false;
    const [reader] = this.#readers;
    if (reader !== undefined && !this.#pulling && this.#mayAsk() && this.#queue.size < this.#options.concurrency) this.#pull(reader);
    this.#settle();
  }

  #mayAsk(): boolean {
    return !this.#stopping && !this.#draining && !this.#root.holding;
  }

  #pull(reader: SeedReader): void {
    this.#pulling = true;
    reader.next(seedBatch).then(
      (batch) => {
        this.#pulling = false;
        if (!this.#stopping) this.#seeds(reader, batch);
        this.#pump();
      },
      (error: unknown) => {
        this.#pulling = false;
        this.stop(undefined, error);
        this.#settle();
      },
    );
  }

  #seeds(reader: SeedReader, { position, crc, ended, found }: SeedBatch): void {
    if (ended) this.#readers.shift();
    const stage = this.#flow.stages.indexOf(reader.stage);
    const step = {
      kind: 'seeds',
      stage,
      position,
      crc,
      ...(ended ? { ended } : {}),
      found: foundAnew(this.#flow, this.#store, found),
    } as const;
    this.#add(this.#store.take(step));
    this.#committer.look();
  }

  #ask(unit: Unit): void {
    const stage = this.#flow.byName.get(unit.stage)!;
    let answered = false;
    const done = (step: () => void): void => {
      if (answered || this.#stopping) return;
      answered = true;
      this.#asking.delete(unit.number);
      try {
        step();
      } catch (error) {
        this.stop(undefined, error); // the disk: what it has now is not known
      }
      if (this.#committer.full) this.#root.hold();
      this.#committer.look();
      this.#pump();
    };
    try {
      const page$ = factoryOf(this.#options.client, stage)(unit.walk.query, stage.rows === undefined ? undefined : { rows: stage.rows });
      const asking = withDemand(this.#nodes.get(unit.stage), () =>
        page$.subscribe({
          next: (page) => done(() => this.#page(stage, unit, page)),
          error: (error: unknown) => done(() => this.#fault(stage, unit, error)),
          complete: () => done(() => this.#fault(stage, unit, new Error('the answer ended without a page'))),
        }),
      );
      if (!answered && !this.#stopping) this.#asking.set(unit.number, asking);
    } catch (error) {
      done(() => this.#fault(stage, unit, error));
    }
  }

  #page(stage: FlowStage, unit: Unit, page: PageLike): void {
    const { units, rows, step } = takePage(this.#flow, this.#store, unit, page);
    this.#add(units);
    this.#samples.add(stage.outputs, rows);
    for (const notice of step.notices) {
      if (notice.type !== 'drift') continue;
      const message = `${notice.operation}: ${notice.issues.map((issue) => issue.message).join('; ')}`;
      this.#options.tell({ type: 'notice', at: Date.now(), stage: stage.name, message });
    }
    if (step.failure !== undefined) this.#count(stage, unit, step.failure.error);
    else if (step.end !== undefined) this.#ended += 1;
  }

  #fault(stage: FlowStage, unit: Unit, error: unknown): void {
    if (error instanceof BudgetError) this.#draining = true;
    else if (error instanceof AuthError || stage.onError === 'stop') this.stop(undefined, error);
    else {
      takeFailure(this.#store, unit, error);
      this.#count(stage, unit, error);
    }
  }

  /** A unit has failed and is on record. */
  #count(stage: FlowStage, unit: Unit, error: unknown): void {
    this.#ended += 1;
    this.#failed += 1;
    const { name, message } = failureOf(error);
    const { operation } = stage;
    const query = unit.walk.query;
    this.#options.tell({ type: 'failure', at: Date.now(), stage: stage.name, operation: operation.name, query, error: { name, message } });
    const { failAbove } = this.#flow;
    if (stage.onError === 'stop') this.stop(undefined, error);
    else if (this.#ended >= fewestEnded && this.#failed / this.#ended > failAbove) {
      this.stop(
        `${this.#failed} of ${this.#ended} units have failed, which is more than failAbove (${failAbove}) allows. What failed is in failures.jsonl.part; running it again goes on`,
      );
    }
  }

  #add(units: readonly Unit[]): void {
    for (const unit of units) this.#queue.add(unit, this.#flow.byName.get(unit.stage)!.depth);
  }

  /** Ends `run` when nothing moves any more. */
  #settle(): void {
    if (this.#pumping || this.#pulling) return;
    if (this.#stopping) return this.#wake();
    const left = this.#asking.size > 0 || this.#queue.size > 0 || this.#readers.length > 0;
    if (!left) return this.#committer.busy ? undefined : this.#wake();
    const spent = this.#budget.reached && this.#budget.inFlight === 0;
    if (spent || (this.#draining && this.#asking.size === 0)) this.stop(budgetReached);
  }
}
