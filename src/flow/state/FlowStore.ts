import { ownValue } from '../../../operators/kit/ownValue.ts';
import { relative } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import type { FileSystem } from '../../sinks/index.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowFile } from '../run/FlowProgress.ts';
import { filledIn } from '../query/isWanted.ts';
import { keyOf } from '../query/queryKey.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import type { EarlierRun } from '../update/EarlierRun.ts';
import { failureLines } from './failureOf.ts';
import { findDamage, type Damage } from './findDamage.ts';
import { changesFolder, failuresFile, FlowFolder, packageFile, reportFile, updateFolder } from './FlowFolder.ts';
import { FlowFiles, filesOf } from './FlowFiles.ts';
import { watermarkLines, watermarksFile, everything, type Extent } from './WalkExtent.ts';
import { FlowHistory, flowChanges, oldFlow } from './FlowHistory.ts';
import type { FlowState } from './FlowState.ts';
import { Journal, type JournalTail, PendingSteps } from './Journal.ts';
import { journalVersion, type Carried, type CommitRecord, type JournalRecord, type JournalStep, type Retry } from './JournalRecord.ts';

export interface FlowStoreOptions {
  readonly resume?: boolean | undefined;
  readonly fresh?: boolean | undefined;
  readonly failures?: boolean | undefined;
  readonly repair?: boolean | undefined;
  /** This run updates a finished one. */
  readonly update?: boolean | undefined;
  /** … by these queries only. */
  readonly retry?: Retry | undefined;
  /** Rows of each stage in the previous run, if that is in another folder. */
  readonly last?: FlowHistory['last'];
  /** Move a run of an older version of the flow aside, as `fresh` does. Its responses are in the store. */
  readonly replaceChanged?: boolean | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

export interface Committed {
  readonly seq: number;
  readonly pages: number;
  readonly rows: number;
}

/**
 * A run's state on disk: the journal, the files, and the in-memory state derived from the journal. Rows and the
 * record that makes them count go to disk in that order, in groups. After a crash the folder is exactly as it was at
 * the last commit. One run at a time.
 */
export class FlowStore {
  history: FlowHistory;
  /** What the previous run knew. Set only during an update. */
  earlier: EarlierRun | undefined;
  /** For each stage with `since` that had rows in this run: whether any row has a time. */
  readonly dated: Map<string, boolean> = new Map();
  /** Whether an earlier run's journal exists. */
  resumed = false;
  /** Notices for the user before the first request. */
  readonly notices: string[] = [];
  readonly #flow: Flow;
  readonly #folder: FlowFolder;
  readonly #files: FlowFiles;
  readonly #journal: Journal;
  readonly #carried = Object.create(null) as { [stage: string]: Carried }; // a stage may be called constructor
  #pending = new PendingSteps();

  private constructor(flow: Flow, folder: FlowFolder, journal: Journal) {
    this.#flow = flow;
    this.#folder = folder;
    this.#journal = journal;
    this.#files = new FlowFiles(flow, folder);
    this.history = new FlowHistory(flow, folder.path);
  }

  /**
   * Locks the folder and restores it to the last commit. Throws if another run is in it, if it belongs to another flow, or
   * if it contains files that no journal knows.
   */
  static async open(flow: Flow, outDir: string, options: FlowStoreOptions = {}): Promise<FlowStore> {
    const folder = await FlowFolder.open(outDir, options.fileSystem);
    let store: FlowStore | undefined;
    try {
      const outputs = [...filesOf(flow), failuresFile, packageFile, reportFile];
      const old = options.fresh === true || options.replaceChanged === true ? await oldFlow(folder.journal, folder.fileSystem) : undefined;
      const changed = options.replaceChanged === true && old?.name === flow.name && old.digest !== flow.digest;
      const last = options.fresh === true || changed ? folder.lastRows() : undefined;
      const movedTo =
        options.fresh === true || changed
          ? await folder.moveAside([
              ...(old?.outputs ?? []),
              ...outputs,
              watermarksFile,
              ...[updateFolder, changesFolder].flatMap((one) => folder.filesIn(one)),
            ])
          : undefined;
      if (movedTo !== undefined) for (const one of [updateFolder, changesFolder]) folder.clear(one);
      if (folder.lock.takenOver) await folder.renew(outputs);
      store = new FlowStore(flow, folder, Journal.open(folder.journal, folder.fileSystem));
      if (changed)
        store.notices.push(
          `the flow was changed: ${flowChanges(old.definition, flow.definition)}. It starts over, and takes what is stored`,
        );
      if (movedTo !== undefined) store.notices.push(`what an earlier run left was moved to ${movedTo}`);
      await store.#recover(outputs, options, options.last ?? last);
      return store;
    } catch (error) {
      if (store === undefined) folder.close();
      else await store.close();
      throw error;
    }
  }

  /** The reason, once the run has lost its folder. */
  get lost(): Promise<Error> {
    return this.#folder.lock.lost;
  }

  get state(): FlowState {
    return this.history.state;
  }

  /** Queries that failed, or are short and may bring more. */
  get hasFailures(): boolean {
    return this.state.failed.size > 0 || Array.from(this.state.short.values()).some(({ final }) => !final);
  }

  get backlog(): number {
    return this.#files.backlog;
  }

  get uncommitted(): number {
    return this.#pending.count;
  }

  get uncommittedRows(): number {
    return this.#pending.rows;
  }

  /** Takes a step with its rows. Returns the queries that now wait. Safe after the next `commit`. */
  take(step: JournalStep, rows: readonly object[] = [], next?: StageQuery['walk']): StageQuery[] {
    if (step.kind === 'page' || step.kind === 'failure') {
      const query = this.state.waiting.get(step.query)!;
      if (rows.length > 0) this.#files.write(query.stage, rows);
    }
    this.#pending.add(step, rows.length);
    return this.state.apply(step, next);
  }

  /** Makes everything taken so far safe. Later steps belong to the next commit. One at a time. */
  async commit(requests: number): Promise<Committed> {
    const { text, pages, rows } = this.#pending;
    this.#pending = new PendingSteps();
    const files = await this.#files.commit();
    const record = { type: 'commit', at: Date.now(), files, requests } as const;
    const seq = await this.#journal.append(record, text);
    this.history.committed(record, pages);
    return { seq, pages, rows };
  }

  /** Writes a row of the previous run to a stage's files, in the form `as`. It counts once the run is finished. */
  carry(stage: FlowStage, row: object, as: object): void {
    this.#files.write(stage.name, [as]);
    const { rows, filled } = (this.#carried[stage.name] ??= { rows: 0, filled: {} });
    const sums = Object.entries(filledIn(stage, [row])).map(([field, count]) => [field, (ownValue(filled, field) ?? 0) + count] as const);
    this.#carried[stage.name] = { rows: rows + 1, filled: Object.fromEntries(sums) };
  }

  flushFiles(): Promise<void> {
    return this.#files.flush();
  }

  /** A row with the first and last time it was seen. */
  withSeen(stage: FlowStage, row: object): object {
    const now = new Date(this.history.startedAt).toISOString();
    return { ...row, first_seen: this.earlier?.firstSeen(stage, keyOf(row, stage.key)) ?? now, last_seen: now };
  }

  /** The walk of the update that would have found a row. undefined: it didn't look where the row would be. */
  walkOver(stage: FlowStage, row: object): Extent | undefined {
    if (stage.since === undefined) return this.#isWhole(stage) ? everything : undefined;
    return this.state.isRetry ? undefined : this.state.extents.over(stage, row, this.#hasWholeParents(stage));
  }

  /** Whether a stage was walked to the end everywhere. */
  #isWhole(stage: FlowStage): boolean {
    const { failed, capped, short, waiting, skipped, suspect } = this.state.counts.get(stage.name)!;
    const isCut = this.state.isRetry || stage.since !== undefined || failed + capped + short + waiting + skipped + suspect > 0;
    return !isCut && this.#hasWholeParents(stage);
  }

  #hasWholeParents({ parents }: FlowStage): boolean {
    return parents.every((parent) => this.#isWhole(this.#flow.byName.get(parent)!));
  }

  get folder(): FlowFolder {
    return this.#folder;
  }

  /** Finishes the run: records the files' digests and gives them their names. */
  async finish(): Promise<readonly FlowFile[]> {
    if (this.history.finished === undefined) {
      const files = await this.#files.seal();
      await this.writeFailures();
      await this.#writeWatermarks();
      await this.#append({ type: 'finish', at: Date.now(), files, carried: this.#carried });
    }
    await this.#files.publish();
    return this.history.finished!;
  }

  async #writeWatermarks(): Promise<void> {
    const walked = this.#flow.stages.filter(({ since }) => since !== undefined);
    if (walked.length === 0) return;
    // If the flow drops rows that are gone, it also drops the watermarks of queries that are gone.
    const drops = !this.state.isRetry && walked.every((stage) => stage.gone === 'drop' && this.#hasWholeParents(stage));
    const before = [...(this.earlier?.watermarks ?? [])].filter(([key]) => !drops || this.state.current.has(key));
    await this.#folder.replace(watermarksFile, watermarkLines(new Map([...before, ...this.state.watermarks])));
  }

  /** Writes the failures so far to their own file, replacing an old one. No file if nothing failed. */
  async writeFailures(): Promise<void> {
    if (this.state.failed.size === 0 && this.state.short.size === 0) return this.#folder.remove(failuresFile);
    await this.#folder.replace(failuresFile, failureLines(this.#flow, this.state));
  }

  /** Writes a small file of the folder, such as the manifest. */
  async replace(file: string, text: string): Promise<void> {
    await this.#folder.replace(file, [text]);
  }

  has(file: string): boolean {
    return this.#folder.has(file);
  }

  /** Closes all files and unlocks the folder. Uncommitted steps are lost in the next run. */
  async close(): Promise<void> {
    await this.#files.close();
    this.#journal.close();
    this.#folder.close();
  }

  async #append(record: Exclude<JournalRecord, CommitRecord>): Promise<void> {
    await this.#journal.append(record);
    this.history.add(record);
  }

  async #recover(outputs: readonly string[], options: FlowStoreOptions, last: FlowHistory['last']): Promise<void> {
    const tail = await this.#journal.replay((record) => this.history.replay(record));
    const damage = await findDamage(this.#flow, this.#folder, this.#journal, this.history, tail);
    if (damage !== undefined && this.#mustStop(damage, tail, options)) throw new FlowError(damageMessage(this.#folder.path, damage));
    if (damage !== undefined && options.repair === true) await this.#repair(damage, outputs);
    else if (tail !== undefined) await this.#journal.cut();
    this.resumed = this.#journal.seq > 0;
    if (!this.resumed) {
      if (options.update === true) for (const file of outputs.flatMap((one) => [one, `${one}.part`])) await this.#folder.remove(file);
      else this.#folder.refuse(outputs.filter((file) => file !== reportFile));
      if (options.failures === true && options.retry === undefined)
        throw new FlowError(`${this.#folder.path}: there is no run whose failures could be retried`);
      const { name, digest } = this.#flow;
      const { service: _, ...definition } = this.#flow.definition; // may be a module
      await this.#append({
        type: 'flow',
        version: journalVersion,
        name,
        digest,
        at: Date.now(),
        definition,
        last,
        ...(options.update === true ? { update: true } : {}),
        retry: options.retry,
        outputs,
      });
      await this.#folder.sync();
    } else if (options.resume === false) {
      throw new FlowError(
        `${this.#folder.path}: an earlier run is there. Resume it (resume), or start over with fresh, which moves its files aside`,
      );
    }
    // Also before the flow is finished: failed queries then run with the rest.
    // Those of a finished update are retried by another update, because rows that it carried over may have changed.
    const isUpdated = this.history.finished !== undefined && (this.history.update || this.#folder.hasUpdate);
    if (options.failures === true && this.hasFailures && !isUpdated) await this.#append({ type: 'reopen', at: Date.now() });
    if (this.state.rewalks)
      await this.#journal.replay((record) => {
        if (record.type === 'commit') for (const step of record.steps) this.state.recallIds(step);
      });
    await this.#files.open(this.history.finished, this.history.positions);
    for (const { number } of this.state.interrupted) this.take({ kind: 'again', query: number });
  }

  /** Whether damage must stop the run. Changed files of a finished run that stays as it is are only reported. */
  #mustStop(damage: Damage, tail: JournalTail | undefined, { repair, failures }: FlowStoreOptions): boolean {
    if (repair === true) return false;
    if (this.history.finished === undefined || failures === true || tail?.torn === false) return true;
    this.notices.push(`${damage.faults.join('; ')}. The run was finished before, so this may be meant`);
    return false;
  }

  /** Goes back to the last record that all files match. The current content is copied first. */
  async #repair(damage: Damage, outputs: readonly string[]): Promise<void> {
    const files = [relative(this.#folder.path, this.#folder.journal), ...outputs.flatMap((file) => [file, `${file}.part`])];
    const copy = await this.#folder.keepCopies(files);
    this.notices.push(`${damage.faults.join('; ')}. ${costOf(damage)}; a copy of everything as it was is in ${copy}`);
    await this.#journal.cut(damage.position);
    this.history = new FlowHistory(this.#flow, this.#folder.path);
    await this.#journal.replay((record) => this.history.replay(record));
    if (damage.position.seq === 0) for (const file of files.slice(1)) await this.#folder.remove(file);
  }
}

function damageMessage(folder: string, damage: Damage): string {
  return `${folder} is damaged: ${damage.faults.join('; ')}. Nothing was changed and nothing was requested. With 'repair' the run resumes at the last complete commit: ${costOf(damage)}. A copy of everything as it is now is kept`;
}

function costOf({ pages, of, requests, unread }: Damage): string {
  return `${unread ? 'at least ' : ''}${pages} of ${of} pages are requested again, about ${requests} requests`;
}
