import type { ColumnKind } from '../table/TableColumn.ts';

/**
 * Where rows go from the run's folder: a database, a service, or a file that is built from all rows at the end. Rows are on disk
 * before they are loaded, so a destination may be slow or away. It takes rows in batches, and stores with them how far it is. So no
 * row is lost or doubled, whichever side crashes.
 *
 * Throw a NetworkError for a temporary failure: it is retried. Throw a BusyError while somebody else holds a lock: the run goes on,
 * and its rows wait. Any other error ends the run.
 */
export interface RowDestination {
  /** Begins to load into a table. Called again after each NetworkError and BusyError. */
  open(table: DestinationTable): Promise<OpenDestination>;
  /** Throws a SinkError if the rows don't fit what is there. Changes nothing. Called before the first request. @default they fit */
  check?(table: DestinationTable): Promise<void>;
}

/** The table that rows go to, and where they come from. */
export interface DestinationTable {
  /** The name after the colon in `"to": "postgres:schema.table"`: `schema.table`. */
  readonly name: string;
  readonly columns: readonly DestinationColumn[];
  /** The headers of the columns that identify a row. Empty: rows have no key, and all are kept. */
  readonly key: readonly string[];
  /** `merge`: adds rows to those in the table. `replace`: replaces those in the table, in one step at the end. */
  readonly mode: 'merge' | 'replace';
  readonly flow: string;
  /** The id of the run. A resumed run keeps its id. */
  readonly run: string;
  readonly stage: string;
  /** The file that the rows are in. */
  readonly file: string;
}

export interface DestinationColumn {
  readonly header: string;
  /** The path of the value in the row. Empty: this column holds the fields that have no column of their own. */
  readonly keys: readonly string[];
  /** Computes the value from the row. `keys` is ignored. */
  readonly value?: ((row: unknown) => unknown) | undefined;
  readonly type: ColumnKind;
  readonly about?: string | undefined;
}

/** How many rows of a run a destination has, as a position in their JSONL. */
export interface LoadPosition {
  readonly bytes: number;
  /** SHA-256 of these bytes. It shows whether they are the rows that the run has on disk. */
  readonly digest: string;
}

/** The result of a load. `rejected`: all rows were taken but these. `refused`: no row was taken, because some can't be; load fewer. */
export type LoadResult = { readonly rejected: readonly Rejected[] } | { readonly refused: string };

export interface Rejected {
  /** Index of the line, from 0. */
  readonly line: number;
  readonly reason: string;
}

export interface OpenDestination {
  /**
   * Connects if need be, prepares the table, and returns the position that was committed last. undefined: it has nothing of this run.
   * The position must be stored together with the rows, so that both are there or neither.
   */
  recover(): Promise<LoadPosition | undefined>;
  /** Takes rows, as lines of JSON. They don't count before `commit`. */
  load(lines: readonly string[]): Promise<LoadResult>;
  /** Makes the loaded rows and the position after them safe, both or neither. */
  commit(to: LoadPosition): Promise<void>;
  /** Closes it at once, also during another call. What that call has loaded is not committed. */
  close(): Promise<void>;
  /** Called when all rows are loaded. With `mode: 'replace'` it replaces the old rows. May be called twice. @default nothing to do */
  finish?(): Promise<void>;
  /**
   * Starts over, because its rows aren't those that the run has on disk. Throws a SinkError if rows would be doubled.
   * @default that is an error
   */
  restart?(): Promise<void>;
  /** Deletes rows that an update no longer found. @default that is an error */
  remove?(lines: readonly string[]): Promise<void>;
}
