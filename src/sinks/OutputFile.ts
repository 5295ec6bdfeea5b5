import type { FileReport, Remarks } from './FileReport.ts';

/** A position in a file, at the end of a row. Everything before it is on disk. */
export interface OutputPosition {
  readonly bytes: number;
  readonly rows: number;
  /** SHA-256 of those bytes, to notice later that they have changed. */
  readonly sha256?: string | undefined;
  /** What the report says of those rows. A resumed file adds to it. */
  readonly remarks?: Remarks | undefined;
}

/** What an unfinished output left on disk. */
export interface Leftover extends OutputPosition {
  /** The `.part` file. It holds `rows` whole rows. */
  readonly path: string;
  /** It couldn't be cut back after a failed write, so its last row may be torn. */
  readonly torn?: true;
}

/**
 * A file that is being written as `<path>.part`. The path itself doesn't change until `finish`.
 *
 * After an error, every call but `abort` fails with that same error. Nothing is retried.
 */
export interface OutputFile {
  /** The final path. */
  readonly path: string;
  /** Rows taken so far, including those of the file that was resumed. */
  readonly rows: number;
  /** Bytes taken but not yet written. */
  readonly backlog: number;
  /** Rows taken but not yet written. */
  readonly backlogRows: number;
  /** The size of the file so far, including bytes that are not yet written or compressed. */
  readonly bytes: number;
  /**
   * Takes a row. It is encoded at once and written in the background, in big chunks. Check `backlog` and await
   * `flush` when it grows. Throws a SinkError for a row that can't be written.
   */
  write(row: unknown): void;
  /** Waits until all taken rows are written, though perhaps not safe from a power cut. */
  flush(): Promise<void>;
  /** Waits until all taken rows are on disk. */
  commit(): Promise<OutputPosition>;
  /** Like `flush`, but it writes before it returns. undefined: that isn't possible now, because earlier bytes are still being written. */
  flushNow(): OutputPosition | undefined;
  /** Commits, and returns the report of the finished file. Nothing can be written after this. */
  seal(): Promise<FileReport>;
  /** Seals the file, gives it its name without replacing another, and syncs the folder. */
  finish(): Promise<FileReport>;
  /** Writes the taken rows if it can, closes, and leaves the `.part` file. undefined if there were no rows. Never throws. */
  abort(): Promise<Leftover | undefined>;
}
