import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { SinkError } from '../errors/index.ts';
import { ByteBuffer } from '../files/ByteBuffer.ts';
import type { FileReport } from './FileReport.ts';
import type { Leftover, OutputFile, OutputPosition } from './OutputFile.ts';
import { HeldRows, type RowEncoder } from './RowEncoder.ts';
import { sinkFailure } from '../files/sinkFailure.ts';

const chunkBytes = 64 * 1024;

/** Writes rows to a Writable, no faster than it takes them. Ends it after the last row, unless it is stdout or stderr. */
export class StreamOutput implements OutputFile {
  readonly path = '-';
  rows = 0;
  bytes = 0;
  readonly #stream: Writable;
  readonly #rows: HeldRows;
  readonly #hash = createHash('sha256');
  #fill = new ByteBuffer(chunkBytes * 2);
  #failure: SinkError | undefined;
  #wake: () => void = () => undefined;
  readonly #fail = (error: unknown): void => {
    this.#failure ??= sinkFailure('the stream', 'writing', error);
    this.#wake();
  };
  readonly #closed = (): void => this.#fail(new Error('it was closed'));

  constructor(stream: Writable, encoder: RowEncoder) {
    this.#stream = stream;
    if (stream.destroyed || stream.writableEnded) throw new SinkError('the stream is closed already');
    this.#rows = new HeldRows(encoder, this);
    stream.on('error', this.#fail);
    stream.on('close', this.#closed);
  }

  /** Takes the bytes of the next rows. */
  get fill(): ByteBuffer {
    return this.#fill;
  }

  /** `fill` has got this many rows more. */
  added(rows: number): void {
    this.rows += rows;
  }

  get backlog(): number {
    return this.#stream.writableLength + this.#fill.length;
  }

  /** Counted in bytes only. */
  get backlogRows(): number {
    return 0;
  }

  write(rows: readonly unknown[]): void {
    if (this.#failure !== undefined) throw this.#failure;
    for (const row of rows) this.#rows.write(row);
    if (this.#fill.length >= chunkBytes) this.#pass();
  }

  async flush(): Promise<void> {
    this.#pass();
    while (this.#failure === undefined && this.#stream.writableNeedDrain) await this.#event('drain');
    if (this.#failure !== undefined) throw this.#failure;
  }

  async commit(): Promise<OutputPosition> {
    this.#rows.begin(false);
    await this.flush();
    return { bytes: this.bytes, rows: this.rows };
  }

  async seal(): Promise<FileReport> {
    this.#rows.begin(true);
    await this.flush();
    return { path: this.path, rows: this.rows, bytes: this.bytes, sha256: this.#hash.copy().digest('hex'), ...this.#rows.remarks };
  }

  async finish(): Promise<FileReport> {
    const report = await this.seal();
    if (isOwn(this.#stream)) {
      // bytes may still wait in the process; the last write reports a reader that has gone
      await new Promise<void>((resolve) => {
        this.#stream.write('', (error) => {
          if (error) this.#fail(error);
          resolve();
        });
      });
    } else {
      this.#stream.off('close', this.#closed);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#stream.end(resolve);
      });
    }
    this.#leave();
    if (this.#failure !== undefined) throw this.#failure;
    return report;
  }

  async abort(): Promise<Leftover | undefined> {
    if (this.#failure === undefined) {
      this.#rows.begin(false, true);
      this.#pass();
      if (!isOwn(this.#stream)) this.#stream.destroy(); // a reader must not think it is complete
    }
    this.#failure ??= new SinkError('the stream is closed');
    this.#leave();
    return undefined;
  }

  #pass(): void {
    if (this.#fill.length === 0 || this.#failure !== undefined) return;
    const bytes = this.#fill.content;
    this.#fill = new ByteBuffer(chunkBytes * 2); // the stream keeps the buffer it got
    this.bytes += bytes.length;
    this.#hash.update(bytes);
    this.#stream.write(bytes);
  }

  async #event(name: 'drain'): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#stream.once(name, resolve);
    });
    this.#wake = () => undefined;
  }

  #leave(): void {
    this.#stream.off('close', this.#closed);
    // an ended stream may still fail, and without a listener that would end the process
    if (isOwn(this.#stream)) this.#stream.off('error', this.#fail);
  }
}

function isOwn(stream: Writable): boolean {
  return (stream as unknown) === process.stdout || (stream as unknown) === process.stderr;
}
