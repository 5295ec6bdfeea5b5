import { parsedJson } from '../../../operators/kit/parsedJson.ts';
import { readBlocks, writeAll } from '../../files/blocks.ts';
import { linesAt, Loader, RowPrefix, type RejectedRow } from '../../sinks/destination/Loader.ts';
import type { RowDestination, DestinationTable, OpenFile, LoadPosition } from '../../sinks/index.ts';
import { type FlowFolder, rejectedFile } from '../state/FlowFolder.ts';
import { openRows, readLines } from '../state/readRows.ts';

interface StageLoadOptions {
  readonly folder: FlowFolder;
  readonly rejected: RejectedRows;
  /** Bytes of the rows that are committed. */
  readonly committed: () => number;
  readonly signal: AbortSignal;
  readonly away: (to: string, message: string) => void;
  readonly back: (to: string) => void;
  /** Rows were loaded. */
  readonly loaded: () => void;
}

/** The limit of bytes in one transaction. */
const rangeBytes = 4 << 20;

export class StageLoad {
  readonly to: string;
  readonly table: DestinationTable;
  /** Rows that the destination can't hold. */
  rejected = 0;
  readonly #options: StageLoadOptions;
  readonly #loader: Loader;
  #file: OpenFile | undefined;
  #prefix: RowPrefix | undefined;
  /** The byte up to which it loads. undefined: not known yet. */
  #end: number | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(to: string, table: DestinationTable, destination: RowDestination, options: StageLoadOptions) {
    this.to = to;
    this.table = table;
    this.#options = options;
    this.#loader = new Loader(destination, table, {
      prefixAt: (position) => this.#prefixAt(position),
      reject: async (rows) => {
        await options.rejected.add(table.stage, to, rows);
        this.rejected += rows.length;
      },
      forget: async (from) => {
        this.rejected = await options.rejected.cut(table.stage, to, from);
      },
      away: ({ message }) => options.away(to, message),
      back: () => options.back(to),
      signal: options.signal,
    });
  }

  /** Committed bytes that aren't loaded. */
  get waiting(): number {
    return Math.max(0, (this.#end ?? this.#options.committed()) - (this.#prefix?.bytes ?? 0));
  }

  /** Opens the destination. With `patient` it may be away for now. */
  async open(patient: boolean): Promise<void> {
    if (this.#prefix !== undefined) return;
    this.#prefix = await this.#loader.open(patient);
  }

  /** Loads the rows up to this byte. */
  loadTo(end: number): Promise<void> {
    this.#end = end;
    const work = this.#work.then(async () => {
      await this.open(true);
      while (this.#prefix!.bytes < end) {
        const bytes = await linesAt(this.#rows(), this.#prefix!.bytes, end, rangeBytes);
        this.#prefix = await this.#loader.load(bytes, this.#prefix!);
        this.#options.loaded();
      }
    });
    this.#work = work.catch(() => undefined);
    return work;
  }

  remove(rows: readonly object[]): Promise<void> {
    return this.#loader.remove(rows.map((row) => JSON.stringify(row)));
  }

  finish(): Promise<void> {
    return this.#loader.finish();
  }

  async close(): Promise<void> {
    await this.#loader.close();
    await this.#work;
    this.#file?.close();
  }

  /** The rows up to a position that the destination remembers, if they are the ones on disk. */
  async #prefixAt({ bytes: position, digest }: LoadPosition): Promise<RowPrefix | undefined> {
    if (position > (this.#end ?? this.#options.committed())) return undefined;
    let prefix = RowPrefix.start();
    if (position > 0) for await (const block of readBlocks(this.#rows(), position)) prefix = prefix.with(block);
    return prefix.digest === digest ? prefix : undefined;
  }

  #rows(): OpenFile {
    return (this.#file ??= openRows(this.#options.folder, this.table.file)!);
  }
}

interface Line {
  readonly stage: string;
  readonly to: string;
  readonly at: number;
}

/** The rows of a run that its destinations can't hold: `rejected.jsonl`, with the reason of each. */
export class RejectedRows {
  readonly #folder: FlowFolder;
  /** One change of the file at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: FlowFolder) {
    this.#folder = folder;
  }

  /** Drops what follows a position, because it is loaded again. Returns how many rows stay. */
  cut(stage: string, to: string, position: number): Promise<number> {
    return this.#inTurn(async () => {
      const file = openRows(this.#folder, rejectedFile);
      if (file === undefined) return 0;
      const kept: string[] = [];
      let own = 0;
      for await (const { bytes, whole } of readLines(file)) {
        const text = bytes.toString();
        const line = whole ? (parsedJson(text) as Line | undefined) : undefined;
        if (line === undefined) continue; // a crash cut it off, or tore it: it was never synced, so it is loaded again
        const isOwn = line.stage === stage && line.to === to;
        if (isOwn && line.at >= position) continue;
        if (isOwn) own += 1;
        kept.push(`${text}\n`);
      }
      file.close();
      if (kept.length === 0) await this.#folder.remove(rejectedFile);
      else await this.#folder.replace(rejectedFile, kept);
      return own;
    });
  }

  /** Adds rows. They are on disk when this returns. */
  add(stage: string, to: string, rows: readonly RejectedRow[]): Promise<void> {
    return this.#inTurn(async () => {
      const { fileSystem } = this.#folder;
      const path = this.#folder.at(rejectedFile);
      const isNew = fileSystem.stat(path) === undefined;
      const file = fileSystem.open(path, isNew ? 'wx' : 'r+', 0o600);
      try {
        const text = rows.map(({ at, line, reason }) => `${JSON.stringify({ stage, to, at, reason }).slice(0, -1)},"row":${line}}\n`);
        await writeAll(file, Buffer.from(text.join('')), file.size());
        await file.datasync();
        if (isNew) await this.#folder.syncName(rejectedFile);
      } finally {
        file.close();
      }
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
