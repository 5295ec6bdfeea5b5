import { FlowError, TrawlerError } from '../../src/errors/index.ts';
import { exportStore } from '../../src/store/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import type { MemoryDisk } from '../disk/MemoryDisk.ts';
import { Broken } from './Broken.ts';
import { committedPages } from './committedPages.ts';
import { RequestRules } from './RequestRules.ts';
import { progressOf, RowRules } from './RowRules.ts';
import { RunFolder } from './RunFolder.ts';
import type { Ended } from './runWorld.ts';
import type { SimulatedProcess } from './SimulatedProcess.ts';
import type { Sent, SimulatedService } from './SimulatedService.ts';
import type { Simulation } from './Simulation.ts';
import { SummaryRules } from './SummaryRules.ts';
import type { Run, World } from './World.ts';
import { stageName } from './worldFlow.ts';
import { operationName } from './worldService.ts';

/** Where all worlds keep responses. */
export const storeFolder = '/sim/responses';

interface WorldRulesOptions {
  readonly world: World;
  readonly service: SimulatedService;
  readonly simulation: Simulation;
  readonly disk: () => MemoryDisk;
}

/** What must be true of every world, checked while it runs and at each end. */
export class WorldRules {
  /** The last run that ended had nothing left to do, and none began since. */
  isSettled = false;
  /** The power was cut, which may take what wasn't synced, and nobody has resumed since. */
  powerWasCut = false;
  /** A rule that was broken where nobody could be told: the client would take an error for the service's. */
  broken: Broken | undefined;
  readonly #options: WorldRulesOptions;
  readonly #folder: RunFolder;
  readonly #rows: RowRules;
  readonly #summary: SummaryRules;
  #requests: RequestRules | undefined;
  /** The files of the last run that had nothing left to do, and those that must not change now. */
  #settled: ReadonlyMap<string, string> = new Map();
  #finished: ReadonlyMap<string, string> = new Map();
  /** The files of the run that has just ended. */
  #safe: ReadonlyMap<string, string> = new Map();
  /** The latest time at which a response can have been stored before somebody set the clock. */
  #storedAt = -Infinity;
  /** An update began while the clock said that this is still to come. It takes such responses for its own. */
  #isTimeless = false;

  constructor(options: WorldRulesOptions) {
    const { world, service, disk } = options;
    this.#options = options;
    this.#folder = new RunFolder(world, disk);
    this.#rows = new RowRules(world, service, this.#folder);
    this.#summary = new SummaryRules(world, this.#folder);
  }

  begins(run: Run): void {
    const { world, service } = this.#options;
    const isPlain = run.update !== true && run.failures !== true;
    const committed = isPlain
      ? committedPages(this.#folder.read('.trawler/journal.jsonl') ?? '', inJournal(world), this.powerWasCut)
      : undefined;
    this.#requests = new RequestRules(world, service, run, committed);
    this.#finished = isPlain && this.isSettled ? this.#settled : new Map();
    if (!isPlain && this.#options.simulation.wall <= this.#storedAt) this.#isTimeless = true;
    if (this.#isTimeless) this.#rows.tookOlder();
    this.#rows.begins(run);
    this.#summary.begins();
    this.isSettled = false;
    this.#safe = new Map();
  }

  /** The files name queries that failed or are short, or an update that isn't finished may know of some. */
  get hasFailures(): boolean {
    return this.#folder.failures().size > 0 || this.#folder.hasUpdate;
  }

  requested(process: SimulatedProcess, sent: Sent): void {
    this.powerWasCut = false; // what the process found is synced
    try {
      this.#requests!.check(process, sent);
    } catch (error) {
      this.broken ??= error as Broken;
    }
  }

  /** A day passed while a process ran. */
  dayPassed(): void {
    this.#rows.dayPassed();
  }

  /** A good response has come. */
  came(sent: Sent): void {
    this.#requests?.came(sent);
  }

  /** Somebody is about to set the clock. */
  clockMoves(): void {
    const { world, simulation } = this.#options;
    if (world.store === true) this.#storedAt = Math.max(this.#storedAt, simulation.wall);
  }

  /** Throws what was broken in a callback, or an error that nobody caught. */
  noStray(): void {
    if (this.broken !== undefined) throw this.broken;
    const [stray] = this.#options.simulation.stray;
    if (stray !== undefined) throw new Broken('stray error', String((stray as Error).stack));
  }

  ends(process: SimulatedProcess, run: Run, ended: Ended): void {
    this.#checkLeft(process, ended);
    for (const [file, text] of this.#finished)
      if (this.#folder.read(file) !== text) throw new Broken('finished file', `${file} has changed`);
    if (ended.kind === 'error' && !isReason(ended.error, run)) throw new Broken('reason', String((ended.error as Error).stack));
    if (ended.kind !== 'summary') return;
    const { summary } = ended;
    if (summary.requests > process.requests) throw new Broken('counts', `${summary.requests} requests of ${process.requests}`);
    if (summary.outcome === 'interrupted' && summary.because === undefined) throw new Broken('reason', 'interrupted without a reason');
    this.#summary.checkFiles(summary);
    if (summary.outcome === 'interrupted') return;
    this.isSettled = summary.update !== true || summary.changes !== undefined;
    this.#settled = this.#safe = this.#folder.finished();
    this.#rows.ends(run, summary);
    this.#summary.ends(run, summary);
  }

  /** The power was lost when nothing ran. */
  lostPower(): void {
    for (const [file, text] of this.#safe)
      if (this.#folder.read(file) !== text) throw new Broken('power', `${file} isn't what it was before the power was lost`);
  }

  /** A second process wanted the folder that a first one has. */
  competed(ended: Ended | undefined): void {
    if (ended?.kind === 'error' && (ended.error as Error).name === 'BusyError') return;
    const what = ended === undefined ? 'waits' : ended.kind === 'error' ? String(ended.error) : 'ran';
    throw new Broken('two processes', `the second one ${what}`);
  }

  /** After a run, a run of failures and an update without any trouble. */
  async atLast(ended: Ended): Promise<void> {
    if (ended.kind !== 'summary') throw new Broken('ends', `the last update: ${ended.kind === 'error' ? String(ended.error) : ended.kind}`);
    const { world } = this.#options;
    for (const [number, { operation, pages, limit, split, until, expect }] of world.stages.entries()) {
      const { name, outcome, done, failed, empty = 0, rows } = progressOf(ended.summary, number);
      const { claims = 0 } = world.operations[operation]!;
      const mayBeCapped = split !== undefined || pages !== undefined || limit !== undefined;
      if (this.#isTimeless) continue; // stored pages of several days don't fit together
      // Such a stage has no rows at all, so perhaps its queries are wrong.
      const gaveNothing = done > 0 && failed === 0 && (split === undefined && until === undefined ? empty === done : rows === 0);
      if (outcome === (gaveNothing ? 'complete' : 'doubtful') && expect !== true)
        throw new Broken('outcome', `${name} is ${outcome}, and ${empty} of ${done} queries gave no rows`);
      const isGood =
        outcome === 'complete' || outcome === 'doubtful' || (outcome === 'short' && claims > 0) || (outcome === 'capped' && mayBeCapped);
      if (!isGood) throw new Broken('outcome', `${name} is ${outcome} after an update without any trouble`);
    }
    await this.#checkStore();
  }

  /** Handles and timers have come back. */
  #checkLeft(process: SimulatedProcess, ended: Ended): void {
    const { name, openFiles, inFlight, waiting } = process;
    if (openFiles.length > 0) throw new Broken('open files', `${openFiles.join(', ')} at the end of ${name}`);
    if (inFlight !== 0) throw new Broken('in flight', `${inFlight} requests at the end of ${name}`);
    // A stream may read ahead, and an error doesn't wait for what is being synced.
    const expected = waiting.reads + (ended.kind === 'error' ? waiting.syncs : 0);
    const timers = this.#options.simulation.held(process) - expected;
    if (timers > 0) throw new Broken('timers', `${timers} at the end of ${name}`);
  }

  /** What a store holds is what was sent. */
  async #checkStore(): Promise<void> {
    const { world, disk, service } = this.#options;
    if (world.store !== true) return;
    const fileSystem = new MemoryFileSystem(disk());
    if (fileSystem.stat(storeFolder) === undefined) return;
    const sent = new Set(service.sent.map(({ operation, body }) => `${operationName(operation)} ${body}`));
    for await (const { operation, body } of exportStore(storeFolder, fileSystem))
      if (!sent.has(`${operation} ${JSON.stringify(body)}`))
        throw new Broken('store', `${operation} was never sent ${JSON.stringify(body)}`);
  }
}

/** The names of the stages in the order that a journal counts them: those of queries of their own first. */
function inJournal({ stages }: World): readonly string[] {
  const depth = (at: number): number => (stages[at]!.each === undefined ? 0 : 1 + depth(stages[at]!.each));
  return [...stages.keys()].toSorted((a, b) => depth(a) - depth(b)).map(stageName);
}

/** An error that says what happened: that of the disk, or that there was nothing to do. */
function isReason(error: unknown, { fate, failures }: Run): boolean {
  if (failures === true && error instanceof FlowError && error.message.includes('no run whose failures')) return true;
  if (fate.kind !== 'full' && fate.kind !== 'broken') return false;
  return error instanceof TrawlerError;
}
