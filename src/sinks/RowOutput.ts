import type { Hash } from 'node:crypto';
import { SinkError } from '../errors/index.ts';
import { decompressed, type Compression } from './compression.ts';
import { type FileReport, joinRemarks, type Remarks, type RowEncoder } from './FileReport.ts';
import type { Leftover, OutputFile, OutputPosition } from './OutputFile.ts';
import { PartFile, type PartOutlet } from './PartFile.ts';

const headBytes = 64 * 1024;

/** Where the bytes of rows go, and what becomes of them. */
export interface Destination {
  /** The name of the unfinished file. */
  readonly part: string;
  readonly file: PartOutlet;
  /** Position where writing continues. */
  readonly start: OutputPosition;
  /** Hash of everything below `start`. */
  readonly hash: Hash;
  /** Approximate size of a chunk. @default PartFile's */
  readonly chunkBytes?: number;
  /** Why nothing more can be written, as soon as that is known. @default only a write can tell */
  readonly lost?: Promise<Error>;
  /** The first bytes of an existing file, up to a number. */
  head(size: number): Buffer;
  /** Called once, after the first commit: makes the part's name safe. */
  keep(): Promise<void>;
  /** Makes the file from its rows, the first `bytes` of the part. @default the part is the file */
  make?(bytes: number): Promise<Pick<FileReport, 'bytes' | 'sha256'> & Remarks>;
  /** Gives the finished file its name. */
  publish(): Promise<void>;
  /** Lets a write that hangs fail. @default a write ends by itself */
  stop?(): void;
  /** The closed file stays unfinished, with this number of rows. false if nothing of it is left. */
  leave(rows: number): boolean;
  /** Lets others write there. Called last. */
  release(): void;
}

interface RowOutputOptions {
  /** @default none */
  readonly compression?: Compression | undefined;
  /** What the report says of the rows before `start`. @default nothing */
  readonly before?: Remarks | undefined;
}

/** Rows on their way to one destination, encoded one at a time. */
export class RowOutput implements OutputFile {
  readonly path: string;
  readonly #encoder: RowEncoder;
  readonly #destination: Destination;
  readonly #options: RowOutputOptions;
  readonly #part: PartFile;
  /** The first rows, which wait until the encoder knows the head of the file. undefined once the file has its head. */
  #held: unknown[] | undefined = [];
  #state: 'open' | 'sealed' | 'finished' | 'aborted' = 'open';
  #keeping: Promise<void> | undefined;
  #sealing: Promise<FileReport> | undefined;
  /** Somebody may have recorded the report of the sealed file, so it stays, also without rows. */
  #isReported = false;
  #publishing: Promise<void> | undefined;

  constructor(path: string, encoder: RowEncoder, destination: Destination, options: RowOutputOptions = {}) {
    this.path = path;
    this.#encoder = encoder;
    this.#destination = destination;
    this.#options = options;
    this.#part = new PartFile(destination.part, destination.file, { ...destination, ...options });
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

  /** Of the part, with rows that still wait counted as text. */
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
      this.#encoder.resumeFrom?.(row, decompressed(this.#destination.head(headBytes), this.#options.compression).toString('utf8'));
      this.#held = undefined;
      return this.write(row);
    }
    const wait = this.#encoder.wait?.(row) === true;
    held.push(row);
    if (!wait) this.#begin(false);
  }

  /** Writes the head of the file and the waiting rows. `ended`: no more rows come. */
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
    await (this.#keeping ??= this.#destination.keep());
    return Object.keys(remarks).length === 0 ? position : { ...position, remarks };
  }

  commitNow(): OutputPosition | undefined {
    if (this.#held !== undefined && this.#held.length > 0) return undefined;
    const remarks = this.#remarks();
    const position = this.#part.commitNow();
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
    const made = (await this.#destination.make?.(bytes)) ?? { bytes, sha256, ...this.#remarks() };
    return { path: this.path, rows, ...made };
  }

  async finish(): Promise<FileReport> {
    const report = await this.#sealOnce();
    if (this.#isAborted()) throw new SinkError(`${this.path} was aborted while it was finished`);
    await (this.#publishing ??= this.#destination.publish());
    this.#state = 'finished';
    await this.#part.close();
    this.#destination.release();
    return report;
  }

  #isAborted(): boolean {
    return this.#state === 'aborted';
  }

  async abort(): Promise<Leftover | undefined> {
    await this.#publishing?.catch(() => undefined); // too late to stop it half-way
    if (this.#state === 'aborted' || this.#state === 'finished') return undefined;
    this.#state = 'aborted';
    const written = this.#writeRest();
    this.#destination.stop?.();
    await Promise.allSettled([written, this.#sealing]);
    const whole = await this.#part.close();
    const { bytes, rows } = this.#part.good;
    const stays = this.#destination.leave(this.#isReported ? Infinity : rows);
    this.#destination.release();
    return stays ? { path: this.#part.path, bytes, rows, ...(whole ? {} : { torn: true }) } : undefined;
  }

  /** The part has all rows that came. */
  async #writeRest(): Promise<void> {
    this.#begin(false);
    await this.flush();
  }
}
