import { TrawlerError } from '../../src/errors/index.ts';
import type { FlowSummary, StageProgress } from '../../src/flow/index.ts';
import type { MemoryDisk } from '../../src/testing/index.ts';
import { Broken } from './Broken.ts';
import { committedPages, type CommittedPages } from './committedPages.ts';
import type { Ended } from './runWorld.ts';
import type { SimulatedProcess } from './SimulatedProcess.ts';
import type { Sent, SimulatedService } from './SimulatedService.ts';
import type { Simulation } from './Simulation.ts';
import type { LifeStep, World, WorldOperation } from './World.ts';
import { ownKeys, stageName } from './worldFlow.ts';
import { parts, type WorldRow } from './WorldTruth.ts';

type Run = Extract<LifeStep, { readonly kind: 'run' }>;

interface WorldRulesOptions {
  readonly world: World;
  readonly service: SimulatedService;
  readonly simulation: Simulation;
  readonly disk: () => MemoryDisk;
  readonly outDir: string;
}

interface FailureLine {
  readonly stage: string;
  readonly query: { readonly key: string };
}

/** What must be true of every world, checked while it runs and at each end. */
export class WorldRules {
  readonly #options: WorldRulesOptions;
  /** The last run that ended had nothing left to do, and none began since. */
  isSettled = false;
  /** The day of the files. undefined: some rows are of a later one. */
  #day: number | undefined = 0;
  #wasFinished = false;
  #isUpdated = false;
  /** Only what failed on an earlier day is requested again. */
  #isPartial = false;
  #committed: CommittedPages | undefined;
  /** Good responses of the process that runs. */
  #paid = new Map<string, number>();
  #finished = new Map<string, string>();

  constructor(options: WorldRulesOptions) {
    this.#options = options;
  }

  begins(run: Run): void {
    const isPlain = run.update !== true && run.failures !== true;
    this.#committed = isPlain ? committedPages(this.#read('.trawler/journal.jsonl') ?? '') : undefined;
    this.#paid = new Map();
    this.#finished = isPlain && this.isSettled ? this.#files() : new Map();
    if (run.failures === true && this.#wasFinished && this.#day !== this.#options.service.day) this.#isPartial = true;
    this.isSettled = false;
  }

  /** The first rule that was broken where nobody could be told: the client would take an error for the service's. */
  broken: Broken | undefined;

  requested(process: SimulatedProcess, run: Run, sent: Sent): void {
    try {
      this.#checkRequest(process, run, sent);
    } catch (error) {
      this.broken ??= error as Broken;
    }
  }

  #checkRequest(process: SimulatedProcess, { maxRequests = Infinity, inFlight }: Run, sent: Sent): void {
    if (process.requests > maxRequests) throw new Broken('budget', `${process.requests} requests of ${maxRequests}`);
    if (process.inFlight > inFlight) throw new Broken('concurrency', `${process.inFlight} requests in flight of ${inFlight}`);
    const { world, service } = this.#options;
    const operation = world.operations[sent.operation]!;
    if (!isClean(world, operation)) return;
    const all = service.truth.visible(sent.operation, sent.key, service.day, sent.part, sent.address.includes('sort=new')).length;
    const isLooked = sent.from + operation.size >= all; // the end of a walk may be looked at twice
    const stage = stageName(world.stages.findIndex((one) => one.operation === sent.operation));
    const { pages = 0, ended = false } = this.#committed?.get(`${stage} ${sent.key} ${sent.part ?? ''}`) ?? {};
    const page = Math.ceil(sent.from / operation.size);
    if (ended || page < pages - (isLooked ? 1 : 0)) throw new Broken('paid twice', `${sent.address} was committed before`);
    const paid = this.#paid.get(sent.address) ?? 0;
    if (paid > (isLooked ? 1 : 0)) throw new Broken('paid twice', `${sent.address} brought a page to this process before`);
  }

  /** A good response has come. */
  paid(sent: Sent): void {
    this.#paid.set(sent.address, (this.#paid.get(sent.address) ?? 0) + 1);
  }

  /** Errors that nobody caught. */
  noStray(): void {
    if (this.broken !== undefined) throw this.broken;
    const [stray] = this.#options.simulation.stray;
    if (stray !== undefined) throw new Broken('stray error', String((stray as Error).stack));
  }

  ends(process: SimulatedProcess, ended: Ended): void {
    const { simulation } = this.#options;
    if (process.openFiles.length > 0) throw new Broken('open files', `${process.openFiles.join(', ')} at the end of ${process.name}`);
    if (process.inFlight !== 0) throw new Broken('in flight', `${process.inFlight} requests at the end of ${process.name}`);
    // A stream may read ahead, and an error doesn't wait for what is being synced.
    const { reads, syncs } = process.waiting;
    const timers = simulation.held(process) - reads - (ended.kind === 'error' ? syncs : 0);
    if (timers !== 0) throw new Broken('timers', `${timers} at the end of ${process.name}`);
    for (const [file, text] of this.#finished)
      if (this.#read(file) !== text) throw new Broken('finished file', `${file} has changed`);
    if (ended.kind === 'error' && !(ended.error instanceof TrawlerError) && !['ENOSPC', 'EIO'].includes((ended.error as { readonly code?: string }).code ?? ''))
      throw new Broken('reason', `${String((ended.error as Error).stack)}`);
    if (ended.kind !== 'summary') return;
    const { summary } = ended;
    if (summary.requests > process.requests) throw new Broken('counts', `${summary.requests} requests of ${process.requests}`);
    if (summary.outcome === 'interrupted') {
      if (summary.because === undefined) throw new Broken('reason', 'interrupted without a reason');
      return;
    }
    this.isSettled = summary.update !== true || summary.changes !== undefined;
    const { day } = this.#options.service;
    this.#wasFinished = true;
    if (!summary.already) this.#isUpdated = summary.update === true;
    if (!summary.already) this.#day = this.#isPartial ? undefined : day;
    this.#isPartial = false;
    this.#checkRows(summary);
  }

  competed(ended: Ended | undefined): void {
    if (ended?.kind === 'error' && (ended.error as Error).name === 'BusyError') return;
    if (ended?.kind === 'error' || ended === undefined) throw new Broken('two processes', `the second one ${ended === undefined ? 'waits' : String(ended.error)}`);
    if (ended.kind === 'summary') throw new Broken('two processes', `the second one ran: ${ended.summary.outcome}`);
  }

  /** After a run, a run of failures and an update without any trouble. */
  atLast(ended: Ended): void {
    if (ended.kind !== 'summary') throw new Broken('ends', `the last update: ${ended.kind === 'error' ? String(ended.error) : ended.kind}`);
    const { world } = this.#options;
    for (const [number, { operation, pages, limit, split }] of world.stages.entries()) {
      const stage = ended.summary.stages.find(({ name }) => name === stageName(number))!;
      const { claims = 0 } = world.operations[operation]!;
      const isGood = stage.outcome === 'complete' || (claims > 0 && stage.outcome === 'short') || ((split === true || pages !== undefined || limit !== undefined) && stage.outcome === 'capped');
      if (!isGood) throw new Broken('outcome', `${stage.name} is ${stage.outcome} after an update without any trouble`);
    }
  }

  /** The rows of a finished run against the truth. */
  #checkRows({ stages, outcome, already }: FlowSummary): void {
    const onRecord = new Set(
      lines(this.#read('failures.jsonl')).map((line) => {
        const { stage, query } = line as unknown as FailureLine;
        return `${stage} ${query.key}`;
      }),
    );
    const found = new Map<number, readonly WorldRow[]>();
    for (const [number, stage] of this.#options.world.stages.entries()) {
      const name = stageName(number);
      const rows = lines(this.#read(`${name}.jsonl`)) as unknown as readonly WorldRow[];
      found.set(number, rows);
      const keys = stage.each === undefined ? ownKeys(number, stage) : [...new Set(this.#presentRows(stage.each, found.get(stage.each)!).map((row) => row[stage.from ?? 'id']))];
      this.#checkStage(number, keys, rows, stages.find((one) => one.name === name)!, onRecord, stages, already);
    }
    const bad = stages.find((stage) => stage.outcome !== 'complete');
    if ((outcome === 'complete') !== (bad === undefined)) throw new Broken('outcome', `the run is ${outcome}, and ${bad?.name ?? 'no stage'} is ${bad?.outcome ?? 'incomplete'}`);
  }

  #checkStage(number: number, keys: readonly string[], rows: readonly WorldRow[], progress: StageProgress, onRecord: ReadonlySet<string>, all: readonly StageProgress[], isAlready: boolean): void {
    const { world, service } = this.#options;
    const { operation, pages, limit, split, since, gone, csv } = world.stages[number]!;
    const { truth } = service;
    const today = this.#day;
    const { name, outcome } = progress;
    const ids = new Map(rows.map((row) => [row.id, row]));
    if (ids.size < rows.length) throw new Broken('twice', `${name} has ${rows.length} rows with ${ids.size} ids`);
    if (csv === true) {
      const inCsv = (this.#read(`${name}.csv`) ?? '').split('\n').length - 2;
      if (inCsv !== rows.length && !(rows.length === 0 && inCsv <= 0)) throw new Broken('files', `${name}.csv has ${inCsv} rows, the .jsonl ${rows.length}`);
    }
    const [, one] = /^(\d+)\./.exec(rows[0]?.id ?? `${operation}.`)!;
    if (Number(one) !== operation) throw new Broken('invented', `${name} has rows of another operation`);
    for (const row of rows) {
      const key = keyOf(row.id);
      const versions = Array.from({ length: service.day + 1 }, (_, past) => truth.rowsOf(operation, key, past).find(({ id }) => id === row.id));
      if (!versions.some((version) => version !== undefined && JSON.stringify(version) === JSON.stringify(row)))
        throw new Broken('invented', `${name} has ${JSON.stringify(row)}`);
    }
    if (today === undefined || (this.#isUpdated && !this.#above(number).every((one) => this.#isWalked(one, all)))) return;
    const day = today;
    const isFree = pages === undefined && limit === undefined;
    const missing = new Map<string, number>();
    let expected = 0;
    for (const key of keys) {
      const narrow = split === true ? parts : [undefined];
      const wanted = new Set([undefined, ...narrow].flatMap((part) => truth.visible(operation, key, day, part, since === true).map(({ id }) => id)));
      expected += wanted.size;
      const lost = [...wanted].filter((id) => !ids.has(id)).length;
      if (lost > 0) missing.set(key, lost);
    }
    for (const [key, lost] of missing) {
      if (isFree && outcome === 'complete') throw new Broken('complete', `${name} is complete without ${lost} rows of ${key}`);
      if (isFree && !onRecord.has(`${name} ${key}`)) throw new Broken('lost', `${name} lacks ${lost} rows of ${key}, and no record says so`);
    }
    const { claims } = world.operations[operation]!;
    if (outcome === 'short' && !isAlready && !this.#isUpdated && claims === 0 && missing.size === 0) throw new Broken('short', `${name} is short with all of its ${expected} rows`);
    if (all.every((one) => one.outcome === 'complete') && isFree && gone === 'drop' && since !== true && split !== true && missing.size === 0 && rows.length !== expected)
      throw new Broken('gone', `${name} has ${rows.length} rows, and there are ${expected}`);
  }

  /** The rows that aren't gone: those that are kept all the same have nothing below them. */
  #presentRows(stage: number, rows: readonly WorldRow[]): readonly WorldRow[] {
    const { world, service } = this.#options;
    const { operation } = world.stages[stage]!;
    return rows.filter(({ id }) => service.truth.rowsOf(operation, keyOf(id), this.#day ?? 0).some((row) => row.id === id));
  }

  /** Whether an update requests all of a stage, so that it comes to all rows below. */
  #isWalked(number: number, all: readonly StageProgress[]): boolean {
    const { since, pages, limit } = this.#options.world.stages[number]!;
    const outcome = all.find(({ name }) => name === stageName(number))!.outcome;
    return since !== true && pages === undefined && limit === undefined && outcome === 'complete';
  }

  /** The numbers of the stages above one. */
  #above(number: number): readonly number[] {
    const { each } = this.#options.world.stages[number]!;
    return each === undefined ? [] : [each, ...this.#above(each)];
  }

  #read(file: string): string | undefined {
    const { disk, outDir } = this.#options;
    return disk().read(`${outDir}/${file}`)?.toString();
  }

  #files(): Map<string, string> {
    const { stages } = this.#options.world;
    const names = stages.flatMap((_, number) => [`${stageName(number)}.jsonl`, `${stageName(number)}.csv`]);
    return new Map(names.flatMap((name) => (this.#read(name) === undefined ? [] : [[name, this.#read(name)!]])));
  }
}

const keyOf = (id: string): string => id.slice(id.indexOf('.') + 1, id.lastIndexOf('.'));

function isClean({ outage }: World, { mishaps = [], claims = 0 }: WorldOperation): boolean {
  return outage === undefined && mishaps.length === 0 && claims === 0;
}

function lines(text: string | undefined): readonly object[] {
  return (text ?? '')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as object);
}
