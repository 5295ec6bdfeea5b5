import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { filledIn } from '../query/bindQueries.ts';
import { decideTiles, type DecisionInput } from '../core/decide.ts';
import type { FlowEvent } from '../core/events.ts';
import type { FlowView } from '../core/FlowState.ts';
import type { OpenQuery } from '../core/Query.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import type { EarlierRun } from '../update/EarlierRun.ts';
import { emptyLines, failureLines } from './failureOf.ts';
import type { FlowFiles } from './FlowFiles.ts';
import { emptyFile, failuresFile, updateJournal, type FlowFolder } from './FlowFolder.ts';
import type { RunHistory } from './RunHistory.ts';
import { PendingEvents, type Journal } from './Journal.ts';
import type { Carried, CommitRecord, JournalRecord } from '../core/events.ts';
import { watermarkKey, watermarkLines, watermarksFile } from '../core/NewestRows.ts';

/** What a run has spent since its last commit. */
export type RunSpent = Pick<CommitRecord, 'requests' | 'key'>;

export interface Committed {
  readonly seq: number;
  readonly pages: number;
  readonly rows: number;
}

interface OpenedRun {
  readonly folder: FlowFolder;
  readonly files: FlowFiles;
  readonly journal: Journal;
  /** As the journal tells it. */
  readonly history: RunHistory;
  readonly notices: readonly string[];
}

/**
 * A run's state on disk: the journal, the files, and the in-memory state derived from the journal. Rows and the
 * record that makes them count go to disk in that order, in groups. After a crash the folder is exactly as it was at
 * the last commit. One run at a time.
 */
export class RunStorage implements DecisionInput {
  readonly #flow: Flow;
  readonly state: FlowView;
  readonly folder: FlowFolder;
  readonly files: FlowFiles;
  readonly history: RunHistory;
  /** Notices for the user before the first request. */
  readonly notices: readonly string[];
  /** Whether an earlier run's journal exists. */
  readonly resumed: boolean;
  /** What the previous run knew. Set only during an update. */
  earlier: EarlierRun | undefined;
  /** The events that aren't in the journal yet. */
  pending: PendingEvents = new PendingEvents();
  /** The events that are in the journal and not synced yet. */
  noted = { count: 0, pages: 0, rows: 0 };
  readonly #journal: Journal;
  #flowNow: Flow | undefined;
  /** The rows of the previous run that an update keeps, by stage. */
  readonly #carried = Object.create(null) as { [stage: string]: Carried }; // a stage may be called constructor

  constructor(flow: Flow, { folder, files, journal, history, notices }: OpenedRun) {
    this.#flow = flow;
    this.state = history.state;
    this.folder = folder;
    this.files = files;
    this.history = history;
    this.notices = notices;
    this.resumed = journal.seq > 0;
    this.#journal = journal;
  }

  /** The reason, once the run has lost its folder. */
  get folderTaken(): Promise<Error> {
    return this.folder.lock.lost;
  }

  get startedAt(): number {
    return this.history.startedAt;
  }

  get seenAt(): number {
    return this.history.seenAt;
  }

  /** The flow, with the moment of this run for `now`. Available once the journal has begun. */
  get flow(): Flow {
    return (this.#flowNow ??= this.#flow.at(this.startedAt));
  }

  /** Queries that failed, or are short. */
  get hasFailures(): boolean {
    return this.state.queries.failed.size + this.state.queries.short.size > 0;
  }

  /** An update of this finished run has begun, and hasn't taken its place. */
  get hasUpdate(): boolean {
    return this.folder.has(updateJournal);
  }

  /** Carries out what was decided. Returns the queries that can be requested because of it. Safe after the next `commit`. */
  apply(decided: readonly FlowEvent[]): readonly OpenQuery[] {
    if (decided.length > 0) this.pending.count += 1;
    const ready: OpenQuery[] = [];
    for (let events = decided; events.length > 0; events = decideTiles(this))
      for (const event of events) ready.push(...this.history.state.evolve(this.pending.add(event)));
    return ready;
  }

  /** Makes everything taken so far safe. Later steps belong to the next commit. One at a time. */
  async commit(spent: RunSpent): Promise<Committed> {
    const { noted } = this;
    const { text, pages, rows } = this.#takePending();
    const files = await this.files.commit();
    const record = { type: 'commit', at: Date.now(), files, ...spent } as const;
    const seq = await this.#journal.append(record, text);
    this.noted = { count: 0, pages: 0, rows: 0 };
    this.history.committed(record, pages);
    return { seq, pages: noted.pages + pages, rows: noted.rows + rows };
  }

  /**
   * Writes everything taken so far, without waiting for the disk. It survives the end of the process. It survives a power cut only when it
   * is committed. Does nothing if it can't be written now. Must not be called while a commit is under way.
   */
  note(spent: () => RunSpent): void {
    const files = this.files.flushNow();
    if (files === undefined) return;
    const { count, text, pages, rows } = this.#takePending();
    const { positions } = this.history;
    const changed = Object.fromEntries(Object.entries(files).filter(([name, { bytes }]) => bytes !== positions.get(name)?.bytes));
    const record = { type: 'commit', at: Date.now(), files: changed, ...spent(), unsynced: true } as const;
    this.#journal.note(record, text);
    this.noted = { count: this.noted.count + count, pages: this.noted.pages + pages, rows: this.noted.rows + rows };
    this.history.committed(record, pages);
  }

  #takePending(): PendingEvents {
    const { pending } = this;
    this.pending = new PendingEvents();
    return pending;
  }

  /** Writes a row of the previous run to a stage's files, in the form `as`. It counts once the run is finished. */
  carry(stage: FlowStage, row: object, as: object): void {
    this.files.write(stage.name, [as]);
    const { rows, filled } = (this.#carried[stage.name] ??= { rows: 0, filled: {} });
    const sums = Object.entries(filledIn(stage, [row])).map(([field, count]) => [field, (ownValue(filled, field) ?? 0) + count] as const);
    this.#carried[stage.name] = { rows: rows + 1, filled: Object.fromEntries(sums) };
  }

  /** Finishes the run: records the files' digests and gives them their names. */
  async finish(): Promise<readonly FlowFile[]> {
    if (this.history.finished === undefined) {
      const files = await this.files.seal();
      await this.writeFailures();
      await this.#writeWatermarks();
      await this.append({ type: 'finish', at: Date.now(), files, carried: this.#carried });
    }
    await this.files.publish();
    return this.history.finished!;
  }

  async #writeWatermarks(): Promise<void> {
    const walked = this.flow.stages.filter(({ since }) => since !== undefined);
    if (walked.length === 0) return;
    const { queries, watermarks, isRetry } = this.state;
    // If pieces of a divided query failed, the whole query has no watermark.
    const ended = [...queries.failed.values(), ...queries.short.values()].map(({ query }) => query);
    const stays = new Set(ended.map(({ stage, params }) => watermarkKey(this.flow.byName.get(stage)!, params)));
    const moved = [...watermarks.moved].filter(([key]) => !stays.has(key));
    const full = walked
      .filter((stage) => !isRetry && this.earlier?.isFull(stage) !== false)
      .map(({ name }) => [name, this.startedAt] as const);
    const before = this.earlier?.walked;
    const all = {
      watermarks: new Map([...(before?.watermarks ?? []), ...moved]),
      full: new Map([...(before?.full ?? []), ...full]),
    };
    await this.folder.replace(watermarksFile, watermarkLines(all));
  }

  /** Writes queries that lack rows, and those that found nothing, to a file each, as far as known. No file without lines. */
  async writeFailures(): Promise<void> {
    const { queries } = this.state;
    if (queries.failed.size + queries.short.size + queries.capped.size === 0) await this.folder.remove(failuresFile);
    else await this.folder.replace(failuresFile, failureLines(this.flow, queries));
    if (queries.empty.size === 0) await this.folder.remove(emptyFile);
    else await this.folder.replace(emptyFile, emptyLines(this.flow, queries));
  }

  async append(record: Exclude<JournalRecord, CommitRecord>): Promise<void> {
    await this.#journal.append(record);
    this.history.add(record);
  }

  /** Closes the journal, because some systems replace no file that is open. Nothing can be recorded after that. */
  closeJournal(): void {
    this.#journal.close();
  }

  /** Leaves nothing of a new run to which nothing has come: no page, no failure, no job. */
  async discard(): Promise<void> {
    const { queries, served } = this.state;
    const hasJobs = [...queries.open.values()].some((query) => 'address' in query && query.address !== undefined);
    if (served.size + queries.failed.size > 0 || hasJobs || this.history.finished !== undefined) return;
    await this.files.close();
    this.#journal.close();
    await this.folder.discard();
  }

  /** Closes all files and unlocks the folder. Uncommitted steps are lost in the next run. */
  async close(): Promise<void> {
    await this.files.close();
    this.#journal.close();
    this.folder.close();
  }
}
