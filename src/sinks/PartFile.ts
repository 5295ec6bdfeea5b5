import type { Hash } from 'node:crypto';
import { sha256, writeAll, writeAllSync } from '../files/blocks.ts';
import { SinkError } from '../errors/index.ts';
import { ByteBuffer } from '../files/ByteBuffer.ts';
import { type OpenFile, sinkFailure } from '../files/FileSystem.ts';
import { compressed, type Compression } from './compression.ts';
import type { OutputPosition } from './OutputFile.ts';

const usualChunkBytes = 256 * 1024;
const firstBytes = 2 * 1024;
const chunkRows = 500;
/** When this many bytes wait, they are written synchronously. A source with back-pressure never gets there. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** What a part file needs of an open file, or of a stream. */
export type PartOutlet = Pick<OpenFile, 'write' | 'writeSync' | 'datasync' | 'truncate' | 'close'>;

interface PartFileOptions {
  /** Position where writing begins. @default the beginning */
  readonly start?: OutputPosition | undefined;
  /** Hash of everything before `start`. @default a new one */
  readonly hash?: Hash | undefined;
  /** @default none */
  readonly compression?: Compression | undefined;
  /** Approximate size of a chunk. @default 256 KiB */
  readonly chunkBytes?: number | undefined;
  /** Resolves with an error when the file can't be written to any more. @default only a failed write tells */
  readonly lost?: Promise<Error> | undefined;
}

/** The bytes of whole rows, and where they go in the file. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly buffer: ByteBuffer;
  readonly from: OutputPosition;
  readonly to: OutputPosition;
}

/**
 * A file that is being written. Rows are gathered in chunks, which are compressed, hashed in order, and written in the background.
 * Each chunk is its own gzip member (or zstd frame), so a compressed file can be cut after any chunk too.
 *
 * A source without back-pressure may be faster than the disk. Once 4 MiB wait, chunks are written synchronously, so memory stays
 * flat. After the first failure nothing more is written.
 */
export class PartFile {
  readonly path: string;
  rows: number;
  /** Everything before this position is written, without a gap. */
  good: OutputPosition;
  readonly #file: PartOutlet;
  readonly #compression: Compression | undefined;
  readonly #hash: Hash;
  readonly #chunkBytes: number;
  readonly #spare: ByteBuffer[] = [];
  #buffer: ByteBuffer;
  #queue: Chunk[] = [];
  #writing: Chunk | undefined;
  #flight: Promise<void> | undefined;
  /** End of all chunks. */
  #end: OutputPosition;
  /** The last result of `#position`. */
  #hashed: (OutputPosition & { readonly sha256: string }) | undefined;
  /** End of the last chunk that is written. Before it there may be a gap: a chunk that is still being written. */
  #written: OutputPosition;
  /** How many bytes are synced. */
  #safe = -1;
  #syncing: Promise<void> = Promise.resolve();
  #failure: SinkError | undefined;
  #closed = false;

  constructor(path: string, file: PartOutlet, options: PartFileOptions = {}) {
    const { start = { bytes: 0, rows: 0 }, hash = sha256(), chunkBytes = usualChunkBytes } = options;
    this.path = path;
    this.#file = file;
    this.#compression = options.compression;
    this.#hash = hash;
    this.#chunkBytes = chunkBytes;
    this.#buffer = this.#newBuffer();
    this.#end = start;
    this.rows = start.rows;
    this.good = start;
    this.#written = start;
    void options.lost?.then((error) => this.#fail('writing', error));
  }

  get bytes(): number {
    return this.#end.bytes + this.#buffer.length;
  }

  /** Add the bytes of rows here, then call `added`. Throws once the file has failed. */
  get buffer(): ByteBuffer {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#buffer;
  }

  /** Says how many rows were added to `buffer`. */
  added(rows: number): void {
    this.rows += rows;
    if (this.#buffer.length >= this.#chunkBytes || this.rows - this.#end.rows >= chunkRows) this.#cut();
  }

  /** Waits until everything taken so far is written. */
  async flush(): Promise<void> {
    this.#cut();
    await this.#until(this.#end.bytes);
  }

  /** Waits until everything taken so far is on disk. Rows that arrive in the meantime aren't part of it. */
  async commit(): Promise<OutputPosition & { readonly sha256: string }> {
    this.#cut();
    const position = this.#position();
    await this.#until(position.bytes);
    if (this.#safe < position.bytes) {
      await (this.#syncing = this.#sync());
      if (this.#failure !== undefined) throw this.#failure;
      this.#safe = position.bytes;
    }
    return position;
  }

  /**
   * Writes everything taken so far before it returns. It survives the end of the process, but perhaps not a power cut. undefined:
   * earlier bytes are still being written, or the file is compressed and each small piece would make it larger.
   */
  flushNow(): (OutputPosition & { readonly sha256: string }) | undefined {
    if (this.#flight !== undefined || this.#compression !== undefined) return undefined;
    if (this.#failure !== undefined) throw this.#failure;
    this.#cut(true);
    return this.#position();
  }

  /** The end of all chunks, with its digest. Kept, because most files of a flow haven't grown between two commits. */
  #position(): OutputPosition & { readonly sha256: string } {
    if (this.#hashed?.bytes !== this.#end.bytes) this.#hashed = { ...this.#end, sha256: this.#hash.copy().digest('hex') };
    return this.#hashed;
  }

  /** Writes what it can, cuts off a torn end, and closes the file. Never throws. false if the end may be torn. */
  async close(): Promise<boolean> {
    if (this.#closed) return true;
    this.#closed = true;
    await this.flush().catch(() => undefined);
    await this.#flight; // the system reuses the file's number
    await this.#syncing;
    let whole = true;
    try {
      if (this.#failure !== undefined) this.#file.truncate(this.good.bytes);
    } catch {
      whole = false;
    }
    this.#failure ??= new SinkError(`${this.path} is closed`);
    try {
      this.#file.close();
    } catch {
      // its rows were synced before, or the failure is known
    }
    return whole;
  }

  /** Turns the gathered bytes into a chunk with a fixed position in the file. */
  #cut(now = false): void {
    if (this.#buffer.length === 0 || this.#failure !== undefined) return;
    const buffer = this.#buffer;
    const bytes = compressed(buffer.content, this.#compression);
    this.#hash.update(bytes);
    const from = this.#end;
    this.#end = { bytes: from.bytes + bytes.length, rows: this.rows };
    this.#buffer = this.#spare.pop() ?? this.#newBuffer();
    this.#queue.push({ bytes, buffer, from, to: this.#end });
    if (now || this.#end.bytes - this.good.bytes >= maxWaitingBytes) this.#writeNow();
    else this.#writeNext();
  }

  #writeNext(): void {
    if (this.#flight !== undefined || this.#failure !== undefined) return;
    this.#writing = this.#queue.shift();
    if (this.#writing !== undefined) this.#flight = this.#write(this.#writing);
  }

  async #write(chunk: Chunk): Promise<void> {
    try {
      await writeAll(this.#file, chunk.bytes, chunk.from.bytes);
      this.#writing = undefined;
      this.#done(chunk);
    } catch (error) {
      this.#fail('writing', error); // the chunk stays in `#writing`, so `good` never passes it
    }
    this.#flight = undefined;
    this.#writeNext();
  }

  /** Writes all waiting chunks. Positions are fixed, so they needn't wait for the chunk that is still being written. */
  #writeNow(): void {
    try {
      for (const chunk of this.#queue.splice(0)) {
        writeAllSync(this.#file, chunk.bytes, chunk.from.bytes);
        this.#done(chunk);
      }
    } catch (error) {
      throw this.#fail('writing', error);
    }
  }

  #done({ buffer, to }: Chunk): void {
    if (to.bytes > this.#written.bytes) this.#written = to;
    if (this.#writing === undefined) this.good = this.#written; // else there may be a gap
    buffer.clear();
    if (this.#spare.length < maxWaitingBytes / this.#chunkBytes && buffer.capacity <= 4 * this.#chunkBytes) this.#spare.push(buffer);
  }

  /** Waits until the first `bytes` are written. */
  async #until(bytes: number): Promise<void> {
    while (this.#failure === undefined && this.good.bytes < bytes) await this.#flight;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #sync(): Promise<void> {
    try {
      await this.#file.datasync();
    } catch (error) {
      this.#fail('syncing', error); // from now on, the content on disk is unknown
    }
  }

  #fail(doing: string, error: unknown): SinkError {
    return (this.#failure ??= sinkFailure(this.path, doing, error));
  }

  #newBuffer(): ByteBuffer {
    return new ByteBuffer(firstBytes);
  }
}
