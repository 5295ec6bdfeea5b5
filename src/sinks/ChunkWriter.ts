import type { SinkError } from '../errors/index.ts';
import { writeAll, writeAllSync } from '../files/blocks.ts';
import type { OpenFile } from '../files/FileSystem.ts';
import type { OutputPosition } from './OutputFile.ts';
import { sinkFailure } from '../files/sinkFailure.ts';

/** Bytes of whole rows and their offset in the file. Don't change them until `done` is called. */
interface Chunk {
  readonly bytes: Uint8Array;
  readonly at: number;
  /** Rows in the file once this chunk is written. */
  readonly rows: number;
  /** Bytes it counts for in the backlog. */
  readonly load: { readonly bytes: number; readonly rows: number };
  done(): void;
}

/** A source with back-pressure never has this many bytes waiting. */
export const tooMuch: number = 4 * 1024 * 1024;

/**
 * Writes chunks at their offsets, one at a time, in the background. For a source without back-pressure, it writes
 * synchronously once 4 MiB wait, so memory stays flat. After the first failure nothing more is written.
 */
export class ChunkWriter {
  readonly #path: string;
  readonly #file: OpenFile;
  readonly #queue: Chunk[] = [];
  /** Ends of chunks written before an earlier chunk was, keyed by where they begin. */
  readonly #ahead = new Map<number, OutputPosition>();
  #good: OutputPosition;
  #flight: Promise<void> | undefined;
  #failure: SinkError | undefined;
  #waiting = { bytes: 0, rows: 0 };

  constructor(path: string, file: OpenFile, start: OutputPosition) {
    this.#path = path;
    this.#file = file;
    this.#good = start;
  }

  /** Everything below is written. */
  get good(): OutputPosition {
    return this.#good;
  }

  get waiting(): { readonly bytes: number; readonly rows: number } {
    return this.#waiting;
  }

  get failure(): SinkError | undefined {
    return this.#failure;
  }

  fail(error: SinkError): void {
    this.#failure ??= error;
  }

  add(chunk: Chunk): void {
    this.#queue.push(chunk);
    this.#waiting = { bytes: this.#waiting.bytes + chunk.load.bytes, rows: this.#waiting.rows + chunk.load.rows };
    if (this.#waiting.bytes >= tooMuch) this.#writeNow();
    else this.#next();
  }

  /** Waits until everything below `bytes` is written. */
  async until(bytes: number): Promise<void> {
    while (this.#failure === undefined && this.#good.bytes < bytes) await this.#flight;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits for the write in flight, whether it succeeds or fails. */
  async idle(): Promise<void> {
    await this.#flight;
  }

  #next(): void {
    if (this.#flight !== undefined || this.#failure !== undefined) return;
    const chunk = this.#queue.shift();
    if (chunk !== undefined) this.#flight = this.#write(chunk);
  }

  async #write(chunk: Chunk): Promise<void> {
    try {
      await writeAll(this.#file, chunk.bytes, chunk.at);
      this.#done(chunk);
    } catch (error) {
      this.fail(sinkFailure(this.#path, 'writing', error));
    }
    this.#flight = undefined;
    this.#next();
  }

  /** Offsets are fixed, so later chunks needn't wait for one that is still being written. */
  #writeNow(): void {
    try {
      for (const chunk of this.#queue.splice(0)) {
        writeAllSync(this.#file, chunk.bytes, chunk.at);
        this.#done(chunk);
      }
    } catch (error) {
      this.fail(sinkFailure(this.#path, 'writing', error));
      throw this.#failure;
    }
  }

  #done(chunk: Chunk): void {
    this.#waiting = { bytes: this.#waiting.bytes - chunk.load.bytes, rows: this.#waiting.rows - chunk.load.rows };
    this.#ahead.set(chunk.at, { bytes: chunk.at + chunk.bytes.length, rows: chunk.rows });
    for (let next = this.#ahead.get(this.#good.bytes); next !== undefined; next = this.#ahead.get(this.#good.bytes)) {
      this.#ahead.delete(this.#good.bytes);
      this.#good = next;
    }
    chunk.done();
  }
}
