import { duckdbDestination, requireDuckdb } from '../destination/duckdbDestination.ts';
import { sqlString } from '../load/sqlText.ts';
import type { MadeFormat } from './FileFormat.ts';
import { makeDatabase } from './makeDatabase.ts';

export const duckdb: MadeFormat = {
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
      `ATTACH ${sqlString(path)} AS trawled;\nCREATE TABLE ${table} AS FROM trawled.${table};\nDETACH trawled;\n`,
  },
};
