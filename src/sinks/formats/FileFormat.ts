import type { RowDestination } from '../destination/RowDestination.ts';
import type { FileReport, RowEncoder } from '../OutputFile.ts';
import type { FileSystem } from '../../files/FileSystem.ts';
import type { TableOptions } from '../TableOptions.ts';
import type { FormatLimits, TextRepair } from '../table/TextRepair.ts';
import type { Compression } from '../compression.ts';
import type { ColumnKind } from '../table/TableColumn.ts';

interface FormatBase {
  /** File endings. The first is the usual one. */
  readonly endings: readonly [string, ...string[]];
  readonly mediaType: string;
  /** Whether a file can hold several tables, so that several stages of a flow may write to it. */
  readonly tables: boolean;
  /** The SQL that loads a file, for each database that can read such files. */
  readonly load: { readonly [database in Database]?: (file: LoadedFile) => string };
}

/** Text, written line by line. Such a file can be compressed, appended to, and read as seeds of a flow. */
export interface TextFormat extends FormatBase {
  readonly text: true;
  /** Text between cells. undefined: each line is a row as JSON, with all its fields. */
  readonly delimiter: string | undefined;
  readonly encoder: (options: TableOptions) => RowEncoder;
}

/** Built as a whole at the end, from rows that are kept as JSONL until then. */
export interface AssembledFormat extends FormatBase, FormatLimits {
  readonly text: false;
  /** Throws a SinkError if the package that it needs isn't installed. */
  readonly requirePackage: (path: string) => void;
  /** Writes the file at `draft`. It calls `load` with a destination to get the rows. When it resolves, the content is safe on disk. */
  readonly make: (
    draft: string,
    repair: TextRepair,
    load: (to: RowDestination) => Promise<void>,
    options: MakeOptions,
  ) => Promise<Pick<FileReport, 'bytes' | 'sha256'>>;
}

export interface MakeOptions {
  readonly fileSystem: FileSystem;
  readonly mode: number;
}

export type FileFormat = TextFormat | AssembledFormat;

export type Database = 'duckdb' | 'postgres' | 'sqlite';

/** How to read a CSV file. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly quote: string;
  /** The cell that means null. */
  readonly null: string;
  /** Whether text that a spreadsheet may run as a formula starts with an apostrophe. */
  readonly escaped: boolean;
}

/** A file to load, and what the SQL needs. Names are quoted. */
export interface LoadedFile extends CsvDialect {
  readonly path: string;
  readonly table: string;
  readonly columns: readonly LoadedColumn[];
  readonly compression: Compression | undefined;
}

export interface LoadedColumn {
  readonly name: string;
  readonly keys: readonly string[];
  readonly type: ColumnKind;
}
