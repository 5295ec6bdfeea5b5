import type { Hash } from 'node:crypto';
import { madeAtEnd } from './assemble.ts';
import { checkOutputOptions, outputOptions } from './checkOutputOptions.ts';
import { compressionOf, requireZstd } from './compression.ts';
import type { FoundColumns } from './csvEncoder.ts';
import { endingsInWords, fileKindOf, fileFormats, type Format, type MadeFormatName } from './formats/fileFormats.ts';
import type { OutputFile, Leftover, OutputPosition } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { reservePath, type Reservation } from './reservePath.ts';
import { RowOutput } from './RowOutput.ts';
import { sha256 } from '../files/blocks.ts';
import { basename, dirname, join } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { type FilePart, type FileReport, joinRemarks, type RowEncoder } from './FileReport.ts';
import { discard } from '../files/publish.ts';

/**
 * Opens a file for writing rows. The ending names the format.
 *
 * Checks everything that can be checked before the first row. It throws a SinkError for a path that is taken, a folder
 * that can't be made or written to, a second writer, or a package that isn't installed. `resume` and `append` read the
 * existing rows before this returns, at the disk's speed.
 */
export function openOutput(path: string, options: OutputOptions = {}): OutputFile {
  outputOptions.check('openOutput', options);
  const format = options.format ?? fileKindOf(path)?.format;
  checkOutputOptions('openOutput', path, { ...options, format });
  if (format === undefined) throw new RangeError(`openOutput: the ending of ${path} names no format; use ${endingsInWords()}`);
  if (options.rotate === undefined) return openFile(path, format, options);
  const found: FoundColumns = {};
  return new RotatingOutput(path, (part, own, total) => openFile(part, format, own, total, found), { ...options, format });
}

function openFile(path: string, name: Format, options: OutputOptions, total?: Hash, found?: FoundColumns): OutputFile {
  const format = fileFormats[name];
  const { compression } = compressionOf(path.toLowerCase());
  if (compression === 'zstd') requireZstd(path);
  const { encoder, destination } = format.text
    ? { encoder: format.encoder(options, found), destination: reservePath(path, { ...options, format: name }) }
    : madeAtEnd(path, name as MadeFormatName, options, total);
  return new RowOutput(path, encoder, destination, {
    compression,
    total: format.text ? total : undefined,
    before: options.resume?.remarks,
  });
}

/**
 * Writes rows to numbered files: `name-00001.jsonl`, `name-00002.jsonl` …. Each gets its name as soon as it is complete.
 * The manifest `name.manifest.json` comes last. If it exists, the set is complete.
 */
class RotatingOutput implements OutputFile {
  readonly path: string;
  /** The base of the part names. */
  readonly #name: string;
  readonly #reservation: Reservation;
  readonly #manifest: RowOutput;
  readonly #limit: { readonly rows: number; readonly bytes: number };
  readonly #openPart: (path: string, options: OutputOptions, total: Hash) => OutputFile;
  readonly #options: OutputOptions;
  readonly #total: Hash = sha256();
  readonly #reports: FileReport[] = [];
  readonly #left: Leftover[] = [];
  readonly #ending: Set<OutputFile> = new Set();
  /** Finishes the parts one at a time. */
  #queue: Promise<void> = Promise.resolve();
  #failure: unknown;
  #count = 0;
  #current: OutputFile;
  #before: OutputPosition = { bytes: 0, rows: 0 };
  #over = false;

  constructor(path: string, openPart: (path: string, options: OutputOptions, total: Hash) => OutputFile, options: OutputOptions) {
    const { rotate, ...rest } = options;
    this.#name = path;
    this.path = manifestPath(path);
    this.#limit = { rows: rotate?.rows ?? Infinity, bytes: rotate?.bytes ?? Infinity };
    this.#openPart = openPart;
    this.#options = { ...rest, lock: false };
    const reservation = reservePath(this.path, { ...rest, format: undefined });
    this.#reservation = reservation;
    try {
      const old = this.#partsFrom(1);
      if (!options.overwrite && old.length > 0) {
        throw new SinkError(`${old[0]} is there already; choose another path, or say overwrite: true`);
      }
      this.#current = this.#open();
    } catch (error) {
      reservation.file.close();
      reservation.leave(0);
      reservation.release();
      throw error;
    }
    this.#manifest = new RowOutput(this.path, manifestEncoder, {
      ...reservation,
      publish: async () => {
        await reservation.publish();
        for (const old of this.#partsFrom(this.#count + 1)) discard(old, reservation.fileSystem); // of a longer set, now replaced
      },
    });
  }

  get rows(): number {
    return this.#before.rows + this.#current.rows;
  }

  get bytes(): number {
    return this.#before.bytes + this.#current.bytes;
  }

  get backlog(): number {
    return sum([this.#current, ...this.#ending], 'backlog');
  }

  /** An unfinished file counts in full, so that not too many are open at once. */
  get backlogRows(): number {
    return this.#current.backlogRows + sum([...this.#ending], 'rows');
  }

  write(row: unknown): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#current.rows >= this.#limit.rows || (this.#current.rows > 0 && this.#current.bytes >= this.#limit.bytes)) {
      this.#finishPart();
      this.#current = this.#open();
    }
    this.#current.write(row);
  }

  async flush(): Promise<void> {
    await this.#queue;
    if (this.#failure !== undefined) throw this.#failure;
    await this.#current.flush();
  }

  async commit(): Promise<OutputPosition> {
    const { bytes, rows } = this.#before;
    const [here] = await Promise.all([this.#current.commit(), this.#queue]);
    if (this.#failure !== undefined) throw this.#failure;
    return { bytes: bytes + here.bytes, rows: rows + here.rows };
  }

  /** Parts are finished in the background. */
  commitNow(): undefined {
    return undefined;
  }

  async seal(): Promise<FileReport> {
    if (!this.#over) {
      this.#over = true;
      this.#finishPart();
    }
    await this.#queue;
    if (this.#failure !== undefined) throw this.#failure;
    return joinReports(this.path, this.#reports, this.#total.copy().digest('hex'));
  }

  async finish(): Promise<FileReport> {
    const report = await this.seal();
    const parts = report.parts?.map((one) => ({ ...one, path: basename(one.path) }));
    this.#manifest.write({ ...report, path: basename(this.path), parts });
    await this.#manifest.finish();
    this.#failure = closed;
    return report;
  }

  async abort(): Promise<Leftover | undefined> {
    this.#over = true;
    await this.#queue;
    await this.#leave(this.#current);
    if (this.#failure === closed) return undefined;
    this.#failure = closed;
    await this.#manifest.abort();
    const all = [...this.#reports, ...this.#left];
    if (all.length === 0) return undefined;
    const path = this.#left.map((left) => left.path).join(', ');
    const finished = this.#reports.map((report) => report.path);
    const torn = this.#left.some((left) => left.torn) ? ({ torn: true } as const) : {};
    return { path, bytes: sum(all, 'bytes'), rows: sum(all, 'rows'), finished, ...torn };
  }

  async #leave(output: OutputFile): Promise<void> {
    const left = await output.abort();
    if (left !== undefined) this.#left.push(left);
  }

  #open(): OutputFile {
    this.#count += 1;
    return this.#openPart(partPath(this.#name, this.#count), this.#options, this.#total);
  }

  #finishPart(): void {
    const output = this.#current;
    this.#before = { bytes: this.bytes, rows: this.rows };
    this.#ending.add(output);
    // the manifest of the set that this one replaces: from now on it would be wrong
    if (this.#reservation.replace) discard(this.#reservation.target, this.#reservation.fileSystem);
    const sealed = output.finish(); // its last bytes are fixed and hashed before the next file gets any
    sealed.catch(() => undefined); // handled when its turn comes
    this.#queue = this.#afterThose(output, sealed);
  }

  async #afterThose(output: OutputFile, sealed: Promise<FileReport>): Promise<void> {
    await this.#queue;
    try {
      this.#reports.push(await sealed);
    } catch (error) {
      this.#failure ??= error;
      await this.#leave(output);
    }
    this.#ending.delete(output);
  }

  /** The existing files of the set, from a number on. */
  #partsFrom(first: number): readonly string[] {
    const { target, fileSystem } = this.#reservation;
    const folder = dirname(target);
    const [head, tail] = partPath(basename(this.#name), 0).split('00000') as [string, string];
    const isOne = (name: string): boolean => {
      const digits = name.slice(head.length, name.length - tail.length);
      return name.startsWith(head) && name.endsWith(tail) && /^\d{5,}$/.test(digits) && Number(digits) >= first;
    };
    return fileSystem
      .list(folder)
      .filter(isOne)
      .map((name) => join(folder, name));
  }
}

const manifestEncoder: RowEncoder = { encode: (report, into) => into.addText(`${JSON.stringify(report, undefined, 2)}\n`) };

/** The error of a call on a finished output. */
const closed = new SinkError('the file is closed');

function sum<K extends string>(values: readonly { readonly [key in K]: number }[], key: K): number {
  return values.reduce((total, value) => total + value[key], 0);
}

const ending = /(?:\.[a-z]+)?(?:\.(?:gz|zst))?$/i;

/** The path of a numbered file: `rows-00002.jsonl.gz` for `rows.jsonl.gz`. */
function partPath(path: string, count: number): string {
  return path.replace(ending, (tail) => `-${String(count).padStart(5, '0')}${tail}`);
}

function manifestPath(path: string): string {
  return path.replace(ending, '.manifest.json');
}

/** The report of a set of files, as if they were one. `sha256` is the hash of all of them joined. */
function joinReports(path: string, reports: readonly FileReport[], sha256: string): FileReport {
  const parts = reports.map((report): FilePart => ({ path: report.path, rows: report.rows, bytes: report.bytes, sha256: report.sha256 }));
  let [rows, bytes] = [0, 0];
  for (const report of reports) {
    rows += report.rows;
    bytes += report.bytes;
  }
  return { path, rows, bytes, sha256, parts, ...joinRemarks(reports) };
}
