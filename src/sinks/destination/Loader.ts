import { NetworkError, SinkError } from '../../errors/index.ts';
import type { RowDestination, DestinationTable, OpenDestination, LoadPosition } from './RowDestination.ts';
import { linesOf } from './linesAt.ts';
import { RowPrefix } from './RowPrefix.ts';

/** A row that the destination can't hold. */
export interface RejectedRow {
  /** Where its line begins in the rows. */
  readonly at: number;
  readonly line: string;
  readonly reason: string;
}

interface LoaderOptions {
  /** The rows up to a position, if they are the ones on disk. @default the run is new */
  readonly prefixAt?: (position: LoadPosition) => Promise<RowPrefix | undefined>;
  /** Keeps rejected rows. Awaited before they count as done. */
  readonly reject: (rows: readonly RejectedRow[]) => Promise<void>;
  /** The destination is away. Called after each try. @default it never is */
  readonly away?: (error: NetworkError, sinceMs: number) => void;
  /** It is back. @default nobody hears it */
  readonly back?: () => void;
  /** Ends it. A try that is under way is cut off. */
  readonly signal: AbortSignal;
}

const firstPauseMs = 50;
const longestPauseMs = 3000;
const lineFeed = 10;

/** Loads rows into one table of a destination, each once, whatever fails in between. Waits while the destination is away. */
export class Loader {
  readonly #destination: RowDestination;
  readonly #table: DestinationTable;
  readonly #options: LoaderOptions;
  #session: OpenDestination | undefined;
  #position: LoadPosition | undefined;
  #awaySince: number | undefined;
  /** Where the last rejected row is. A commit that failed is tried again, and its rows aren't rejected twice. */
  #lastRejected = -1;

  constructor(destination: RowDestination, table: DestinationTable, options: LoaderOptions) {
    this.#destination = destination;
    this.#table = table;
    this.#options = options;
  }

  get isAway(): boolean {
    return this.#awaySince !== undefined;
  }

  /** Opens the destination. Returns how far it is. `patient`: waits for it if it is away. */
  async open(patient: boolean): Promise<RowPrefix> {
    return this.#insist(async (session) => {
      const position = this.#position;
      const prefix = position === undefined ? RowPrefix.start() : await this.#options.prefixAt?.(position);
      if (prefix !== undefined) return prefix;
      if (session.restart === undefined)
        throw this.#unable("it has rows of this run that the run doesn't have on disk, and can't start over");
      await session.restart();
      this.#position = undefined;
      return RowPrefix.start();
    }, patient);
  }

  /** Loads the whole lines that follow. Returns the rows with them. */
  async load(bytes: Buffer, from: RowPrefix): Promise<RowPrefix> {
    const to = from.with(bytes);
    const lines = linesOf(bytes);
    const isIn = await this.#insist(async (session) => {
      const now = this.#position ?? RowPrefix.start();
      if (to.is(now)) return true; // the answer to an earlier commit was lost
      if (!from.is(now))
        throw this.#unable(`it is at another position (${now.bytes}) than this run left it (${from.bytes}). Run it again to load the rest`);
      const result = await session.load(lines);
      if ('rejected' in result) await this.#reject(bytes, from, lines, result.rejected);
      else if (lines.length > 1) return false;
      else await this.#reject(bytes, from, lines, [{ line: 0, reason: result.refused }]);
      await session.commit(to);
      this.#position = to;
      return true;
    });
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

  /** Does something with the open destination, as often as it takes. */
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
        if (!(error instanceof NetworkError) || !patient) throw error;
        this.#awaySince ??= performance.now();
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
    try {
      this.#position = await session.recover();
      this.#options.signal.throwIfAborted();
    } catch (error) {
      await session.close().catch(() => undefined);
      throw error;
    }
    this.#session = session;
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
      if (reason !== undefined && from.bytes + at > this.#lastRejected) rows.push({ at: from.bytes + at, line, reason });
      at = bytes.indexOf(lineFeed, at) + 1;
    }
    if (rows.length === 0) return;
    await this.#options.reject(rows);
    this.#lastRejected = rows.at(-1)!.at;
  }
}

/** The result of the work. An aborted signal ends the wait for it, not the work: the caller then closes what it works with. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
