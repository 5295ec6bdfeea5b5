import { BusyError, FlowError, NetworkError } from '../../errors/index.ts';
import type { RowDestination, DestinationTable } from '../../sinks/index.ts';
import type { Flow, StageTarget, FlowStage } from '../definition/Flow.ts';
import type { StageChanges, StageProgress } from '../run/FlowProgress.ts';
import type { RunControl } from '../run/RunControl.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { readRows } from '../state/readRows.ts';
import { RejectedRows, StageLoad } from './StageLoad.ts';
import { extraColumn } from '../../sinks/table/ValueFit.ts';
import { columnsOfStage } from '../definition/columnsOfStage.ts';
import { rowSource } from '../state/FlowFiles.ts';

/** Destinations by the word before the colon. */
export interface Destinations {
  readonly [scheme: string]: RowDestination;
}

interface LoadLimits {
  /** How long a run waits for a destination that takes nothing: at its end, or while too much waits. */
  readonly waitMs: number;
  /** The crawl is held while this many bytes wait for destinations. */
  readonly waitingBytes: number;
}

interface RunLoadsOptions extends LoadLimits {
  readonly destinations: Destinations;
  readonly signal: AbortSignal;
  readonly notice: (message: string, stage?: string) => void;
}

type LoadedRun = Pick<RunControl, 'free' | 'stop' | 'fail'>;

const lookMs = 100;
const wasStopped = 'it was stopped';
const removedRows = 5000;

/** Brings the committed rows of a run to its destinations. Rows wait on disk while one is slow or away. */
export class RunLoads {
  readonly #store: RunStorage;
  readonly #options: RunLoadsOptions;
  readonly #stop = new AbortController();
  readonly #loads: readonly StageLoad[];
  /** Destinations that take nothing for now, and why. */
  readonly #away = new Map<string, string>();
  #run: LoadedRun | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isHeld = false;
  /** When something was loaded for the last time. */
  #movedAt = performance.now();

  private constructor(flow: Flow, store: RunStorage, options: RunLoadsOptions) {
    this.#store = store;
    this.#options = options;
    const rejected = new RejectedRows(store.folder);
    const signal = AbortSignal.any([options.signal, this.#stop.signal]);
    this.#loads = flow.stages.flatMap((stage) =>
      stage.targets.map((target) => {
        const table = destinationTable(flow, stage, target, store.history.run);
        return new StageLoad(target.to, table, destinationNamed(options.destinations, target.scheme), {
          folder: store.folder,
          rejected,
          end: this.#committed(table.file),
          signal,
          away: (to, message) => this.#tellAway(to, message),
          back: (to) => this.#tellBack(to),
          loaded: () => this.#loaded(),
          failed: (error) => this.#fail(error),
        });
      }),
    );
  }

  /**
   * Connects before the first request, and makes tables ready. Throws if one doesn't fit. A destination that is away is an error
   * if nothing was requested yet. After that, rows wait, as they do for one that somebody else holds.
   */
  static async open(flow: Flow, store: RunStorage, options: RunLoadsOptions): Promise<RunLoads> {
    if (store.history.update)
      for (const { name, targets, mode, by } of flow.stages)
        if (targets.length > 0 && mode === 'merge' && by.length === 0)
          throw new FlowError(
            `stage ${name}: an update merges rows into ${targets[0]!.to} by their key. Name it in 'by', or use "mode": "replace"`,
          );
    const loads = new RunLoads(flow, store, options);
    try {
      for (const load of loads.#loads)
        await load.open(false).catch((error: unknown) => {
          if (options.signal.aborted) return; // the run stops before its first request
          const waits = error instanceof BusyError || (error instanceof NetworkError && store.history.pages > 0);
          if (!waits) throw error;
          loads.#tellAway(load.to, error.message);
        });
    } catch (error) {
      await loads.close();
      throw error;
    }
    loads.committed();
    return loads;
  }

  /** So much waits that the crawl has to. */
  get full(): boolean {
    return this.#waiting > this.#options.waitingBytes;
  }

  /** Follows a commit. */
  committed(): void {
    for (const load of this.#loads) void load.extend(this.#committed(load.table.file));
    if (!this.full || this.#isHeld) return;
    this.#isHeld = true;
    this.#movedAt = performance.now();
    this.#options.notice(`${Math.round(this.#waiting / 1e6)} MB of rows wait to be loaded, so the crawl waits too`);
  }

  /** Tells the run when it may go on, and when there is no use in that. */
  watch(run: LoadedRun): void {
    this.#run = run;
    if (this.#failure !== undefined) run.fail(this.#failure.error);
    const look = setInterval(() => {
      if (this.#isHeld && this.#isStuck) run.stop(this.#because);
    }, lookMs);
    this.#stop.signal.addEventListener('abort', () => clearInterval(look));
  }

  /** Loads the rest. Returns why it can't for now, in words. */
  drain(): Promise<string | undefined> {
    return this.#within(Promise.all(this.#loads.map((load) => load.extend(this.#committed(load.table.file)))));
  }

  /** The files are complete. Puts new tables in place, and deletes what an update found to be gone. */
  settle(flow: Flow, changes: readonly StageChanges[] = []): Promise<string | undefined> {
    const settleOne = async (load: StageLoad): Promise<void> => {
      const { stage, mode, file } = load.table;
      if (mode === 'replace') {
        await load.extend(sizeOf(this.#store, file));
        if (this.#failure === undefined) return load.finish();
      }
      if (flow.byName.get(stage)!.gone === 'keep') return;
      let gone: object[] = [];
      for (const { file: list } of changes.filter((one) => one.stage === stage))
        for await (const { row } of readRows(this.#store.folder, list)) {
          if (isGone(row)) gone.push(row.row);
          if (gone.length >= removedRows) await load.remove(gone.splice(0));
        }
      if (gone.length > 0) await load.remove(gone);
    };
    return this.#within(Promise.all(this.#loads.map(settleOne)));
  }

  /** Adds how far loading is. */
  progressOf(stages: readonly StageProgress[]): readonly StageProgress[] {
    return stages.map((stage) => {
      const own = this.#loads.filter(({ table }) => table.stage === stage.name);
      const loads = own.map(({ to, waiting, rejected }) => ({ to, waiting, rejected }));
      return withLoads(stage, loads);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const load of this.#loads) await load.close();
  }

  /** Waits, as long as something moves. Returns why it stopped waiting. */
  async #within(work: Promise<unknown>): Promise<string | undefined> {
    const { signal } = this.#options;
    this.#movedAt = performance.now();
    let look: NodeJS.Timeout | undefined;
    const stuck = new Promise<string>((resolve) => {
      look = setInterval(() => {
        if (signal.aborted || this.#isStuck) resolve(this.#because);
      }, lookMs);
    });
    try {
      const because = await Promise.race([work.then(() => undefined), stuck]);
      if (this.#failure !== undefined) throw this.#failure.error;
      return signal.aborted ? wasStopped : because; // stopped work ends as well, with rows left
    } catch (error) {
      if (signal.aborted && this.#failure === undefined) return wasStopped;
      throw error;
    } finally {
      clearInterval(look);
      work.catch(() => undefined);
    }
  }

  get #waiting(): number {
    return this.#loads.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get #isStuck(): boolean {
    return performance.now() - this.#movedAt > this.#options.waitMs;
  }

  get #because(): string {
    const slow = this.#loads.filter(({ waiting }) => waiting > 0).map(({ to }) => to);
    const why =
      this.#away.size > 0
        ? `: ${[...this.#away.values()].join('; ')}`
        : ` for ${slow.join(', ')}, which ${slow.length === 1 ? 'takes' : 'take'} nothing`;
    return `rows wait${why}. All rows so far are on disk. Running it again loads the rest, and requests none of it again`;
  }

  #committed(file: string): number {
    return this.#store.history.positions.get(file)?.bytes ?? 0;
  }

  #loaded(): void {
    this.#movedAt = performance.now();
    if (!this.#isHeld || this.#waiting > this.#options.waitingBytes / 2) return;
    this.#isHeld = false;
    this.#run?.free();
  }

  #tellAway(to: string, message: string): void {
    if (this.#away.get(to) === message) return;
    this.#away.set(to, message);
    this.#options.notice(`${message}. Rows wait on disk until it takes them`);
  }

  #tellBack(to: string): void {
    this.#away.delete(to);
    this.#options.notice(`${to} takes rows again`);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#run?.fail(error);
  }
}

/** A stage with what became of its rows elsewhere. One that no destination could hold a row of has failed. */
export function withLoads(stage: StageProgress, loads: NonNullable<StageProgress['loads']>): StageProgress {
  if (loads.length === 0) return stage;
  const isUnfinished = stage.outcome === 'interrupted' || loads.some(({ waiting }) => waiting > 0);
  const hasFailed = stage.rows > 0 && loads.some(({ rejected }) => rejected >= stage.rows);
  return { ...stage, loads, outcome: isUnfinished ? 'interrupted' : hasFailed ? 'failed' : stage.outcome };
}

export function destinationNamed(destinations: Destinations, scheme: string): RowDestination {
  const destination = Object.hasOwn(destinations, scheme) ? destinations[scheme] : undefined;
  if (destination === undefined) throw new FlowError(`the option destinations has no '${scheme}'`);
  return destination;
}

function sizeOf({ folder }: RunStorage, file: string): number {
  return folder.fileSystem.stat(folder.at(`${file}.part`))?.size ?? 0;
}

function isGone(line: object): line is { readonly row: object } {
  return 'change' in line && line.change === 'gone' && 'row' in line;
}

/** The table that a stage's rows go to. Throws a FlowError if its columns aren't known. */
export function destinationTable(flow: Flow, stage: FlowStage, { to, name }: StageTarget, run: string): DestinationTable {
  const columns = columnsOfStage(flow, stage);
  if (columns === undefined)
    throw new FlowError(
      `stage ${stage.name}: the rows of ${stage.operation.name} aren't documented, so ${to} needs 'pick' for its columns`,
    );
  for (const { path } of stage.by)
    if (columns.every((column) => column.path !== path))
      throw new FlowError(`stage ${stage.name}: '${path}' in 'by' has no column of its own, so it can't be the key of ${to}`);
  const own = columns.map(({ path, keys, type = 'string', about }) => ({ header: path, keys, type, about }));
  return {
    name,
    columns: [...own, extraColumn],
    key: [...stage.by.map(({ path }) => path), ...(stage.series && stage.by.length > 0 ? ['seen_at'] : [])],
    mode: stage.mode,
    flow: flow.name,
    run,
    stage: stage.name,
    file: rowSource(flow, stage)!,
  };
}
