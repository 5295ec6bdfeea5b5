import type { RowDestination } from '../destination/RowDestination.ts';
import type { FileReport, RowEncoder } from '../FileReport.ts';
import type { FileSystem } from '../../files/FileSystem.ts';
import type { TableOptions } from '../TableOptions.ts';
import type { FormatLimits, TextRepair } from '../table/TextRepair.ts';
import type { Compression } from '../compression.ts';
import type { ColumnKind } from '../table/TableColumn.ts';

interface FormatWords {
  /** The first is the usual one. */
  readonly endings: readonly [string, ...string[]];
  readonly mediaType: string;
  /** A file holds several tables, so several stages of a flow may write to it. */
  readonly tables: boolean;
  /** SQL that loads a file. A database that is left out doesn't read such files by itself. */
  readonly load: { readonly [database in Database]?: (file: LoadedFile) => string };
}

/** Text, written line by line: it may end in .gz or .zst too, may be appended to, and may be read as seeds. */
export interface TextFormat extends FormatWords {
  readonly text: true;
  /** Text between cells. undefined: each line is a row as JSON, with all its fields. */
  readonly delimiter: string | undefined;
  readonly encoder: (options: TableOptions) => RowEncoder;
}

/** Made as a whole at the end, from rows that are kept as JSONL until then. */
export interface AssembledFormat extends FormatWords, FormatLimits {
  readonly text: false;
  /** Throws a SinkError if the package that it needs isn't installed. */
  readonly requirePackage: (path: string) => void;
  /** Writes the file at `draft`: `load` brings the rows. When it resolves, its content is safe on disk. */
  readonly make: (
    draft: string,
    fit: TextRepair,
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

/** How a file of CSV is to be read. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly quote: string;
  /** What stands for null. */
  readonly null: string;
  /** Text that a spreadsheet may run starts with an apostrophe. */
  readonly escaped: boolean;
}

/** A file to load, with what the SQL needs to know of it. Names are quoted. */
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
