import type { ColumnKind } from '../table/TableColumn.ts';

/**
 * Where rows go from the run's folder: a database, a service, a file that is made from all rows at the end. Rows are on disk
 * before they are loaded, so a destination may be slow or away. It takes them in ranges, and remembers itself how far it is. So
 * after a crash of anything no row is lost, and none is there twice.
 *
 * Throw a NetworkError for what may pass: it is tried again. Throw a BusyError while somebody else holds what it needs: the run
 * begins, and its rows wait. Any other error ends the run.
 */
export interface RowDestination {
  /** Begins to load into a table. Called again after each NetworkError and BusyError. */
  open(table: DestinationTable): Promise<OpenDestination>;
  /** Throws a SinkError if the rows don't fit what is there. Changes nothing. Called before the first request. @default they fit */
  check?(table: DestinationTable): Promise<void>;
}

/** Rows that arrive at a destination, and where they come from. */
export interface DestinationTable {
  /** What stands after the colon: `schema.table`. */
  readonly name: string;
  readonly columns: readonly DestinationColumn[];
  /** The headers of the columns that identify a row. Empty: none do, and all rows are kept. */
  readonly key: readonly string[];
  /** `merge`: rows join those that are there. `replace`: they take their place, all at once, at the end. */
  readonly mode: 'merge' | 'replace';
  readonly flow: string;
  /** The run that the rows are from. A resumed run has the same one. */
  readonly run: string;
  readonly stage: string;
  /** The file that the rows are in. */
  readonly file: string;
}

export interface DestinationColumn {
  readonly header: string;
  /** Where the value is in the row. Empty: the fields that have no column of their own. */
  readonly keys: readonly string[];
  /** Computes the value from the row instead. */
  readonly value?: ((row: unknown) => unknown) | undefined;
  readonly type: ColumnKind;
  readonly about?: string | undefined;
}

/** How far a destination is in the rows of a run. */
export interface LoadPosition {
  /** Bytes of the rows as JSONL. */
  readonly bytes: number;
  /** SHA-256 of these bytes. It tells whether they are the rows that the run has on disk. */
  readonly digest: string;
}

/** What became of the rows of a range. `rejected`: without these rows. `refused`: none were taken, because some can't be. */
export type LoadResult = { readonly rejected: readonly Rejected[] } | { readonly refused: string };

export interface Rejected {
  /** Which of the lines, from 0. */
  readonly line: number;
  readonly reason: string;
}

export interface OpenDestination {
  /**
   * Connects if need be, prepares the table, and says how far it is. undefined: it has nothing of this run. It remembers this
   * with the rows, so no crash can part them.
   */
  recover(): Promise<LoadPosition | undefined>;
  /** Takes rows, as lines of JSON. They don't count before `commit`. */
  load(lines: readonly string[]): Promise<LoadResult>;
  /** Makes the loaded rows and the position after them safe, both or neither. */
  commit(to: LoadPosition): Promise<void>;
  /** Ends it at once, also while something else is under way, which then comes to nothing. */
  close(): Promise<void>;
  /** All rows are there. Puts them in place where `mode` is `replace`. May be called again. @default nothing is left to do */
  finish?(): Promise<void>;
  /**
   * The rows that it has aren't those on disk, so loading starts over. Throws a SinkError if rows would be there twice.
   * @default that is an error
   */
  restart?(): Promise<void>;
  /** Deletes rows that an update found to be gone. @default that is an error */
  remove?(lines: readonly string[]): Promise<void>;
}
