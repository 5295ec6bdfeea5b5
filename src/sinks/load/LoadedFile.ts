import type { Compression } from '../compression.ts';
import type { ColumnKind } from '../table/ColumnType.ts';

export type Database = 'duckdb' | 'postgres' | 'sqlite';

/** A file to load, with what the SQL needs to know of it. Names are quoted. */
export interface LoadedFile {
  readonly path: string;
  readonly table: string;
  readonly columns: readonly LoadedColumn[];
  readonly delimiter: string;
  readonly quote: string;
  readonly null: string;
  /** Text that a spreadsheet would calculate starts with an apostrophe. */
  readonly escaped: boolean;
  readonly compression: Compression | undefined;
}

export interface LoadedColumn {
  readonly name: string;
  readonly keys: readonly string[];
  readonly type: ColumnKind;
}
