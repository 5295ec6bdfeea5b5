/** One finished file. */
export interface FilePart {
  readonly path: string;
  readonly rows: number;
  /** As they are on disk. */
  readonly bytes: number;
  /** Of those bytes, in hexadecimal. */
  readonly sha256: string;
}

/** What was written, when all of it is safely on disk. */
export interface FileReport extends FilePart {
  /**
   * With `rotate`: the files, in order. `path` is then their manifest; `rows`, `bytes` and `sha256` are those of the
   * parts joined in order.
   */
  readonly parts?: readonly FilePart[];
  /** CSV and Parquet: fields that no column takes, by dotted path, and in how many rows they were. */
  readonly unlisted?: { readonly [path: string]: number };
  /** CSV: cells in which a NUL or half a surrogate pair, which CSV can't carry, was replaced by U+FFFD. */
  readonly replaced?: number;
}
