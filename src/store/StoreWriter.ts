import { basename } from 'node:path';
import type { SinkError } from '../errors/index.ts';
import { makeFolders } from '../files/publish.ts';
import { sinkFailure, tryOnDisk } from '../files/FileSystem.ts';
import { SegmentWriter } from './SegmentWriter.ts';
import type { StoreFolder } from './StoreFolder.ts';
import { encodeInfo } from './warcRecord.ts';

interface StoreWriterOptions {
  readonly segmentBytes: number;
  readonly syncMs: number;
  /** What was taken by itself, without `sync`, is safe. */
  readonly synced: () => void;
  /** What was taken until now is about to be written. It calls the function that this returns when others can read it. */
  readonly writing: () => () => void;
  /** Somebody has removed the segment that it wrote to. */
  readonly lost: (segment: number) => void;
}

const writeMs = 50;

/** The segments that one process writes: all that they take is written soon, in one go, and is safe after `syncMs`. */
export class StoreWriter {
  readonly #files: StoreFolder;
  readonly #options: StoreWriterOptions;
  #current: SegmentWriter | undefined;
  /** Segments that are full: written out and closed by the next sync. */
  #full: SegmentWriter[] = [];
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  /** Folders with new names that aren't safe from a power cut yet. */
  readonly #changed: string[] = [];
  #failure: SinkError | undefined;

  constructor(files: StoreFolder, options: StoreWriterOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** Why nothing more is written. */
  get failure(): SinkError | undefined {
    return this.#failure;
  }

  /** Bytes waiting to be written. */
  get backlog(): number {
    return this.#all.reduce((sum, writer) => sum + writer.backlog, 0);
  }

  /** The segment that takes what comes at this time; it is written soon. */
  take(at: number): SegmentWriter {
    if (this.#current !== undefined && this.#current.end >= this.#options.segmentBytes) {
      this.#full.push(this.#current);
      this.#current = undefined;
    }
    if (this.#current?.isThere === false) {
      const { number } = this.#current;
      this.#current.close(false);
      this.#current = undefined;
      this.#options.lost(number);
    }
    this.#current ??= this.#open(at);
    this.#timer ??= setTimeout(() => this.#tick(performance.now()), writeMs);
    return this.#current;
  }

  /** The writer of a segment that isn't closed yet. */
  of(segment: number): SegmentWriter | undefined {
    return this.#all.find((writer) => writer.number === segment);
  }

  /** Resolves when everything taken until now is safe. Never rejects: see `failure`. */
  async sync(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#queue(() => this.#sync());
  }

  /** Closes its files, once nothing is being written to them. */
  close(): Promise<void> {
    return (this.#work = this.#work.then(() => {
      this.#current?.close(this.#failure === undefined);
      this.#current = undefined;
    }));
  }

  /** Writes nothing more. */
  fail(error: unknown): void {
    this.#failure ??= sinkFailure(this.#files.path, 'storing responses', error);
    for (const writer of this.#all) tryOnDisk(() => writer.close(false));
  }

  get #all(): readonly SegmentWriter[] {
    return this.#current === undefined ? this.#full : [this.#current, ...this.#full];
  }

  #open(at: number): SegmentWriter {
    this.#changed.push(...makeFolders(this.#files.path, this.#files.fileSystem));
    const writer = SegmentWriter.open(this.#files);
    writer.add(encodeInfo(basename(this.#files.segment(writer.number)), at), false);
    return writer;
  }

  #tick(since: number): void {
    this.#timer = undefined;
    const last = performance.now() - since >= this.#options.syncMs;
    const work = this.#queue(() => (last ? this.#sync() : this.#write()));
    void work.then(() => {
      if (last) this.#options.synced();
      else if (this.#failure === undefined) this.#timer ??= setTimeout(() => this.#tick(since), writeMs);
    });
  }

  /** Runs one after the other. Never rejects. */
  #queue(work: () => Promise<void>): Promise<void> {
    return (this.#work = this.#work.then(async () => {
      if (this.#failure !== undefined) return;
      try {
        await work();
      } catch (error) {
        this.fail(error);
      }
    }));
  }

  async #write(): Promise<void> {
    const written = this.#options.writing();
    for (const writer of this.#full) await writer.write();
    if (this.#current !== undefined && this.#current.backlog > 0) await this.#current.write();
    written();
  }

  async #sync(): Promise<void> {
    await this.#write();
    for (const folder of this.#changed.splice(0)) await this.#files.fileSystem.syncFolder(folder);
    const full = this.#full;
    for (const writer of full) {
      await writer.sync();
      writer.close(true);
    }
    this.#full = this.#full.filter((writer) => !full.includes(writer));
    await this.#current?.sync();
  }
}
