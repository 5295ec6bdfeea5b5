import type { Hash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { assemble } from './assemble.ts';
import { EncodedOutput } from './EncodedOutput.ts';
import { fileKindOf, fileFormats, type MadeFormatName } from './formats/fileFormats.ts';
import type { FileReport } from './FileReport.ts';
import { hashFile } from '../files/blocks.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import type { Leftover } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { discard, publish } from '../files/publish.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';

/**
 * A file that can't be cut back to a row: Parquet or a database. Rows are kept as JSONL in `<path>.part`, safe at
 * each commit as usual. They become the file when it is sealed.
 */
export class AssembledOutput extends EncodedOutput {
  readonly #format: MadeFormatName;
  readonly #options: OutputOptions;
  readonly #total: Hash | undefined;
  readonly #seen: { columns?: readonly TableColumn[] | undefined };
  /** The path where the file is built. */
  readonly #draft: string;
  #sealed: Promise<FileReport> | undefined;
  #publishing: Promise<void> | undefined;
  #aborted = false;

  constructor(path: string, format: MadeFormatName, options: OutputOptions, total?: Hash) {
    fileFormats[format].requirePackage(path);
    const lines = jsonlEncoder();
    const seen: { columns?: readonly TableColumn[] | undefined } = {};
    const look = (row: unknown): void => {
      seen.columns = knownColumns(options, row);
    };
    super(path, { encode: (row, into) => lines.encode(row, into), begin: ([row]) => look(row), goOn: look }, { ...options, format });
    this.#format = format;
    this.#options = options;
    this.#total = total;
    this.#seen = seen;
    this.#draft = `${this.reservation.part}.draft`;
  }

  override seal(): Promise<FileReport> {
    return (this.#sealed ??= this.#assemble());
  }

  async #assemble(): Promise<FileReport> {
    const { bytes, rows } = await super.seal();
    const { target, file, fileSystem } = this.reservation;
    if (this.#published()) return { path: this.path, rows, ...hashFile(target, fileSystem, this.#total) };
    const { table = tableName(this.path), index, mode = 0o600 } = this.#options;
    const stored = { name: table, file, bytes, columns: this.#seen.columns, options: this.#options, index };
    const made = await assemble(this.path, this.#draft, this.#format, [stored], { fileSystem, mode, total: this.#total });
    return { path: this.path, rows, ...made };
  }

  /** Whether an earlier run already gave the file its name. */
  #published(): boolean {
    const { published, fileSystem, target } = this.reservation;
    const draft = fileSystem.stat(this.#draft);
    return published || (draft !== undefined && draft.id === fileSystem.stat(target)?.id);
  }

  override async finish(): Promise<FileReport> {
    const report = await this.seal();
    if (this.#aborted) throw new SinkError(`${this.path} is aborted`);
    await (this.#publishing ??= this.#publish());
    await this.release();
    return report;
  }

  async #publish(): Promise<void> {
    const { part, target, replace, fileSystem } = this.reservation;
    const there = fileSystem.stat(this.#draft) !== undefined;
    const both = there && (await publish(this.#draft, target, replace, fileSystem));
    discard(part, fileSystem);
    await fileSystem.syncFolder(dirname(target));
    if (both) discard(this.#draft, fileSystem); // last of all: the two names show that the file is ours
  }

  override async abort(): Promise<Leftover | undefined> {
    await this.#publishing?.catch(() => undefined);
    this.#aborted = true;
    await this.#sealed?.catch(() => undefined);
    const { fileSystem } = this.reservation;
    discard(this.#draft, fileSystem);
    return super.abort();
  }
}

/** A table's name: the file's without its ending. */
function tableName(path: string): string {
  const name = basename(path);
  const ending = fileKindOf(name)?.endings.find((one) => name.toLowerCase().endsWith(one)) ?? '';
  return name.slice(0, name.length - ending.length) || 'rows';
}
