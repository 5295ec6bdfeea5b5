import { isWanted } from '../../../operators/rowConditions.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowView, SeedsState } from '../core/FlowState.ts';
import { crc32 } from 'node:zlib';
import type { FileSystem } from '../../sinks/index.ts';
import { FlowError } from '../../errors/index.ts';
import { bindQueries, keptColumns, unlessOf } from '../query/bindQueries.ts';
import type { TileState } from '../split/StageSplit.ts';
import { isFilled, valueAt } from '../../../operators/kit/path.ts';
import { type FoundQuery, queryKey } from '../core/Query.ts';
import { readSeeds } from './readSeeds.ts';

const batch = 64;

/** The seeds of all root stages, one stage after the other, read a few at a time. */
export class SeedQueue {
  #readers: SeedReader[];
  readonly #stdin: NodeJS.ReadableStream | undefined;
  readonly #first: number;
  busy = false;
  /** There are seeds that this run doesn't take, because it takes only the first ones. */
  hasRest: boolean = false;

  /** `first`: the limit of queries of each stage in this run. */
  constructor(flow: Flow, state: FlowView, stdin: NodeJS.ReadableStream | undefined, first: number = Infinity) {
    const { seeds } = state;
    const unread = flow.stages.filter(({ name }) => seeds.get(name)?.ended === false);
    this.#readers = unread.map((stage) => new SeedReader(stage, seeds.get(stage.name)!, flow.fileSystem, stdin));
    this.#stdin = unread.some((stage) => stage.seeds === '-') ? (stdin ?? process.stdin) : undefined;
    this.#first = first;
    for (const reader of this.#readers) if (reader.position >= first) this.#leave(reader);
  }

  /** Some seeds may not be read yet. */
  get left(): boolean {
    return this.#readers.length > 0;
  }

  /** Reads more seeds, unless it is reading already. `take` gets the seeds, `failed` gets the error. */
  pull(take: (stage: FlowStage, batch: SeedBatch) => void, failed: (error: unknown) => void): void {
    const [reader] = this.#readers;
    if (reader === undefined || this.busy) return;
    this.busy = true;
    reader.next(Math.min(batch, this.#first - reader.position)).then(
      (read) => {
        this.busy = false;
        if (read.ended) this.#readers = this.#readers.filter((one) => one !== reader);
        else if (read.position >= this.#first) this.#leave(reader);
        take(reader.stage, read);
      },
      (error: unknown) => {
        this.busy = false;
        failed(error);
      },
    );
  }

  #leave(reader: SeedReader): void {
    this.#readers = this.#readers.filter((one) => one !== reader);
    this.hasRest = true;
    void reader.close();
  }

  /** Closes the files. It doesn't wait for standard input, which may stay silent, and that keeps no process alive. */
  close(): void {
    for (const reader of this.#readers) void reader.close();
    if (this.busy && this.#stdin !== undefined && 'unref' in this.#stdin && typeof this.#stdin.unref === 'function') this.#stdin.unref();
  }
}

export interface SeedBatch extends SeedsState {
  /** Rows that make no query, since the last batch. */
  readonly unused: number;
  readonly found: readonly FoundQuery[];
}

/** Reads the queries of a root stage in order, a few at a time: from its seed file, or from its constants. */
export class SeedReader {
  readonly stage: FlowStage;
  readonly #from: SeedsState;
  readonly #queries: AsyncGenerator<FoundQuery, void, undefined>;
  /** The next query, read ahead. */
  #ahead: Promise<IteratorResult<FoundQuery, void>> | undefined;
  #position = 0;
  #crc = 0;
  #unused = 0;

  /** Resumes after `from`. The earlier seeds are read again and must be the same. */
  constructor(stage: FlowStage, from: SeedsState, fileSystem: FileSystem, stdin?: NodeJS.ReadableStream) {
    this.stage = stage;
    this.#from = { ...from };
    this.#queries = this.#candidates(fileSystem, stdin);
  }

  /** How many queries were taken, by earlier runs too. */
  get position(): number {
    return Math.max(this.#position, this.#from.position);
  }

  async next(limit: number): Promise<SeedBatch> {
    while (this.#position < this.#from.position) {
      if ((await this.#take()) === undefined || (this.#position === this.#from.position && this.#crc !== this.#from.crc)) {
        throw new FlowError(
          `stage ${this.stage.name}: the first ${this.#from.position} seeds aren't those that the run began with. Put the file back as ` +
            `it was, or start over with fresh; seeds may only be added at the end`,
        );
      }
      this.#unused = 0; // counted before
    }
    const found: FoundQuery[] = [];
    while (found.length < limit) {
      const query = await this.#take();
      if (query === undefined) return this.#batch(found, true);
      found.push(query);
    }
    const batch = this.#batch(found, false);
    if (this.stage.seeds === '-') return batch; // don't read ahead: standard input may stay silent
    this.#ahead = this.#queries.next();
    const ended = await this.#ahead.then(
      ({ done }) => done === true,
      () => false, // whoever takes it reports the error
    );
    return ended ? { ...batch, ended, unused: batch.unused + this.#unused } : batch;
  }

  #batch(found: readonly FoundQuery[], ended: boolean): SeedBatch {
    const unused = this.#unused;
    this.#unused = 0;
    return { position: this.#position, crc: this.#crc, ended, unused, found };
  }

  /** Closes the file after the current read. */
  async close(): Promise<void> {
    await this.#queries.return().catch(() => undefined);
  }

  async #take(): Promise<FoundQuery | undefined> {
    const { value, done } = await (this.#ahead ?? this.#queries.next());
    this.#ahead = undefined;
    if (done === true || value === undefined) return undefined;
    this.#position += 1;
    this.#crc = crc32(queryKey(this.stage, value.params), this.#crc);
    return value;
  }

  async *#candidates(fileSystem: FileSystem, stdin: NodeJS.ReadableStream | undefined): AsyncGenerator<FoundQuery, void, undefined> {
    const { stage } = this;
    if (stage.seeds === undefined) {
      for (const params of bindQueries(stage, {})) yield { stage: stage.name, params, kept: keptColumns(stage, {}, params) };
      return;
    }
    for await (const row of readSeeds(stage.seeds, fileSystem, stdin)) {
      if (isBlank(row)) {
        this.#unused += 1;
        continue;
      }
      if (!isWanted(row, stage.when)) continue;
      const tile = areaIn(stage, row);
      const unless = stage.since && unlessOf(stage.since, row);
      const own = { stage: stage.name, unless, ...(tile === undefined ? {} : { tile }) };
      let made = 0;
      for (const params of bindQueries(stage, row)) {
        made += 1;
        yield { ...own, params, kept: keptColumns(stage, row, params) };
      }
      if (made === 0) this.#unused += 1;
    }
  }
}

/** Whether all fields of a row are empty, as in rows that spreadsheets leave at the end. Such a row makes no query. */
function isBlank(row: object): boolean {
  return Object.values(row).every((value) => (typeof value === 'string' ? value.trim() === '' : !isFilled(value)));
}

/** The area to cover, as a row gives it. */
function areaIn({ split }: FlowStage, row: object): TileState | undefined {
  if (split?.kind !== 'area' || split.from?.kind !== 'field') return undefined;
  const value = valueAt(row, split.from.path);
  const area = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  split.areaOf(area); // throws here, and stops the run, if the area is wrong
  return { area };
}
