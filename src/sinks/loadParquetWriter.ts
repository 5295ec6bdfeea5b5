import { createRequire } from 'node:module';
import type * as ParquetModule from 'hyparquet-writer';
import { SinkError } from '../errors/index.ts';

/** Throws when the optional package that writes Parquet isn't installed. */
export function requireParquetWriter(path: string): void {
  try {
    createRequire(import.meta.url).resolve('hyparquet-writer');
  } catch (cause) {
    throw new SinkError(`${path}: Parquet needs one more package: npm install hyparquet-writer`, { cause });
  }
}

export function loadParquetWriter(): Promise<typeof ParquetModule> {
  return import('hyparquet-writer');
}
