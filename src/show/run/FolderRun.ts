import type { AccountLeft } from '../../flow/run/FlowProgress.ts';
import { basename, dirname, join, resolve } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import type { FileSystem } from '../../files/FileSystem.ts';
import { isDead, readOwner, type LockOwner } from '../../files/takeLock.ts';
import { readDataPackage } from '../../files/dataPackage.ts';
import { runLock } from '../../files/takeWatchedLock.ts';
import type { DriftCount, Service } from '../../contract/index.ts';
import { formatFaults } from '../../flow/check/stageFaults.ts';
import { compileChecked } from '../../flow/definition/compileFlow.ts';
import { type Flow, operationOf, serviceOf } from '../../flow/definition/Flow.ts';
import type { FlowDefinition } from '../../flow/definition/flowFormat.ts';
import { failuresByKind, readHeadlines, type Headline, type NextStep } from '../../flow/report/index.ts';
import { MapSketch } from '../../flow/report/RunRecorder.ts';
import { tileReports } from '../../flow/run/pageEvents.ts';
import { progressOf } from '../../flow/run/progressOf.ts';
import { RunHistory } from '../../flow/state/RunHistory.ts';
import { begun, type OpenQuery } from '../../flow/core/Query.ts';
import { journalFile, updateFolder } from '../../flow/state/FlowFolder.ts';
import { JournalReader } from '../../flow/state/Journal.ts';
import type { FlowEvent, JournalRecord } from '../../flow/core/events.ts';
import type { RunPhase, RunState, ShownTiles } from '../api.ts';
import { filesWithin } from '../filesWithin.ts';
import { runState } from './runState.ts';
import { messageOf } from '../../errors/TrawlerError.ts';

/** A longer time between two records of the journal counts as a break. */
const maxSpreadMs = 10_000;

export interface FolderRunOptions {
  /** The service of its flow. @default the built-in one */
  readonly service?: Service | undefined;
  /** Returns the command that runs a flow again in a folder. */
  readonly command: (folder: string) => string;
  /** Folders and files outside of the run's folder from which areas may be read. */
  readonly allowRead: readonly string[];
  /** The run that `path` is an update of. */
  readonly updates?: FolderRun | undefined;
}

/**
 * The state of a run, read from its folder, whichever process runs it. It takes no lock and writes nothing. The folder may come from a
 * stranger: nothing in it decides which files are read, or becomes part of a command that the user is told to type.
 */
export class FolderRun {
  readonly id: string;
  readonly path: string;
  /** The part of the disk that is read for this run. */
  readonly files: FileSystem;
  readonly #options: FolderRunOptions;
  /** The command that runs the flow again. */
  readonly #command: string;
  readonly #journal: JournalReader;
  /** For `isSound`, which reads the journal apart from the state. */
  readonly #check: JournalReader;
  #ended = false;
  #checking: Promise<void> = Promise.resolve();
  #update: FolderRun | undefined;
  #flow: Flow | undefined;
  #flowRecord: Extract<JournalRecord, { type: 'flow' }> | undefined;
  #history: RunHistory | undefined;
  #tiles = new Map<string, MapSketch>();
  #endedAt = 0;
  #breaksMs = 0;
  #requests = 0;
  #finished = false;
  #fault: string | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(id: string, path: string, options: FolderRunOptions) {
    this.id = id;
    this.path = path;
    this.#options = options;
    this.files = options.updates?.files ?? filesWithin([path, ...options.allowRead]);
    this.#command = options.command(options.updates?.path ?? path) + (options.updates === undefined ? '' : ' --update');
    this.#journal = new JournalReader(join(path, journalFile), this.files);
    this.#check = new JournalReader(join(path, journalFile), this.files);
  }

  /** Whether there is a run in a folder. */
  static isAt(path: string, files: FileSystem = filesWithin([path])): boolean {
    return files.stat(join(path, journalFile))?.kind === 'file';
  }

  /** The flow. undefined if it can't be read here. Reads only the first record of the journal. */
  async flow(): Promise<Flow | undefined> {
    if (this.#flowRecord === undefined) await this.#read(1);
    return this.#flow;
  }

  /** The areas that a stage covers, and the tiles that it has searched. */
  async tiles(stage: string): Promise<ShownTiles> {
    await this.#read();
    return { tiles: this.#tiles.get(stage)?.tiles ?? [], rings: this.#history?.state.covers.rings.get(stage) ?? [] };
  }

  /** The headlines of the run, from the rows that are written so far. */
  async headlines(): Promise<readonly Headline[]> {
    await this.#read();
    if (this.#flow === undefined || this.#history === undefined) return [];
    const at = (file: string): string => join(this.path, file);
    const has = (file: string): boolean => this.files.stat(at(file)) !== undefined;
    return readHeadlines(this.#flow, { at, has, fileSystem: this.files }, this.#history.state.queries);
  }

  /** Whether the journal can be read to its end, and says there that the run is done. Keeps nothing else in memory. */
  async isSound(): Promise<boolean> {
    const take = ({ type }: JournalRecord): boolean => {
      if (type === 'finish') this.#ended = true;
      if (type === 'reopen') this.#ended = false;
      return true;
    };
    const read = (): Promise<void> => this.#check.read(take, () => (this.#ended = false));
    this.#checking = this.#checking.then(read, read);
    await this.#checking;
    return this.#ended && this.#check.damagedLine === undefined;
  }

  async state(): Promise<RunState> {
    await this.#read();
    const path = join(this.path, updateFolder);
    if (!FolderRun.isAt(path, this.files)) this.#update = undefined;
    else {
      this.#update ??= new FolderRun(this.id, path, { ...this.#options, updates: this });
      const update = await this.#update.state();
      // An update also holds the lock of the whole folder, so phase and holder come from there.
      return { ...update, folder: this.path, update: true, phase: this.phase(update.phase === 'done'), holder: this.#holder() };
    }
    const history = this.#history;
    const holder = this.#holder();
    const isDamaged = holder === undefined && (this.#journal.damagedLine !== undefined || this.#flowRecord === undefined);
    const phase = isDamaged ? 'damaged' : this.phase(this.#finished);
    const command = this.#command;
    const repair = isDamaged ? this.#repair() : undefined;
    const startedAt = history?.startedAt ?? this.#flowRecord?.at ?? 0;
    return runState({
      id: this.id,
      folder: this.path,
      flow: this.#flowRecord?.name ?? basename(this.path),
      phase,
      holder,
      update: false,
      startedAt,
      endedAt: phase === 'running' ? Date.now() : Math.max(this.#endedAt, startedAt),
      breaksMs: this.#breaksMs,
      requests: this.#requests,
      stages: this.#flow === undefined || history === undefined ? [] : progressOf(this.#flow, history),
      files: history?.files ?? [],
      failures: failuresByKind(history?.state.queries.failed.values() ?? []),
      ...(this.#finished ? this.#noted() : { drift: [] }),
      live: undefined,
      buttons: [],
      because: phase === 'stopped' ? this.#tooManyFailed() : undefined,
      notes: [...(this.#fault === undefined ? [] : [{ text: this.#fault }]), ...(repair === undefined ? [] : [repair])],
      command,
    });
  }

  /** Says that the run stopped because too many queries failed. undefined: its counts don't say so. */
  #tooManyFailed(): string | undefined {
    if (this.#flow === undefined || this.#history === undefined) return undefined;
    const stages = progressOf(this.#flow, this.#history);
    const [done, failed] = [stages.reduce((sum, stage) => sum + stage.done, 0), this.#history.state.queries.failed.size];
    return failed / (done + failed) <= this.#flow.failAbove
      ? undefined
      : `${failed} of ${done + failed} queries have failed, which is more than failAbove (${this.#flow.failAbove}) allows`;
  }

  /** Says what to do about a journal that can't be read. */
  #repair(): NextStep {
    const command = this.#command;
    const { damagedLine } = this.#journal;
    if (damagedLine !== undefined) {
      const text =
        `Line ${damagedLine} of the journal can't be read, so the run is shown up to there. Resume it from there. A copy of ` +
        `everything is kept, and without --repair the command says what that costs:`;
      return { text, command: `${command} --repair` };
    }
    const text = 'The journal has no beginning, so nothing is known of the run. Start over. What is there is moved aside:';
    return { text, command: `${command} --fresh` };
  }

  phase(finished: boolean): RunPhase {
    if (this.#holder() !== undefined) return 'running';
    if (finished) return 'done';
    return this.files.stat(runLock(this.path)) === undefined ? 'stopped' : 'lost';
  }

  /** The process that holds the folder's lock. */
  #holder(): LockOwner | undefined {
    const owner = readOwner(runLock(this.path), this.files);
    return typeof owner === 'object' && !isDead(owner, this.files.process, undefined) ? owner : undefined;
  }

  /** Reads what is new in the journal, after any read under way. `atMost`: the largest number of records to read. */
  #read(atMost: number = Infinity): Promise<void> {
    let left = atMost;
    const take = (record: JournalRecord): boolean => {
      this.#take(record);
      return --left > 0;
    };
    const read = (): Promise<void> => this.#journal.read(take, () => this.#restart());
    this.#reading = this.#reading.then(read, read);
    return this.#reading;
  }

  #restart(): void {
    this.#flow = this.#flowRecord = this.#history = this.#fault = undefined;
    [this.#endedAt, this.#breaksMs, this.#requests, this.#finished] = [0, 0, 0, false];
    this.#tiles.clear();
  }

  #take(record: JournalRecord): void {
    if (this.#endedAt > 0 && record.at - this.#endedAt > maxSpreadMs) this.#breaksMs += record.at - this.#endedAt;
    this.#endedAt = record.at;
    if (record.type === 'flow') this.#begin(record);
    if (record.type === 'finish') this.#finished = true;
    if (record.type === 'reopen') this.#finished = false;
    if (record.type === 'commit') this.#requests += record.requests;
    if (this.#fault !== undefined) return;
    try {
      this.#history?.replay(record, (event, query) => this.#takeTile(event, query));
    } catch (error) {
      this.#history = undefined;
      this.#fault = `The journal can't be read to its end: ${messageOf(error)}`;
    }
  }

  #takeTile(event: FlowEvent, open: OpenQuery | undefined): void {
    if (event.type !== 'TileSearched' || open === undefined) return;
    const { queries, covers } = this.#history!.state;
    const stage = queries.stageOf(open);
    const query = begun(stage, open);
    const tiles = tileReports(stage, query, event, covers.leftBy(query), query.walk.items + event.rows, []);
    if (tiles.length === 0) return;
    const sketch = this.#tiles.get(stage.name) ?? new MapSketch();
    this.#tiles.set(stage.name, sketch);
    for (const tile of tiles) sketch.add(tile);
  }

  #begin(record: Extract<JournalRecord, { type: 'flow' }>): void {
    this.#flowRecord = record;
    if (record.definition === undefined) return;
    try {
      this.#flow = { ...this.#compiled(record.definition, record.from).at(record.at), digest: record.digest };
      this.#history = new RunHistory(this.#flow, this.path);
    } catch (error) {
      const [because] = messageOf(error).split('\n');
      this.#fault =
        `The stages can't be shown, because the flow can't be read here: ${because}. If it has a service of its own, add ` +
        `--service FILE.`;
    }
  }

  /** Compiles the flow as far as showing it needs. It reads no seeds, no environment, and no service file beside the flow. */
  #compiled(given: FlowDefinition, from: string = '.'): Flow {
    const { service: _, ...definition } = given;
    const faults = formatFaults(definition).map(({ at, message }) => `${at.join('.')}: ${message}`);
    if (faults.length > 0) throw new FlowError(faults.join('; '));
    const service = serviceOf({}, this.#options.service);
    const unknown = Object.values(definition.stages).find((stage) => operationOf(service, stage) === undefined);
    if (unknown !== undefined) throw new FlowError(`no operation is called '${unknown.call}'`);
    return compileChecked(definition, {
      service,
      folder: resolve(outDirOf(this.#options.updates?.path ?? this.path), from),
      fileSystem: this.files,
      env: {},
    });
  }

  /** The drift and the accounts that a finished run has recorded. */
  #noted(): Pick<RunState, 'drift' | 'accounts'> {
    const { drift = [], accounts = [] } = readDataPackage(this.path, this.files)?.trawler ?? {};
    return { drift: drift as readonly DriftCount[], accounts: accounts as readonly AccountLeft[] };
  }
}

/** The folder that a run was made in. A run that was moved aside is in a folder inside of it: `old-1` or `damaged-1`. */
function outDirOf(path: string): string {
  return /^(old|damaged)-\d+$/.test(basename(path)) ? dirname(path) : path;
}
