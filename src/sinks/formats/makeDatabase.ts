import { dirname } from 'node:path';
import { hashFile } from '../../files/blocks.ts';
import type { RowDestination } from '../destination/RowDestination.ts';
import type { TextRepair } from '../table/TextRepair.ts';
import type { AssembledFormat } from './FileFormat.ts';
import { requireSqlite, sqliteDestination } from '../destination/sqliteDestination.ts';
import { sqlString } from '../load/sqlText.ts';
import { duckdbDestination, requireDuckdb } from '../destination/duckdbDestination.ts';
import { parquetDestination, requireParquetWriter } from '../destination/parquetDestination.ts';
import { PartFile } from '../PartFile.ts';

/** Builds a file with a library that opens files by itself, and waits until it is safe on disk. */
export function makeDatabase(destinationAt: (path: string, repair: TextRepair) => RowDestination): AssembledFormat['make'] {
  return async (draft, repair, load, { fileSystem, mode }) => {
    await fileSystem.build(draft, mode, (path) => load(destinationAt(path, repair)));
    const file = fileSystem.open(draft, 'r+');
    try {
      await file.datasync();
    } finally {
      file.close();
    }
    await fileSystem.syncFolder(dirname(draft));
    return hashFile(draft, fileSystem);
  };
}

export const sqlite: AssembledFormat = {
  endings: ['.sqlite'],
  mediaType: 'application/vnd.sqlite3',
  text: false,
  tables: true,
  requirePackage: requireSqlite,
  lost: /[\0\p{Surrogate}]/gu, // some readers stop at a NUL
  strictJson: false,
  make: makeDatabase(sqliteDestination),
  load: {
    duckdb: ({ path, table }) =>
      `ATTACH ${sqlString(path)} AS trawled (TYPE sqlite);\nCREATE OR REPLACE TABLE ${table} AS FROM trawled.${table};\nDETACH trawled;\n`,
    sqlite: ({ path, table }) =>
      `.bail on\nATTACH ${sqlString(path)} AS trawled;\nBEGIN;\nDROP TABLE IF EXISTS main.${table};\n` +
      `CREATE TABLE ${table} AS SELECT * FROM trawled.${table};\nCOMMIT;\nDETACH trawled;\n`,
  },
};

export const duckdb: AssembledFormat = {
  endings: ['.duckdb'],
  mediaType: 'application/vnd.duckdb',
  text: false,
  tables: true,
  requirePackage: requireDuckdb,
  lost: /\p{Surrogate}/gu,
  strictJson: true,
  make: makeDatabase(duckdbDestination),
  load: {
    duckdb: ({ path, table }) =>
      `ATTACH ${sqlString(path)} AS trawled;\nCREATE OR REPLACE TABLE ${table} AS FROM trawled.${table};\nDETACH trawled;\n`,
  },
};

export const parquet: AssembledFormat = {
  endings: ['.parquet'],
  mediaType: 'application/vnd.apache.parquet',
  text: false,
  tables: false,
  requirePackage: requireParquetWriter,
  lost: /\p{Surrogate}/gu,
  strictJson: true,
  async make(draft, repair, load, { fileSystem, mode }) {
    const part = new PartFile(draft, fileSystem.open(draft, 'wx', mode));
    try {
      await load(parquetDestination(part, repair));
      const { bytes, sha256 } = await part.commit();
      await fileSystem.syncFolder(dirname(draft)); // after a crash, this name shows that the file is ours
      return { bytes, sha256 };
    } finally {
      await part.close();
    }
  },
  load: { duckdb: ({ path, table }) => `CREATE OR REPLACE TABLE ${table} AS FROM ${sqlString(path)};\n` },
};
