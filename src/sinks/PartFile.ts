import { createHash, type Hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { SinkError } from '../errors/index.ts';
import { ByteBuffer } from './ByteBuffer.ts';
import type { OpenFile } from './FileSystem.ts';
import type { OutputPosition } from './OutputFile.ts';
import { sinkFault } from './sinkFault.ts';

/** Bytes of whole rows, on their way to a place in the file that is theirs. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly at: number;
  /** Rows in the file when it is written. */
  readonly rows: number;
  readonly rawBytes: number;
  readonly rawRows: number;
  /** To be used again once the chunk is written. */
  readonly buffer: ByteBuffer;
}

const chunkBytes = 256 * 1024;
const chunkRows = 500;
const tooMuch = 4 * 1024 * 1024;

export interface PartFileOptions {
  /** Where writing begins. @default the beginning */
  readonly start?: OutputPosition | undefined;
  /** Has seen everything below `start`. @default a new one */
  readonly hash?: Hash | undefined;
  /** Sees the bytes too: of several files in a row. @default none */
  readonly total?: Hash | undefined;
  /** @default false */
  readonly gzip?: boolean | undefined;
}

/**
 * The bytes of a file in progress: gathered in chunks of whole rows, compressed, hashed in order, written in the
 * background at explicit positions. A chunk is never touched while it is being written. A source that can't be held
 * is met with synchronous writes once 4 MiB wait, so memory stays flat whatever comes.
 */
export class PartFile {
  readonly path: string;
  readonly #file: OpenFile;
  readonly #gzip: boolean;
  readonly #hash: Hash;
  readonly #total: Hash | undefined;
  readonly #spare: ByteBuffer[] = [];
  readonly #queue: Chunk[] = [];
  /** Ends of chunks that were written before one in front of them was, by where they begin. */
  readonly #ahead = new Map<number, OutputPosition>();
  #fill: ByteBuffer = new ByteBuffer(chunkBytes + chunkBytes / 4);
  #fillRows = 0;
  /** Behind everything that is closed into chunks. */
  #end: OutputPosition;
  /** Everything up to here is written. */
  #good: OutputPosition;
  #safe: OutputPosition | undefined;
  #flight: Promise<void> | undefined;
  #failure: SinkError | undefined;
  #backlog = 0;
  #backlogRows = 0;
  #closed = false;

  constructor(path: string, file: OpenFile, options: PartFileOptions = {}) {
    this.path = path;
    this.#file = file;
    this.#gzip = options.gzip ?? false;
    this.#hash = options.hash ?? createHash('sha256');
    this.#total = options.total;
    this.#end = options.start ?? { bytes: 0, rows: 0 };
    this.#good = this.#end;
  }

  get rows(): number {
    return this.#end.rows + this.#fillRows;
  }

  get backlog(): number {
    return this.#backlog + this.#fill.length;
  }

  get backlogRows(): number {
    return this.#backlogRows + this.#fillRows;
  }

  /** Whether nothing has come yet, in this run or before. */
  get empty(): boolean {
    return this.#end.bytes === 0 && this.#fill.length === 0;
  }

  /** Everything that is closed into chunks: a lower bound of what the file will be. */
  get bytes(): number {
    return this.#end.bytes + this.#fill.length;
  }

  get sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  get failure(): SinkError | undefined {
    return this.#failure;
  }

  get good(): OutputPosition {
    return this.#good;
  }

  /** Lets `encode` add the bytes of one row (or of none: a heading) to the buffer. */
  add(rows: number, encode: (into: ByteBuffer) => void): void {
    if (this.#failure !== undefined) throw this.#failure;
    encode(this.#fill);
    this.#fillRows += rows;
    if (this.#fill.length >= chunkBytes || this.#fillRows >= chunkRows) this.#cut();
  }

  /** Waits until everything taken so far is written. */
  async flush(): Promise<void> {
    await this.#written();
  }

  /** Waits until everything taken so far is on disk; what comes meanwhile isn't counted. */
  async commit(): Promise<OutputPosition> {
    const position = await this.#written();
    if (this.#safe === undefined || this.#safe.bytes < position.bytes) {
      try {
        await this.#file.datasync();
      } catch (error) {
        this.#failure ??= sinkFault(this.path, 'syncing', error); // what the disk has now is unknown, and stays so
      }
      if (this.#failure !== undefined) throw this.#failure;
      this.#safe = position;
    }
    return position;
  }

  /** Writes what it can, cuts a torn end off, and lets the file go. Never fails; false when the end may be torn. */
  async close(): Promise<boolean> {
    if (this.#closed) return true;
    this.#closed = true;
    await this.#written().catch(() => undefined);
    let whole = true;
    try {
      if (this.#failure !== undefined) this.#file.truncate(this.#good.bytes);
    } catch {
      whole = false;
    }
    this.#failure ??= new SinkError(`${this.path} is closed`);
    try {
      this.#file.close();
    } catch {
      // what matters was synced before, or has failed already
    }
    return whole;
  }

  async #written(): Promise<OutputPosition> {
    this.#cut();
    const target = this.#end;
    while (this.#failure === undefined && this.#good.bytes < target.bytes) {
      this.#kick();
      await this.#flight;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return target;
  }

  /** Makes what was gathered a chunk: from now on its bytes and its place are fixed. */
  #cut(): void {
    if (this.#fill.length === 0 || this.#failure !== undefined) return;
    const buffer = this.#fill;
    const bytes = this.#gzip ? gzipSync(buffer.content) : buffer.content; // a member of its own: a file can be cut behind it
    this.#hash.update(bytes);
    this.#total?.update(bytes);
    const at = this.#end.bytes;
    this.#end = { bytes: at + bytes.length, rows: this.#end.rows + this.#fillRows };
    this.#queue.push({ bytes, at, rows: this.#end.rows, rawBytes: buffer.length, rawRows: this.#fillRows, buffer });
    this.#backlog += buffer.length;
    this.#backlogRows += this.#fillRows;
    this.#fill = this.#spare.pop() ?? new ByteBuffer(chunkBytes + chunkBytes / 4);
    this.#fillRows = 0;
    if (this.#backlog >= tooMuch) this.#writeNow();
    else this.#kick();
  }

  #kick(): void {
    if (this.#flight !== undefined || this.#failure !== undefined) return;
    const chunk = this.#queue.shift();
    if (chunk === undefined) return;
    this.#flight = this.#write(chunk).then(
      () => {
        this.#flight = undefined;
        this.#done(chunk);
        this.#kick();
      },
      (error: unknown) => {
        this.#flight = undefined;
        this.#failure ??= sinkFault(this.path, 'writing', error);
      },
    );
  }

  async #write(chunk: Chunk): Promise<void> {
    for (let at = 0; at < chunk.bytes.length;) {
      at += some(await this.#file.write(chunk.bytes, at, chunk.bytes.length - at, chunk.at + at));
    }
  }

  /** Positions are explicit, so chunks behind one that is still being written needn't wait for it. */
  #writeNow(): void {
    const chunks = this.#queue.splice(0);
    try {
      for (const chunk of chunks) {
        for (let at = 0; at < chunk.bytes.length;) {
          at += some(this.#file.writeSync(chunk.bytes, at, chunk.bytes.length - at, chunk.at + at));
        }
        this.#done(chunk);
      }
    } catch (error) {
      this.#failure ??= sinkFault(this.path, 'writing', error);
      throw this.#failure;
    }
  }

  #done(chunk: Chunk): void {
    this.#backlog -= chunk.rawBytes;
    this.#backlogRows -= chunk.rawRows;
    this.#ahead.set(chunk.at, { bytes: chunk.at + chunk.bytes.length, rows: chunk.rows });
    for (let next = this.#ahead.get(this.#good.bytes); next !== undefined; next = this.#ahead.get(this.#good.bytes)) {
      this.#ahead.delete(this.#good.bytes);
      this.#good = next;
    }
    chunk.buffer.clear();
    if (this.#spare.length < tooMuch / chunkBytes && chunk.buffer.capacity <= 4 * chunkBytes) this.#spare.push(chunk.buffer);
  }
}

function some(written: number): number {
  if (written <= 0) throw new Error('the system wrote nothing and gave no reason');
  return written;
}
