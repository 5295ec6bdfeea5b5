import { createHash, type Hash } from 'node:crypto';
import { SinkError } from '../errors/index.ts';
import { ByteBuffer } from '../files/ByteBuffer.ts';
import { ChunkWriter, tooMuch } from './ChunkWriter.ts';
import { compressed, type Compression } from './compression.ts';
import type { OpenFile } from '../files/FileSystem.ts';
import type { RowTarget } from './RowEncoder.ts';
import type { OutputPosition } from './OutputFile.ts';
import { sinkFailure } from '../files/sinkFailure.ts';

const chunkBytes = 256 * 1024;
const chunkRows = 500;

interface PartFileOptions {
  /** Position where writing begins. @default the beginning */
  readonly start?: OutputPosition | undefined;
  /** Hash that has seen everything below `start`. @default a new one */
  readonly hash?: Hash | undefined;
  /** Another hash that gets the bytes too, over several files. @default none */
  readonly total?: Hash | undefined;
  /** @default none */
  readonly compression?: Compression | undefined;
}

/**
 * The bytes of an unfinished file. They are gathered in chunks of whole rows, compressed, hashed in order, and written in the
 * background. Each chunk is its own gzip member (or zstd frame), so a compressed file can be cut after any chunk too.
 */
export class PartFile implements RowTarget {
  readonly path: string;
  readonly #file: OpenFile;
  readonly #writer: ChunkWriter;
  readonly #compression: Compression | undefined;
  readonly #hash: Hash;
  readonly #total: Hash | undefined;
  readonly #spare: ByteBuffer[] = [];
  #fill: ByteBuffer = new ByteBuffer(chunkBytes + chunkBytes / 4);
  #fillRows = 0;
  /** End of everything that was cut into chunks. */
  #end: OutputPosition;
  #safe: OutputPosition | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(path: string, file: OpenFile, options: PartFileOptions = {}) {
    this.path = path;
    this.#file = file;
    this.#compression = options.compression;
    this.#hash = options.hash ?? createHash('sha256');
    this.#total = options.total;
    this.#end = options.start ?? { bytes: 0, rows: 0 };
    this.#writer = new ChunkWriter(path, file, this.#end);
  }

  get rows(): number {
    return this.#end.rows + this.#fillRows;
  }

  get bytes(): number {
    return this.#end.bytes + this.#fill.length;
  }

  get backlog(): number {
    return this.#writer.waiting.bytes + this.#fill.length;
  }

  get backlogRows(): number {
    return this.#writer.waiting.rows + this.#fillRows;
  }

  /** Everything below is written. */
  get good(): OutputPosition {
    return this.#writer.good;
  }

  get failure(): SinkError | undefined {
    return this.#writer.failure;
  }

  /** Takes the bytes of the next rows. Throws once the file has failed. */
  get fill(): ByteBuffer {
    if (this.failure !== undefined) throw this.failure;
    return this.#fill;
  }

  /** `fill` has got this many rows more. */
  added(rows: number): void {
    this.#fillRows += rows;
    if (this.#fill.length >= chunkBytes || this.#fillRows >= chunkRows) this.#cut();
  }

  /** Waits until everything taken so far is written. */
  async flush(): Promise<void> {
    this.#cut();
    await this.#writer.until(this.#end.bytes);
  }

  /** Waits until everything taken so far is on disk. Rows that arrive meanwhile don't count. */
  async commit(): Promise<OutputPosition & { readonly sha256: string }> {
    this.#cut();
    const position = { ...this.#end, sha256: this.#hash.copy().digest('hex') };
    await this.#writer.until(position.bytes);
    if (this.#safe === undefined || this.#safe.bytes < position.bytes) {
      await (this.#syncing = this.#sync());
      if (this.failure !== undefined) throw this.failure;
      this.#safe = position;
    }
    return position;
  }

  async #sync(): Promise<void> {
    try {
      await this.#file.datasync();
    } catch (error) {
      this.#writer.fail(sinkFailure(this.path, 'syncing', error)); // from now on, the content on disk is unknown
    }
  }

  /** Writes what it can, cuts off a torn end, and closes the file. Never throws. false if the end may be torn. */
  async close(): Promise<boolean> {
    if (this.#closed) return true;
    this.#closed = true;
    await this.flush().catch(() => undefined);
    await this.#writer.idle(); // the system reuses the file's number
    await this.#syncing;
    let whole = true;
    try {
      if (this.failure !== undefined) this.#file.truncate(this.good.bytes);
    } catch {
      whole = false;
    }
    this.#writer.fail(new SinkError(`${this.path} is closed`));
    try {
      this.#file.close();
    } catch {
      // everything that matters was synced before, or has failed already
    }
    return whole;
  }

  /** Turns the gathered bytes into a chunk. From now on its bytes and its offset are fixed. */
  #cut(): void {
    if (this.#fill.length === 0 || this.failure !== undefined) return;
    const buffer = this.#fill;
    const load = { bytes: buffer.length, rows: this.#fillRows };
    const bytes = compressed(buffer.content, this.#compression);
    this.#hash.update(bytes);
    this.#total?.update(bytes);
    const at = this.#end.bytes;
    this.#end = { bytes: at + bytes.length, rows: this.#end.rows + load.rows };
    this.#fill = this.#spare.pop() ?? new ByteBuffer(chunkBytes + chunkBytes / 4);
    this.#fillRows = 0;
    this.#writer.add({ bytes, at, rows: this.#end.rows, load, done: () => this.#reuse(buffer) });
  }

  #reuse(buffer: ByteBuffer): void {
    buffer.clear();
    if (this.#spare.length < tooMuch / chunkBytes && buffer.capacity <= 4 * chunkBytes) this.#spare.push(buffer);
  }
}
