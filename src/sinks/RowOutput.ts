import type { Hash } from 'node:crypto';
import { SinkError } from '../errors/index.ts';
import { decompressed, type Compression } from './compression.ts';
import {
  type FileReport,
  joinRemarks,
  type Remarks,
  type RowEncoder,
  type Leftover,
  type OutputFile,
  type OutputPosition,
} from './OutputFile.ts';
import { PartFile, type PartOutlet } from './PartFile.ts';

const headBytes = 64 * 1024;

/** Where the bytes of an output go: a `.part` file or a stream. */
export interface OutputTarget {
  /** The name of the unfinished file. */
  readonly part: string;
  readonly file: PartOutlet;
  /** Position where writing continues. */
  readonly start: OutputPosition;
  /** Hash of everything before `start`. */
  readonly hash: Hash;
  /** Approximate size of a chunk. @default PartFile's */
  readonly chunkBytes?: number;
  /** Resolves with an error when nothing more can be written. @default only a failed write tells */
  readonly lost?: Promise<Error>;
  /** The first bytes of the rows that are there already, at most `size`. */
  head(size: number): Buffer;
  /** Makes the name of the `.part` file safe from a power cut. Called once, after the first commit. */
  syncName(): Promise<void>;
  /** Builds the file from its rows, the first `bytes` of the `.part` file. @default the `.part` file is the file */
  assemble?(bytes: number): Promise<Pick<FileReport, 'bytes' | 'sha256'> & Remarks>;
  /** Gives the finished file its name. */
  publish(): Promise<void>;
  /** Ends a write that hangs, with an error. @default no write hangs */
  stop?(): void;
  /** The closed file stays unfinished, with this number of rows. Removes an empty one. Returns whether a file is left. */
  leave(rows: number): boolean;
  /** Lets others write to the path. Called last. */
  release(): void;
}

interface RowOutputOptions {
  /** @default none */
  readonly compression?: Compression | undefined;
  /** What the report says of the rows before `start`. @default nothing */
  readonly before?: Remarks | undefined;
}

/** Encodes rows, one at a time, and writes them to one target. */
export class RowOutput implements OutputFile {
  readonly path: string;
  readonly #encoder: RowEncoder;
  readonly #target: OutputTarget;
  readonly #options: RowOutputOptions;
  readonly #part: PartFile;
  /** The first rows, which wait until the encoder can write the beginning of the file. undefined once it is written. */
  #held: unknown[] | undefined = [];
  #state: 'open' | 'sealed' | 'finished' | 'aborted' = 'open';
  #syncingName: Promise<void> | undefined;
  #sealing: Promise<FileReport> | undefined;
  /** `seal` was called. The caller may have recorded the report, so the file stays after an abort, even without rows. */
  #isReported = false;
  #publishing: Promise<void> | undefined;

  constructor(path: string, encoder: RowEncoder, target: OutputTarget, options: RowOutputOptions = {}) {
    this.path = path;
    this.#encoder = encoder;
    this.#target = target;
    this.#options = options;
    this.#part = new PartFile(target.part, target.file, { ...target, ...options });
  }

  get rows(): number {
    return this.#part.rows + (this.#held?.length ?? 0);
  }

  get backlog(): number {
    return this.#part.bytes - this.#part.good.bytes;
  }

  get backlogRows(): number {
    return this.#part.rows - this.#part.good.rows;
  }

  get bytes(): number {
    return this.#part.bytes;
  }

  write(row: unknown): void {
    if (this.#state !== 'open') throw new SinkError(`${this.path} takes no more rows: it is ${this.#state}`);
    if (this.#held !== undefined) return this.#hold(row, this.#held);
    this.#encoder.encode(row, this.#part.buffer);
    this.#part.added(1);
  }

  #hold(row: unknown, held: unknown[]): void {
    if (this.#part.bytes > 0) {
      this.#encoder.resumeFrom?.(row, decompressed(this.#target.head(headBytes), this.#options.compression).toString('utf8'));
      this.#held = undefined;
      return this.write(row);
    }
    const wait = this.#encoder.wait?.(row) === true;
    held.push(row);
    if (!wait) this.#begin(false);
  }

  /** Writes the beginning of the file and the waiting rows. `ended`: no more rows come. */
  #begin(ended: boolean): void {
    const rows = this.#held;
    if (rows === undefined || (!ended && rows.length === 0)) return;
    this.#held = undefined;
    this.#encoder.begin?.(rows, this.#part.buffer, ended);
    for (const row of rows) {
      this.#encoder.encode(row, this.#part.buffer);
      this.#part.added(1);
    }
  }

  async flush(): Promise<void> {
    await this.#part.flush();
  }

  async commit(): Promise<OutputPosition & { readonly sha256: string }> {
    this.#begin(false);
    const remarks = this.#remarks();
    const position = await this.#part.commit();
    await (this.#syncingName ??= this.#target.syncName());
    return Object.keys(remarks).length === 0 ? position : { ...position, remarks };
  }

  flushNow(): OutputPosition | undefined {
    if (this.#held !== undefined && this.#held.length > 0) return undefined;
    const remarks = this.#remarks();
    const position = this.#part.flushNow();
    return position === undefined || Object.keys(remarks).length === 0 ? position : { ...position, remarks };
  }

  #remarks(): Remarks {
    return joinRemarks([this.#options.before ?? {}, this.#encoder.remarks?.() ?? {}]);
  }

  async seal(): Promise<FileReport> {
    this.#isReported = true;
    return this.#sealOnce();
  }

  async #sealOnce(): Promise<FileReport> {
    if (this.#state === 'aborted' || this.#state === 'finished') throw new SinkError(`${this.path} is ${this.#state}`);
    return (this.#sealing ??= this.#seal());
  }

  async #seal(): Promise<FileReport> {
    if (this.#part.bytes === 0) this.#begin(true);
    this.#state = 'sealed';
    const { bytes, rows, sha256 } = await this.commit();
    const made = (await this.#target.assemble?.(bytes)) ?? { bytes, sha256, ...this.#remarks() };
    return { path: this.path, rows, ...made };
  }

  async finish(): Promise<FileReport> {
    const report = await this.#sealOnce();
    if (this.#isAborted()) throw new SinkError(`${this.path} was aborted while it was finished`);
    await (this.#publishing ??= this.#target.publish());
    this.#state = 'finished';
    await this.#part.close();
    this.#target.release();
    return report;
  }

  #isAborted(): boolean {
    return this.#state === 'aborted';
  }

  async abort(): Promise<Leftover | undefined> {
    await this.#publishing?.catch(() => undefined); // publishing can't be stopped half-way
    if (this.#state === 'aborted' || this.#state === 'finished') return undefined;
    this.#state = 'aborted';
    const written = this.#writeRest();
    this.#target.stop?.();
    await Promise.allSettled([written, this.#sealing]);
    const whole = await this.#part.close();
    const { bytes, rows } = this.#part.good;
    const stays = this.#target.leave(this.#isReported ? Infinity : rows);
    this.#target.release();
    return stays ? { path: this.#part.path, bytes, rows, ...(whole ? {} : { torn: true }) } : undefined;
  }

  async #writeRest(): Promise<void> {
    this.#begin(false);
    await this.flush();
  }
}
