import type { Hash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { assemble, requireFormat } from './assemble.ts';
import { EncodedOutput } from './EncodedOutput.ts';
import { fileKindOf, type Format } from './endings.ts';
import type { FileReport } from './FileReport.ts';
import { hashFile } from './hashFile.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import type { Leftover, OutputFile, OutputPosition } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { discard, publish } from './publish.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';

/**
 * A file that can't be cut back to a row: Parquet or a database. Rows are kept as JSONL in `<path>.part`, safe at
 * each commit as usual. They become the file when it is sealed.
 */
export class AssembledOutput implements OutputFile {
  readonly path: string;
  readonly #format: Format;
  readonly #options: OutputOptions;
  readonly #rows: EncodedOutput;
  readonly #total: Hash | undefined;
  /** The path where the file is built. */
  readonly #draft: string;
  #columns: readonly TableColumn[] | undefined;
  #sealed: Promise<FileReport> | undefined;
  #publishing: Promise<void> | undefined;
  #aborted = false;

  constructor(path: string, format: Format, options: OutputOptions, total?: Hash) {
    requireFormat(format, path);
    this.path = path;
    this.#format = format;
    this.#options = options;
    this.#total = total;
    const lines = jsonlEncoder();
    const look = (row: unknown): void => {
      this.#columns = knownColumns(options, row);
    };
    this.#rows = new EncodedOutput(
      path,
      { encode: (row, into) => lines.encode(row, into), begin: ([row]) => look(row), goOn: look },
      { ...options, format },
    );
    this.#draft = `${this.#rows.claim.part}.draft`;
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
    return (this.#sealed ??= this.#assemble());
  }

  async #assemble(): Promise<FileReport> {
    const { bytes, rows } = await this.#rows.seal();
    const { target, file, fileSystem } = this.#rows.claim;
    if (this.#published()) return { path: this.path, rows, ...hashFile(target, fileSystem, this.#total) };
    const { table = tableName(this.path), index, mode = 0o600 } = this.#options;
    const stored = { name: table, file, bytes, columns: this.#columns, options: this.#options, index };
    const made = await assemble(this.path, this.#draft, this.#format, [stored], { fileSystem, mode, total: this.#total });
    return { path: this.path, rows, ...made };
  }

  /** Whether an earlier run already gave the file its name. */
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

/** A table's name: the file's without its ending. */
function tableName(path: string): string {
  const name = basename(path);
  const ending = fileKindOf(name)?.endings.find((one) => name.toLowerCase().endsWith(one)) ?? '';
  return name.slice(0, name.length - ending.length) || 'rows';
}
