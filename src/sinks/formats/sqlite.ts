import { requireSqlite, sqliteDestination } from '../destination/sqliteDestination.ts';
import { sqlString } from '../load/sqlText.ts';
import type { MadeFormat } from './FileFormat.ts';
import { makeDatabase } from './makeDatabase.ts';

export const sqlite: MadeFormat = {
  endings: ['.sqlite'],
  mediaType: 'application/vnd.sqlite3',
  text: false,
  tables: true,
  requirePackage: requireSqlite,
  lost: /[\0\p{Surrogate}]/gu, // not every reader gets past a NUL
  strictJson: false,
  make: makeDatabase(sqliteDestination),
  load: {
    duckdb: ({ path, table }) =>
      `ATTACH ${sqlString(path)} AS trawled (TYPE sqlite);\nCREATE TABLE ${table} AS FROM trawled.${table};\nDETACH trawled;\n`,
    sqlite: ({ path, table }) =>
      `ATTACH ${sqlString(path)} AS trawled;\nCREATE TABLE ${table} AS SELECT * FROM trawled.${table};\nDETACH trawled;\n`,
  },
};
