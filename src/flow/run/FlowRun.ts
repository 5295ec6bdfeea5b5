import type { Subscription } from 'rxjs';
import { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withDemand } from '../../../operators/demand/demandScope.ts';
import type { PageLike } from '../../../operators/PageFactory.ts';
import { AuthError, BudgetError } from '../../errors/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { JournalFound, JournalStep, PageStep } from '../state/JournalRecord.ts';
import { SeedReader } from '../seeds/SeedReader.ts';
import { stepUnit } from '../unit/stepUnit.ts';
import type { Found, Unit } from '../unit/Unit.ts';
import { factoryOf, type FlowClient } from './FlowClient.ts';
import type { FlowProgress } from './FlowProgress.ts';
import { failureOf } from './failureOf.ts';
import { RequestBudget } from './RequestBudget.ts';
import { UnitQueue } from './UnitQueue.ts';

const seedBatch = 64;
const backlogMark = 2 * 1024 * 1024;
const stepsMark = 1000;
const commitSteps = 250;
const commitRows = 5000;
const fewestEnded = 20;

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
  readonly #readers: SeedReader[];
  readonly #sampled = new Map<string, number>();
  #pulling = false;
  #pumping = false;
  #stopping = false;
  /** The client's budget is used up: what is on its way may still come. */
  #draining = false;
  #broken = false;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #committing: Promise<void> | undefined;
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
    this.#readers = flow.stages
      .filter((stage) => store.state.seeds.get(stage.name)?.ended === false)
      .map((stage) => new SeedReader(stage, store.state.seeds.get(stage.name)!, options.stdin));
    for (const unit of store.state.waiting.values()) this.#add(unit);
  }

  /** Runs until nothing is left or something stops it; then all that came is committed. */
  async run(): Promise<void> {
    const idle = new Promise<void>((resolve) => (this.#wake = resolve));
    this.#pump();
    await idle;
    this.#budget.close();
    clearTimeout(this.#timer);
    for (const reader of this.#readers) await reader.close();
    await this.#committing;
    if (!this.#broken) await this.#commit();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Stops asking. `run` then ends, with what came until now. */
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
    while (!this.#stopping && !this.#draining && !this.#root.holding && this.#asking.size < this.#options.concurrency) {
      const unit = this.#queue.take();
      if (unit === undefined) break;
      this.#ask(unit);
    }
    this.#pumping = false;
    if (this.#queue.size < this.#options.concurrency) this.#pull();
    this.#settle();
  }

  #pull(): void {
    const reader = this.#readers[0];
    if (reader === undefined || this.#pulling || this.#stopping || this.#draining || this.#root.holding) return;
    this.#pulling = true;
    reader.next(seedBatch).then(
      (batch) => {
        this.#pulling = false;
        if (this.#stopping) return this.#settle();
        const { position, crc, ended } = batch;
        if (ended) this.#readers.shift();
        const found = this.#journalFound(batch.found);
        this.#take({ kind: 'seeds', stage: this.#flow.stages.indexOf(reader.stage), position, crc, ...(ended ? { ended } : {}), found });
        this.#pump();
      },
      (error: unknown) => {
        this.#pulling = false;
        this.stop(undefined, error);
        this.#settle();
      },
    );
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
        this.#break(error);
      }
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
    const step = stepUnit(this.#flow, unit, page);
    const rows: object[] = [];
    const found: JournalFound[] = [];
    const keys: Buffer[] = [];
    for (const { row, key, found: units } of step.rows) {
      if (key !== undefined) {
        if (!this.#store.state.isNewKey(stage.name, key)) continue;
        const bytes = Buffer.alloc(8);
        bytes.writeBigUInt64LE(key);
        keys.push(bytes);
      }
      rows.push(row);
      if (units.length > 0) found.push(...this.#journalFound(units));
    }
    for (const notice of step.notices) {
      if (notice.type === 'drift')
        this.#notice(`${notice.operation}: ${notice.issues.map(({ message }) => message).join('; ')}`, stage.name);
    }
    const { paging } = stage.factory;
    if (step.failure !== undefined && stage.onError === 'stop') return this.stop(undefined, step.failure.error);
    if (step.failure !== undefined && !step.failure.delivered) return this.#fail(stage, unit, step.failure.error);
    const record: PageStep = {
      kind: 'page',
      unit: unit.number,
      received: step.received,
      written: rows.length,
      ...(step.next === undefined || paging.kind === 'none' ? {} : { next: step.next.walk.query[paging.param] as string | number }),
      ...(step.end === 'capped' ? { capped: true } : {}),
      ...(step.failure === undefined ? {} : { failure: failureOf(step.failure.error) }),
      ...(keys.length === 0 ? {} : { keys: Buffer.concat(keys).toString('base64') }),
      ...(found.length === 0 ? {} : { found }),
    };
    this.#sample(stage, rows);
    this.#take(record, rows, step.next);
    if (step.failure !== undefined) this.#onFailed(stage, unit, step.failure.error);
    else if (step.end !== undefined) this.#ended += 1;
  }

  #fault(stage: FlowStage, unit: Unit, error: unknown): void {
    if (error instanceof BudgetError) this.#draining = true;
    else if (error instanceof AuthError || stage.onError === 'stop') this.stop(undefined, error);
    else this.#fail(stage, unit, error);
  }

  #fail(stage: FlowStage, unit: Unit, error: unknown): void {
    this.#take({ kind: 'failure', unit: unit.number, failure: failureOf(error) });
    this.#onFailed(stage, unit, error);
  }

  #onFailed(stage: FlowStage, unit: Unit, error: unknown): void {
    this.#ended += 1;
    this.#failed += 1;
    const { name, message } = failureOf(error);
    const { operation } = stage;
    this.#options.tell({
      type: 'failure',
      at: Date.now(),
      stage: stage.name,
      operation: operation.name,
      query: unit.walk.query,
      error: { name, message },
    });
    if (this.#ended >= fewestEnded && this.#failed / this.#ended > this.#flow.failAbove) {
      this.stop(
        `${this.#failed} of ${this.#ended} units have failed, which is more than failAbove (${this.#flow.failAbove}) allows. What failed is in failures.jsonl.part; running it again goes on`,
      );
    }
  }

  /** Units that weren't found before, as the journal writes them. */
  #journalFound(found: readonly Found[]): JournalFound[] {
    return this.#store.state.onlyNew(found).map(({ stage, query, kept }) => {
      const index = this.#flow.stages.findIndex(({ name }) => name === stage);
      return kept === undefined ? [index, query] : [index, query, kept];
    });
  }

  #take(step: JournalStep, rows?: readonly object[], next?: Unit): void {
    for (const unit of this.#store.take(step, rows, next)) this.#add(unit);
    if (this.#store.backlog > backlogMark || this.#store.uncommitted > stepsMark) this.#hold();
    else if (this.#store.uncommitted >= commitSteps || this.#store.uncommittedRows >= commitRows) this.#startCommit();
    else this.#timer ??= setTimeout(() => this.#startCommit(), this.#options.commitMs);
  }

  #add(unit: Unit): void {
    this.#queue.add(unit, this.#flow.byName.get(unit.stage)!.depth);
  }

  /** Asks for nothing more until what came is on disk. */
  #hold(): void {
    this.#root.hold();
    this.#startCommit();
  }

  #startCommit(): void {
    if (this.#committing !== undefined || this.#stopping) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#committing = this.#commit().then(
      () => {
        this.#committing = undefined;
        if (this.#store.uncommitted >= commitSteps || this.#store.backlog > backlogMark) this.#startCommit();
        else if (this.#root.holding && !this.#budget.reached) this.#root.release();
        if (this.#store.uncommitted > 0 && !this.#stopping) this.#timer ??= setTimeout(() => this.#startCommit(), this.#options.commitMs);
        this.#pump();
      },
      (error: unknown) => {
        this.#committing = undefined;
        this.#break(error);
      },
    );
  }

  async #commit(): Promise<void> {
    if (this.#store.uncommitted === 0) return;
    const from = performance.now();
    const committed = await this.#store.commit(this.#budget.takeSpent());
    this.#options.tell({ type: 'commit', at: Date.now(), ...committed, ms: performance.now() - from });
  }

  /** The disk, or a mistake of ours: nothing more can be made safe. */
  #break(error: unknown): void {
    this.#broken = true;
    this.stop(undefined, error);
    this.#failure ??= error;
  }

  #sample(stage: FlowStage, rows: readonly object[]): void {
    for (const file of stage.outputs) {
      let told = this.#sampled.get(file) ?? 0;
      for (const row of rows.slice(0, 10 - told)) {
        this.#options.tell({ type: 'sample', file, row });
        told += 1;
      }
      this.#sampled.set(file, told);
    }
  }

  #notice(message: string, stage: string): void {
    this.#options.tell({ type: 'notice', at: Date.now(), stage, message });
  }

  /** Ends `run` when nothing moves any more. */
  #settle(): void {
    if (this.#pumping || this.#pulling) return;
    if (this.#stopping) return this.#wake();
    if (this.#draining && this.#asking.size === 0) return this.stop(budgetReached);
    if (
      this.#budget.reached &&
      this.#budget.inFlight === 0 &&
      (this.#asking.size > 0 || this.#queue.size > 0 || this.#readers.length > 0)
    ) {
      return this.stop(budgetReached);
    }
    if (this.#asking.size === 0 && this.#queue.size === 0 && this.#readers.length === 0 && this.#committing === undefined) this.#wake();
  }
}

const budgetReached = 'maxRequests is used up. Running it again with a new budget goes on where it stopped';
