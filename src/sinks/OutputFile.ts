import type { FileReport } from './FileReport.ts';

/** How far a file is: everything below is on disk and whole. */
export interface OutputPosition {
  readonly bytes: number;
  readonly rows: number;
  /** CRC-32 of those bytes: tells on resume whether they are still what was written. */
  readonly crc?: number | undefined;
}

/** What a file that wasn't finished left beside its path. */
export interface Leftover extends OutputPosition {
  /** The part: whole rows, as many as `rows`. */
  readonly path: string;
  /** With `rotate`: the files that are finished; their rows count too. */
  readonly finished?: readonly string[];
  /** It couldn't be cut back after a failed write: its last row may be torn. */
  readonly torn?: true;
}

/**
 * A file that is being written, under the name `<path>.part`. The path itself stays as it was until `finish`.
 *
 * After an error every call but `abort` fails with that same error: nothing is tried again.
 */
export interface OutputFile {
  /** Where it will be. */
  readonly path: string;
  /** Rows taken so far, those before `resume` included. */
  readonly rows: number;
  /** Bytes that were taken and not written yet. */
  readonly backlog: number;
  /** The same in rows. */
  readonly backlogRows: number;
  /** How large the file is by now, what waits included and not yet compressed. */
  readonly bytes: number;
  /**
   * Takes rows. They are encoded at once and written in the background, in big chunks. Look at `backlog` and await
   * `flush` when it grows. Throws a SinkError for a row that can't be written; the rows before it are taken.
   */
  write(rows: readonly unknown[]): void;
  /** Waits until what was taken is written, though perhaps not safe from a power cut. */
  flush(): Promise<void>;
  /** Waits until what was taken is on disk. */
  commit(): Promise<OutputPosition>;
  /** Commits, and gives the report of the file as it will be. Nothing can be written any more. */
  seal(): Promise<FileReport>;
  /** Seals, gives the file its name without replacing another, and syncs the folder. */
  finish(): Promise<FileReport>;
  /** Writes what was taken if it can, closes, and leaves the part; undefined when there were no rows to leave. Never fails. */
  abort(): Promise<Leftover | undefined>;
}
