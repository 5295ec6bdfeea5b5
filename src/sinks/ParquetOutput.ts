import type { Hash } from 'node:crypto';
import { dirname } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { EncodedOutput } from './EncodedOutput.ts';
import { discard } from './discard.ts';
import type { FileReport } from './FileReport.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import { requireParquetWriter } from './loadParquetWriter.ts';
import type { Leftover, OutputFile, OutputPosition } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { PartFile } from './PartFile.ts';
import { publish } from './publish.ts';
import { sinkFault } from './sinkFault.ts';
import { hashFile } from './hashFile.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';
import { writeParquet } from './writeParquet.ts';

/**
 * A Parquet file. Parquet can't be cut back to a row, so the rows are kept as JSONL in `<path>.part`, safe at each commit
 * like any other, and become row groups, one after the other, when the file is sealed.
 */
export class ParquetOutput implements OutputFile {
  readonly path: string;
  readonly #options: OutputOptions;
  readonly #rows: EncodedOutput;
  readonly #total: Hash | undefined;
  /** Where the row groups go. */
  readonly #draft: string;
  #columns: readonly TableColumn[] | undefined;
  #sealed: Promise<FileReport> | undefined;
  #publishing: Promise<void> | undefined;
  #aborted = false;

  constructor(path: string, options: OutputOptions, total?: Hash) {
    requireParquetWriter(path);
    this.path = path;
    this.#options = options;
    this.#total = total;
    const lines = jsonlEncoder();
    const begin = (row: unknown): void => {
      this.#columns = knownColumns(options, row);
    };
    this.#rows = new EncodedOutput(
      path,
      { encode: (row, into) => lines.encode(row, into), begin: ([row]) => begin(row), goOn: begin },
      { ...options, format: 'parquet' },
    );
    this.#draft = `${this.#rows.claim.part}.parquet`;
  }

  get rows(): number {
    return this.#rows.rows;
  }

  get bytes(): number {
    return this.#rows.bytes;
  }

  get backlog(): number {
    return this.#rows.backlog;
  }

  get backlogRows(): number {
    return this.#rows.backlogRows;
  }

  write(rows: readonly unknown[]): void {
    this.#rows.write(rows);
  }

  flush(): Promise<void> {
    return this.#rows.flush();
  }

  commit(): Promise<OutputPosition> {
    return this.#rows.commit();
  }

  seal(): Promise<FileReport> {
    return (this.#sealed ??= this.#convert());
  }

  async #convert(): Promise<FileReport> {
    const { bytes: size, rows } = await this.#rows.seal();
    const { target, file, fileSystem } = this.#rows.claim;
    if (this.#published()) return { path: this.path, rows, ...hashFile(target, fileSystem, this.#total) };
    const columns = this.#columns ?? knownColumns(this.#options, undefined);
    if (columns === undefined) throw new SinkError(`${this.path}: no row came, so the columns aren't known; give them`);
    const { mode = 0o600 } = this.#options;
    try {
      if (fileSystem.stat(this.#draft) !== undefined) fileSystem.unlink(this.#draft);
      const draft = new PartFile(this.#draft, fileSystem.open(this.#draft, 'wx', mode), { total: this.#total });
      try {
        const remarks = await writeParquet(file, size, draft, columns, this.#options);
        const { bytes } = await draft.commit();
        await fileSystem.syncFolder(dirname(target)); // its name is what tells our file from a stranger's later on
        return { path: this.path, rows, bytes, sha256: draft.sha256, ...remarks };
      } finally {
        await draft.close();
      }
    } catch (error) {
      throw sinkFault(this.path, 'writing Parquet', error);
    }
  }

  /** Whether an earlier run got as far as giving the file its name. */
  #published(): boolean {
    const { published, fileSystem, target } = this.#rows.claim;
    const draft = fileSystem.stat(this.#draft);
    return published || (draft !== undefined && draft.id === fileSystem.stat(target)?.id);
  }

  async finish(): Promise<FileReport> {
    const report = await this.seal();
    if (this.#aborted) throw new SinkError(`${this.path} is aborted`);
    await (this.#publishing ??= this.#publish());
    await this.#rows.release();
    return report;
  }

  async #publish(): Promise<void> {
    const { part, target, replace, fileSystem } = this.#rows.claim;
    const there = fileSystem.stat(this.#draft) !== undefined;
    const both = there && (await publish(this.#draft, target, replace, fileSystem));
    discard(part, fileSystem);
    await fileSystem.syncFolder(dirname(target));
    if (both) discard(this.#draft, fileSystem); // last of all: the two names show that the file is ours
  }

  async abort(): Promise<Leftover | undefined> {
    await this.#publishing?.catch(() => undefined);
    this.#aborted = true;
    await this.#sealed?.catch(() => undefined);
    const { fileSystem } = this.#rows.claim;
    discard(this.#draft, fileSystem);
    return this.#rows.abort();
  }
}
