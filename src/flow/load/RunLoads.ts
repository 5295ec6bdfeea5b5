import { join } from 'node:path';
import { onAbort } from '../../../operators/kit/onAbort.ts';
import { BusyError, FlowError, NetworkError } from '../../errors/index.ts';
import type { RowDestination, DestinationTable } from '../../sinks/index.ts';
import type { Flow, StageTarget, FlowStage } from '../definition/Flow.ts';
import type { StageChanges, StageProgress } from '../run/FlowProgress.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { openRows, readRows } from '../state/readRows.ts';
import { DigestSet, rowKey } from '../core/Dedup.ts';
import { RejectedRows, StageLoad } from './StageLoad.ts';
import { extraColumn } from '../../sinks/table/TextRepair.ts';
import { columnsOfStage } from '../definition/columnsOfStage.ts';
import { rowSource } from '../state/FlowFiles.ts';

/** Destinations by the word before the colon. */
export interface Destinations {
  readonly [scheme: string]: RowDestination;
}

interface RunLoadsOptions {
  readonly destinations: Destinations;
  /** How long a run waits at its end for a destination that takes nothing. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly notice: (message: string, stage?: string) => void;
}

const wasStopped = 'it was stopped';
const removedRows = 5000;

/** Loads the committed rows of a run into its destinations when the run ends, however it ends. Includes rows of earlier, killed runs. */
export class RunLoads {
  readonly #store: RunStorage;
  readonly #options: RunLoadsOptions;
  readonly #stop = new AbortController();
  readonly #loads: readonly StageLoad[];
  /** Destinations that can't be reached for now, and why. */
  readonly #away = new Map<string, string>();
  /** Called when something was loaded, or a destination can't be reached for now. */
  #moved: () => void = () => undefined;
  #failed: () => void = () => undefined;

  private constructor(flow: Flow, store: RunStorage, options: RunLoadsOptions) {
    this.#store = store;
    this.#options = options;
    const rejected = new RejectedRows(store.folder);
    this.#loads = flow.stages.flatMap((stage) =>
      stage.targets.map((target) => {
        const table = destinationTable(flow, stage, target, store.history.run);
        return new StageLoad(target.to, table, destinationNamed(options.destinations, target.scheme), {
          folder: store.folder,
          rejected,
          committed: () => this.#committed(table.file),
          signal: this.#stop.signal,
          away: (to, message) => this.#tellAway(to, message),
          back: (to) => this.#tellBack(to),
          loaded: () => this.#moved(),
        });
      }),
    );
  }

  /**
   * Connects before the first request, and makes tables ready. Throws if one doesn't fit. A destination that is away is an error
   * if nothing was requested yet. After that, rows wait, as they do for one that somebody else holds.
   */
  static async open(flow: Flow, store: RunStorage, options: RunLoadsOptions): Promise<RunLoads> {
    for (const stage of flow.stages) refuseDoubles(flow, stage, store);
    const loads = new RunLoads(flow, store, options);
    const forget = onAbort(options.signal, () => loads.#stop.abort());
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
    } finally {
      forget();
    }
    return loads;
  }

  /** Loads the waiting rows. Returns why some still wait, in words. `isOver`: the run was stopped or has failed, so don't wait. */
  drain(isOver: boolean): Promise<string | undefined> {
    return this.#within(Promise.all(this.#loads.map((load) => load.loadTo(this.#committed(load.table.file)))), isOver);
  }

  /** The files are complete. Puts new tables in place, and deletes what an update found to be gone. */
  settle(flow: Flow, changes: readonly StageChanges[] = []): Promise<string | undefined> {
    const settleOne = async (load: StageLoad): Promise<void> => {
      const { stage, mode, file } = load.table;
      if (mode === 'replace') {
        await load.loadTo(sizeOf(this.#store, file));
        return load.finish();
      }
      await this.#replaceRows(flow.byName.get(stage)!, load);
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

  /** Deletes rows of the run that this one replaces, unless this one found them again. */
  async #replaceRows(stage: FlowStage, load: StageLoad): Promise<void> {
    const { folder, history } = this.#store;
    const { file } = load.table;
    if (history.replaces === undefined) return;
    const found = new DigestSet();
    for await (const { row } of readRows(folder, file)) found.add(rowKey(stage, stage.key, row));
    const left: object[] = [];
    for await (const { row } of readRows(folder, join(history.replaces, file))) {
      if (stage.series || !found.has(rowKey(stage, stage.key, row))) left.push(row);
      if (left.length >= removedRows) await load.remove(left.splice(0));
    }
    if (left.length > 0) await load.remove(left);
  }

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
  async #within(work: Promise<unknown>, isOver = false): Promise<string | undefined> {
    const { signal, waitMs } = this.#options;
    let patience: NodeJS.Timeout | undefined;
    let forget: (() => void) | undefined;
    const stuck = new Promise<string>((resolve) => {
      const giveUp = (): void => resolve(this.#because);
      this.#moved = () => {
        clearTimeout(patience);
        patience = setTimeout(giveUp, waitMs);
      };
      this.#moved();
      if (isOver) this.#failed = giveUp;
      else forget = onAbort(signal, () => resolve(wasStopped));
    });
    try {
      return await Promise.race([work.then(() => undefined), stuck]);
    } catch (error) {
      if (this.#stop.signal.aborted) return wasStopped; // while it connected
      throw error;
    } finally {
      clearTimeout(patience);
      forget?.();
      this.#moved = this.#failed = () => undefined;
      work.catch(() => undefined);
    }
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

  #tellAway(to: string, message: string): void {
    const isTold = this.#away.get(to) === message;
    this.#away.set(to, message);
    this.#failed();
    if (!isTold) this.#options.notice(`${message}. Rows wait on disk until it takes them`);
  }

  #tellBack(to: string): void {
    this.#away.delete(to);
    this.#options.notice(`${to} takes rows again`);
  }
}

/** A stage with what became of its rows elsewhere. One that no destination could hold a row of has failed. */
export function withLoads(stage: StageProgress, loads: NonNullable<StageProgress['loads']>): StageProgress {
  if (loads.length === 0) return stage;
  const isUnfinished = stage.outcome === 'interrupted' || loads.some(({ waiting }) => waiting > 0);
  const hasFailed = stage.rows > 0 && loads.some(({ rejected }) => rejected >= stage.rows);
  return { ...stage, loads, outcome: isUnfinished ? 'interrupted' : hasFailed ? 'failed' : stage.outcome };
}

/** Rows without a key can only be added. Throws a FlowError where the table would have rows twice. */
function refuseDoubles(flow: Flow, stage: FlowStage, { folder, history }: RunStorage): void {
  const { name, targets, mode, key } = stage;
  if (targets.length === 0 || mode === 'replace' || key.length > 0) return;
  const { to } = targets[0]!;
  const advice = `Name what identifies a row in 'by', or use "mode": "replace"`;
  if (history.update) throw new FlowError(`stage ${name}: an update merges rows into ${to} by their key. ${advice}`);
  const before = history.replaces === undefined ? undefined : openRows(folder, join(history.replaces, rowSource(flow, stage)!));
  const hadRows = before !== undefined && before.size() > 0;
  before?.close();
  if (hadRows)
    throw new FlowError(
      `stage ${name}: its rows have no key, and ${to} has those of the run before, in ${history.replaces}: they would be there twice. ` +
        `${advice}. Or empty the table, and delete that folder`,
    );
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
  for (const { path } of stage.key)
    if (columns.every((column) => column.path !== path))
      throw new FlowError(`stage ${stage.name}: '${path}' identifies a row and has no column of its own, so it can't be the key of ${to}`);
  const own = columns.map(({ path, keys, type = 'string', about }) => ({ header: path, keys, type, about }));
  return {
    name,
    columns: [...own, extraColumn],
    key: [...stage.key.map(({ path }) => path), ...(stage.series && stage.key.length > 0 ? ['seen_at'] : [])],
    mode: stage.mode,
    flow: flow.name,
    run,
    stage: stage.name,
    file: rowSource(flow, stage)!,
  };
}
