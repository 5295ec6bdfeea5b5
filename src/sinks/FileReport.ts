import type { ByteBuffer } from '../files/ByteBuffer.ts';

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
