import type { ByteBuffer } from '../files/ByteBuffer.ts';

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

/** The report of a finished file. All of it is safe on disk. */
export interface FileReport {
  readonly path: string;
  readonly rows: number;
  /** Size on disk. */
  readonly bytes: number;
  /** Hash of those bytes, in hexadecimal. */
  readonly sha256: string;
  /** CSV and Parquet: fields without a column, by dotted path, and the number of rows that had them. */
  readonly unlisted?: { readonly [path: string]: number };
  /** Values in which U+FFFD replaces what the format can't hold: half a surrogate pair, and in CSV and SQLite a NUL. JSONL holds both. */
  readonly replaced?: number;
}

export type Remarks = Pick<FileReport, 'unlisted' | 'replaced'>;

/** Adds up the remarks on several files, or on several tables of one file. */
export function joinRemarks(all: readonly Remarks[]): Remarks {
  const unlisted = new Map<string, number>();
  let replaced = 0;
  for (const one of all) {
    replaced += one.replaced ?? 0;
    for (const [field, count] of Object.entries(one.unlisted ?? {})) unlisted.set(field, (unlisted.get(field) ?? 0) + count);
  }
  return { ...(unlisted.size > 0 && { unlisted: Object.fromEntries(unlisted) }), ...(replaced > 0 && { replaced }) };
}

/** Turns rows into the bytes of a file, one at a time. A row that can't be encoded throws and adds nothing. */
export interface RowEncoder {
  encode(row: unknown, into: ByteBuffer): void;
  /** Gets each row before the file begins. true: it needs to see more rows first. @default one row is enough */
  wait?(row: unknown): boolean;
  /** Writes the beginning of the file, such as a heading. `rows` are written next. `ended`: no more rows come; there may be none at all. */
  begin?(rows: readonly unknown[], into: ByteBuffer, ended: boolean): void;
  /** Called instead of `begin` if the file already has rows. Throws a SinkError if this row doesn't fit them. */
  resumeFrom?(row: unknown, head: string): void;
  remarks?(): Remarks;
}
