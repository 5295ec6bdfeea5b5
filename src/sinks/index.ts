export { openOutput } from './openOutput.ts';
export { nodeFileSystem } from './nodeFileSystem.ts';
export type { FileReport, FilePart } from './FileReport.ts';
export type { FileSystem, FileStat, OpenFile } from './FileSystem.ts';
export type { OutputFile, OutputPosition, Leftover } from './OutputFile.ts';
export type { OutputOptions, FileOptions } from './OutputOptions.ts';
export type { TableOptions, ColumnChoice } from './TableOptions.ts';
