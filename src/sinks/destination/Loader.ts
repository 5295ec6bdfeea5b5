import { onAbort } from '../../../operators/kit/onAbort.ts';
import { BusyError, NetworkError, SinkError } from '../../errors/index.ts';
import type { RowDestination, DestinationTable, OpenDestination, LoadPosition } from './RowDestination.ts';
import { fill, sha256 } from '../../files/blocks.ts';
import type { OpenFile } from '../../files/FileSystem.ts';
import type { Hash } from 'node:crypto';

/** A row that the destination can't hold. */
export interface RejectedRow {
  /** Offset of its line in the JSONL of all rows. */
  readonly at: number;
  readonly line: string;
  readonly reason: string;
}

interface LoaderOptions {
  /** The rows up to a position of the destination, if the run has the same ones on disk. @default the run is new */
  readonly prefixAt?: (position: LoadPosition) => Promise<RowPrefix | undefined>;
  /** Keeps rejected rows. Awaited before they count as done. */
  readonly reject: (rows: readonly RejectedRow[]) => Promise<void>;
  /** Forgets rejected rows from this position on, because these rows are loaded again. @default none were kept */
  readonly forget?: (from: number) => Promise<void>;
  /** Called after each failed try while the destination takes no rows. @default only waits */
  readonly away?: (error: NetworkError | BusyError, sinceMs: number) => void;
  /** Called when it takes rows again. @default nothing */
  readonly back?: () => void;
  /** Ends the loading, also in the middle of a try. */
  readonly signal: AbortSignal;
}

const firstPauseMs = 50;
const longestPauseMs = 3000;
const lineFeed = 10;

/** Loads rows into one table of a destination, each exactly once, also after failures. Waits while the destination is away. */
export class Loader {
  readonly #destination: RowDestination;
  readonly #table: DestinationTable;
  readonly #options: LoaderOptions;
  #session: OpenDestination | undefined;
  #position: LoadPosition | undefined;
  #awaySince: number | undefined;
  /** Rejected rows were kept, but the commit of their batch may have failed. */
  #isUnsure = false;

  constructor(destination: RowDestination, table: DestinationTable, options: LoaderOptions) {
    this.#destination = destination;
    this.#table = table;
    this.#options = options;
  }

  /** Opens the destination. Returns the rows that it has. `patient`: waits for it if it is away. */
  async open(patient: boolean): Promise<RowPrefix> {
    const { prefixAt, forget } = this.#options;
    return this.#insist(async (session) => {
      const position = this.#position;
      const there = position === undefined ? RowPrefix.start() : await prefixAt?.(position);
      if (there === undefined && session.restart === undefined)
        throw this.#unable("it has rows of this run that the run doesn't have on disk, and can't start over");
      if (there === undefined) {
        await session.restart!();
        this.#position = undefined;
      }
      const prefix = there ?? RowPrefix.start();
      await forget?.(prefix.bytes);
      return prefix;
    }, patient);
  }

  /** Loads the lines that follow `from`. Returns the rows that the destination has then. */
  async load(bytes: Buffer, from: RowPrefix): Promise<RowPrefix> {
    const to = from.with(bytes);
    const lines = linesOf(bytes);
    const { forget, signal } = this.#options;
    const isIn = await this.#insist(async (session) => {
      const now = this.#position ?? RowPrefix.start();
      if (to.is(now)) return true; // an earlier commit succeeded, but its response was lost
      if (!from.is(now))
        throw this.#unable(`it is at another position (${now.bytes}) than this run left it (${from.bytes}). Run it again to load the rest`);
      if (this.#isUnsure) await forget?.(from.bytes);
      const result = await session.load(lines);
      if ('refused' in result && lines.length > 1) return false;
      await this.#reject(bytes, from, lines, 'refused' in result ? [{ line: 0, reason: result.refused }] : result.rejected);
      signal.throwIfAborted(); // no commit after an abort
      await session.commit(to);
      this.#position = to;
      return true;
    });
    this.#isUnsure = false;
    if (isIn) return to;
    const half = bytes.indexOf(lineFeed, bytes.length / 2 - 1) + 1 || bytes.length;
    const cut = half < bytes.length ? half : bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1;
    return this.load(bytes.subarray(cut), await this.load(bytes.subarray(0, cut), from));
  }

  remove(lines: readonly string[]): Promise<void> {
    return this.#insist((session) => {
      if (session.remove === undefined) throw this.#unable('it can\'t delete the rows that are gone. Write "gone": "keep"');
      return session.remove(lines);
    });
  }

  finish(): Promise<void> {
    return this.#insist(async (session) => session.finish?.());
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close().catch(() => undefined);
  }

  #unable(why: string): SinkError {
    return new SinkError(`${this.#table.name}: ${why}`);
  }

  /** Works with the open destination. After a NetworkError or a BusyError it opens it again and retries, with growing pauses. */
  async #insist<T>(work: (session: OpenDestination) => Promise<T>, patient = true): Promise<T> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        this.#options.signal.throwIfAborted();
        const result = await untilAborted(this.#options.signal, () => this.#ready().then(work));
        if (this.#awaySince !== undefined) this.#options.back?.();
        this.#awaySince = undefined;
        return result;
      } catch (error) {
        await this.close();
        if (!(error instanceof NetworkError || error instanceof BusyError)) throw error;
        this.#awaySince ??= performance.now();
        if (!patient) throw error;
        this.#options.away?.(error, performance.now() - this.#awaySince);
        this.#options.signal.throwIfAborted();
        const { setTimeout } = process.getBuiltinModule('node:timers/promises');
        await setTimeout(pauseMs, undefined, { signal: this.#options.signal });
      }
    }
  }

  async #ready(): Promise<OpenDestination> {
    if (this.#session !== undefined) return this.#session;
    const session = await this.#destination.open(this.#table);
    if (this.#options.signal.aborted) await session.close().catch(() => undefined);
    this.#options.signal.throwIfAborted();
    this.#session = session; // now `close` can end it, also during `recover`
    this.#position = await session.recover();
    this.#options.signal.throwIfAborted();
    return session;
  }

  async #reject(
    bytes: Buffer,
    from: RowPrefix,
    lines: readonly string[],
    rejected: readonly { readonly line: number; readonly reason: string }[],
  ): Promise<void> {
    if (rejected.length === 0) return;
    const reasons = new Map(rejected.map(({ line, reason }) => [line, reason]));
    const rows: RejectedRow[] = [];
    let at = 0;
    for (const [nth, line] of lines.entries()) {
      const reason = reasons.get(nth);
      if (reason !== undefined) rows.push({ at: from.bytes + at, line, reason });
      at = bytes.indexOf(lineFeed, at) + 1;
    }
    this.#isUnsure = true;
    await this.#options.reject(rows);
  }
}

/** Waits for the work, or until the signal is aborted. That doesn't end the work, so the caller must close what it works with. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  let forget: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(signal.reason as Error));
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    forget?.();
  }
}

/** Reads whole lines of a file from a position on, none beyond `end`: up to `size` bytes, or one line that is longer. */
export async function linesAt(file: OpenFile, position: number, end: number, size: number = 1 << 20): Promise<Buffer> {
  for (let most = size; ; most *= 2) {
    const bytes = Buffer.allocUnsafe(Math.min(most, end - position));
    const filled = await fill(file, bytes, position);
    if (filled < bytes.length) throw new Error(`the rows ended at ${position + filled} of ${end} bytes while they were read`);
    const whole = bytes.lastIndexOf(lineFeed) + 1;
    if (whole > 0) return bytes.subarray(0, whole);
  }
}

/** The lines of bytes that end with a line feed. */
export function linesOf(bytes: Buffer): readonly string[] {
  return bytes.toString().split('\n').slice(0, -1);
}

/** The first rows of a run, as JSONL: their length and their digest. Immutable. */
export class RowPrefix implements LoadPosition {
  readonly bytes: number;
  readonly #hash: Hash;
  #digest: string | undefined;

  private constructor(bytes: number, hash: Hash) {
    this.bytes = bytes;
    this.#hash = hash;
  }

  static start(): RowPrefix {
    return new RowPrefix(0, sha256());
  }

  get digest(): string {
    return (this.#digest ??= this.#hash.copy().digest('hex'));
  }

  with(more: Uint8Array): RowPrefix {
    return new RowPrefix(this.bytes + more.length, this.#hash.copy().update(more));
  }

  is(other: LoadPosition): boolean {
    return this.bytes === other.bytes && this.digest === other.digest;
  }
}
