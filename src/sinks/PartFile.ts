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
/** A source with back-pressure never has this many bytes waiting. */
const tooMuch = 4 * 1024 * 1024;

/** What a part needs of an open file. */
export type PartOutlet = Pick<OpenFile, 'write' | 'writeSync' | 'datasync' | 'truncate' | 'close'>;

interface PartFileOptions {
  /** Position where writing begins. @default the beginning */
  readonly start?: OutputPosition | undefined;
  /** Hash that has seen everything below `start`. @default a new one */
  readonly hash?: Hash | undefined;
  /** @default none */
  readonly compression?: Compression | undefined;
  /** Approximate size of a chunk. @default 256 KiB */
  readonly chunkBytes?: number | undefined;
  /** Why the file can't be written to any more, as soon as that is known. @default only a write can tell */
  readonly lost?: Promise<Error> | undefined;
}

/** The bytes of whole rows, and their positions in the file. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly buffer: ByteBuffer;
  readonly from: OutputPosition;
  readonly to: OutputPosition;
}

/**
 * The bytes of an unfinished file. They are gathered in chunks of whole rows, compressed, hashed in order, and written in the
 * background. Each chunk is its own gzip member (or zstd frame), so a compressed file can be cut after any chunk too.
 *
 * For a source without back-pressure, chunks are written synchronously once 4 MiB wait, so memory stays flat. After the first
 * failure nothing more is written.
 */
export class PartFile {
  readonly path: string;
  rows: number;
  /** Everything below is written. */
  good: OutputPosition;
  readonly #file: PartOutlet;
  readonly #compression: Compression | undefined;
  readonly #hash: Hash;
  readonly #chunkBytes: number;
  readonly #spare: ByteBuffer[] = [];
  #buffer: ByteBuffer;
  /** Chunks that nobody writes yet. */
  #queue: Chunk[] = [];
  #writing: Chunk | undefined;
  #flight: Promise<void> | undefined;
  /** End of all chunks. */
  #end: OutputPosition;
  /** An end of all chunks, and the digest of the file up to there. */
  #hashed: (OutputPosition & { readonly sha256: string }) | undefined;
  /** End of the last chunk that is written. */
  #written: OutputPosition;
  /** Bytes that are on disk. */
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

  /** Takes the bytes of the next rows. Throws once the file has failed. */
  get buffer(): ByteBuffer {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#buffer;
  }

  /** `buffer` has got this many rows more. */
  added(rows: number): void {
    this.rows += rows;
    if (this.#buffer.length >= this.#chunkBytes || this.rows - this.#end.rows >= chunkRows) this.#cut();
  }

  /** Waits until everything taken so far is written. */
  async flush(): Promise<void> {
    this.#cut();
    await this.#until(this.#end.bytes);
  }

  /** Waits until everything taken so far is on disk. Rows that arrive meanwhile don't count. */
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
   * Writes everything taken so far at once. It outlives the process, though perhaps no power cut. undefined: earlier bytes are still on
   * their way, or a compressed file would get a small piece of its own.
   */
  commitNow(): (OutputPosition & { readonly sha256: string }) | undefined {
    if (this.#flight !== undefined || this.#compression !== undefined) return undefined;
    if (this.#failure !== undefined) throw this.#failure;
    this.#cut(true);
    return this.#position();
  }

  /** The end of all chunks, with its digest. A page fills the files of its stage, and all others have the digest that they had. */
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
      // everything that matters was synced before, or has failed already
    }
    return whole;
  }

  /** Turns the gathered bytes into a chunk. From now on its bytes and its offset are fixed. */
  #cut(now = false): void {
    if (this.#buffer.length === 0 || this.#failure !== undefined) return;
    const buffer = this.#buffer;
    const bytes = compressed(buffer.content, this.#compression);
    this.#hash.update(bytes);
    const from = this.#end;
    this.#end = { bytes: from.bytes + bytes.length, rows: this.rows };
    this.#buffer = this.#spare.pop() ?? this.#newBuffer();
    this.#queue.push({ bytes, buffer, from, to: this.#end });
    if (now || this.#end.bytes - this.good.bytes >= tooMuch) this.#writeNow();
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
      this.#fail('writing', error); // it stays in `#writing`: what was written after it doesn't count
    }
    this.#flight = undefined;
    this.#writeNext();
  }

  /** Offsets are fixed, so later chunks needn't wait for one that is still being written. */
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
    if (this.#spare.length < tooMuch / this.#chunkBytes && buffer.capacity <= 4 * this.#chunkBytes) this.#spare.push(buffer);
  }

  /** Waits until everything below `bytes` is written. */
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
