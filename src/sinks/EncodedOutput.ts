import type { Hash } from 'node:crypto';
import { SinkError } from '../errors/index.ts';
import { reservePath, type Reservation } from './reservePath.ts';
import { compressionOf, decompressed, requireZstd, type Compression } from './compression.ts';
import { HeldRows, type RowEncoder } from './RowEncoder.ts';

import { type FileReport, joinRemarks, type Remarks } from './FileReport.ts';
import type { Leftover, OutputFile, OutputPosition } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { PartFile } from './PartFile.ts';
import { discard, publish } from '../files/publish.ts';

const headBytes = 64 * 1024;

/** One file whose rows are encoded one at a time: JSONL or CSV, plain or compressed. */
export class EncodedOutput implements OutputFile {
  readonly path: string;
  readonly reservation: Reservation;
  readonly #rows: HeldRows;
  readonly #part: PartFile;
  readonly #compression: Compression | undefined;
  #state: 'open' | 'sealed' | 'finished' | 'aborted' = 'open';
  #publishing: Promise<void> | undefined;
  #named = false;
  /** Of the rows before `resume`. */
  readonly #before: Remarks;

  constructor(path: string, encoder: RowEncoder, options: OutputOptions, total?: Hash) {
    this.path = path;
    this.#compression = compressionOf(path.toLowerCase()).compression;
    if (this.#compression === 'zstd') requireZstd(path);
    this.reservation = reservePath(path, options);
    this.#before = options.resume?.remarks ?? {};
    const { part, file, start, hash } = this.reservation;
    this.#part = new PartFile(part, file, { start, hash, total, compression: this.#compression });
    this.#rows = new HeldRows(encoder, this.#part);
  }

  get rows(): number {
    return this.#part.rows + this.#rows.count;
  }

  get backlog(): number {
    return this.#part.backlog;
  }

  get backlogRows(): number {
    return this.#part.backlogRows;
  }

  /** Of the part, with rows that still wait counted as text. */
  get bytes(): number {
    return this.#part.bytes;
  }

  write(rows: readonly unknown[]): void {
    if (this.#state !== 'open') throw new SinkError(`${this.path} takes no more rows: it is ${this.#state}`);
    for (const row of rows) {
      if (!this.#rows.begun && this.#part.bytes > 0) this.#rows.goOn(row, this.#head());
      this.#rows.write(row);
    }
  }

  /** The first line of what was there before, and more. */
  #head(): string {
    const { file, start } = this.reservation;
    const bytes = Buffer.alloc(Math.min(headBytes, start.bytes));
    const read = file.readSync(bytes, 0, bytes.length, 0);
    return decompressed(bytes.subarray(0, read), this.#compression).toString('utf8');
  }

  async flush(): Promise<void> {
    await this.#part.flush();
  }

  async commit(): Promise<OutputPosition & { readonly sha256: string }> {
    this.#rows.begin(false);
    const remarks = this.#remarks();
    const position = await this.#part.commit();
    if (!this.#named) {
      // the file's own name: a power cut would take it with all that is in it
      for (const folder of this.reservation.folders) await this.reservation.fileSystem.syncFolder(folder);
      this.#named = true;
    }
    return Object.keys(remarks).length === 0 ? position : { ...position, remarks };
  }

  #remarks(): Remarks {
    return joinRemarks([this.#before, this.#rows.remarks]);
  }

  async seal(): Promise<FileReport> {
    if (this.#state === 'aborted' || this.#state === 'finished') throw new SinkError(`${this.path} is ${this.#state}`);
    if (this.#state === 'open' && this.#part.bytes === 0) this.#rows.begin(true);
    this.#state = 'sealed';
    const { bytes, rows, sha256 } = await this.commit();
    return { path: this.path, rows, bytes, sha256, ...this.#remarks() };
  }

  async finish(): Promise<FileReport> {
    const report = await this.seal();
    if (this.#isAborted()) throw new SinkError(`${this.path} was aborted while it was finished`);
    await (this.#publishing ??= this.#publish());
    await this.release();
    return report;
  }

  #isAborted(): boolean {
    return this.#state === 'aborted';
  }

  /** Closes the file and releases the lock, once the file has its name. */
  async release(): Promise<void> {
    this.#state = 'finished';
    await this.#part.close();
    this.reservation.release();
  }

  async #publish(): Promise<void> {
    const { part, target, replace, published, folders, fileSystem } = this.reservation;
    if (published) await fileSystem.syncFolder(folders[0]!);
    else if (await publish(part, target, replace, fileSystem)) discard(part, fileSystem);
  }

  async abort(): Promise<Leftover | undefined> {
    if (this.#publishing !== undefined) await this.#publishing.catch(() => undefined); // too late to stop it half-way
    if (this.#state === 'aborted' || this.#state === 'finished') return undefined;
    this.#state = 'aborted';
    this.#rows.begin(false, true); // the part has all rows that came
    const whole = await this.#part.close();
    const { bytes, rows } = this.#part.good;
    const { part, published, isNew, fileSystem, release } = this.reservation;
    const gone = published || (rows === 0 && isNew ? discard(part, fileSystem) : fileSystem.stat(part, false) === undefined);
    release();
    return gone ? undefined : { path: part, bytes, rows, ...(whole ? {} : { torn: true }) };
  }
}
