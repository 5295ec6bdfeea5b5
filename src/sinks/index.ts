export { toJsonl } from './toFile.ts';
export type { NotRows, SinkOf } from './checkOutputOptions.ts';
export { toCsv, type CsvOptions } from './toFile.ts';
export { toParquet, type ParquetOptions } from './toFile.ts';
export { toDuckdb, type DuckdbOptions } from './toFile.ts';
export { toSqlite, type SqliteOptions } from './toFile.ts';
export { toPostgres, type PostgresOptions, type TableReport } from './toPostgres.ts';
export { toFile, type ToFileOptions } from './toFile.ts';
export { postgresDestination } from './postgres/postgresDestination.ts';
export type { PostgresAddress, PostgresClient, PostgresPool } from './postgres/PostgresConnection.ts';
export type {
  RowDestination,
  DestinationColumn,
  DestinationTable,
  LoadResult,
  OpenDestination,
  LoadPosition,
  Rejected,
} from './destination/RowDestination.ts';
export { toSink, type RowSink, type SinkOptions } from './toSink.ts';
export type { Compression } from './compression.ts';
export { endingsInWords, fileKindOf, type FileKind, type Format } from './formats/fileFormats.ts';
export { takeLock, type HeldLock } from '../files/takeLock.ts';
export { openOutput } from './openOutput.ts';
export { loadStatement, type FileToLoad } from './load/loadStatement.ts';
export type { Database } from './formats/FileFormat.ts';
export { nodeFileSystem } from '../files/nodeFileSystem.ts';
export type { FileReport } from './OutputFile.ts';
export type { FileSystem, FileStat, OpenFile } from '../files/FileSystem.ts';
export type { OutputFile, OutputPosition, Leftover } from './OutputFile.ts';
export type { OutputOptions, FileOptions, DatabaseOptions } from './OutputOptions.ts';
export type { TableOptions, ColumnChoice } from './TableOptions.ts';
