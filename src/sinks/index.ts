export { toJsonl } from './toJsonl.ts';
export { toCsv, type CsvOptions } from './toCsv.ts';
export { toParquet, type ParquetOptions } from './toParquet.ts';
export { toDuckdb, type DuckdbOptions } from './toDuckdb.ts';
export { toSqlite, type SqliteOptions } from './toSqlite.ts';
export { toFile } from './toFile.ts';
export { toSink, type RowSink, type SinkOptions } from './toSink.ts';
export type { Compression } from './compression.ts';
export {
  endingsInWords,
  fileKindOf,
  holdsRows,
  type FileKind,
  type Format,
  type MadeFormatName,
  type TextFormatName,
} from './formats/fileFormats.ts';
export { takeLock, type HeldLock } from './lock/takeLock.ts';
export { openOutput } from './openOutput.ts';
export { loadStatement, type FileToLoad } from './load/loadStatement.ts';
export type { Database } from './load/LoadedFile.ts';
export { nodeFileSystem } from './nodeFileSystem.ts';
export type { FileReport, FilePart } from './FileReport.ts';
export type { FileSystem, FileStat, OpenFile } from './FileSystem.ts';
export type { OutputFile, OutputPosition, Leftover } from './OutputFile.ts';
export type { OutputOptions, FileOptions, DatabaseOptions } from './OutputOptions.ts';
export type { TableOptions, ColumnChoice } from './TableOptions.ts';
