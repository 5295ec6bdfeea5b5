import type { SinkError } from '../errors/index.ts';
import type { OpenFile } from './FileSystem.ts';
import type { OutputPosition } from './OutputFile.ts';
import { sinkFault } from './sinkFault.ts';

/** Bytes of whole rows, and the place in the file that is theirs. Not to be touched until `done` is called. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly at: number;
  /** Rows in the file when the chunk is written. */
  readonly rows: number;
  /** What it counts for while it waits. */
  readonly load: { readonly bytes: number; readonly rows: number };
  done(): void;
}

/** So many bytes waiting are more than any source that can be held brings. */
export const tooMuch: number = 4 * 1024 * 1024;

/**
 * Writes chunks at their places, one at a time, in the background. A source that can't be held is met with synchronous
 * writes once 4 MiB wait, so memory stays flat whatever comes. After the first fault nothing more is written.
 */
export class ChunkWriter {
  readonly #path: string;
  readonly #file: OpenFile;
  readonly #queue: Chunk[] = [];
  /** Ends of chunks that were written before one in front of them was, by where they begin. */
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

  /** Waits for the write in flight, whatever becomes of it. */
  async idle(): Promise<void> {
    await this.#flight;
  }

  #next(): void {
    if (this.#flight !== undefined || this.#failure !== undefined) return;
    const chunk = this.#queue.shift();
    if (chunk !== undefined) this.#flight = this.#write(chunk);
  }

  async #write(chunk: Chunk): Promise<void> {
    const { bytes, at: place } = chunk;
    try {
      for (let at = 0; at < bytes.length;) at += some(await this.#file.write(bytes, at, bytes.length - at, place + at));
      this.#done(chunk);
    } catch (error) {
      this.fail(sinkFault(this.#path, 'writing', error));
    }
    this.#flight = undefined;
    this.#next();
  }

  /** Places are fixed, so chunks behind one that is still being written needn't wait for it. */
  #writeNow(): void {
    try {
      for (const chunk of this.#queue.splice(0)) {
        const { bytes, at: place } = chunk;
        for (let at = 0; at < bytes.length;) at += some(this.#file.writeSync(bytes, at, bytes.length - at, place + at));
        this.#done(chunk);
      }
    } catch (error) {
      this.fail(sinkFault(this.#path, 'writing', error));
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

function some(written: number): number {
  if (written <= 0) throw new Error('the system wrote nothing and gave no reason');
  return written;
}
