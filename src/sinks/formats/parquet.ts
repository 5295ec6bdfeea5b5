import { dirname } from 'node:path';
import { parquetDestination, requireParquetWriter } from '../destination/parquetDestination.ts';
import { sqlString } from '../load/sqlText.ts';
import { PartFile } from '../PartFile.ts';
import type { MadeFormat } from './FileFormat.ts';

export const parquet: MadeFormat = {
  endings: ['.parquet'],
  mediaType: 'application/vnd.apache.parquet',
  text: false,
  tables: false,
  requirePackage: requireParquetWriter,
  lost: /\p{Surrogate}/gu,
  strictJson: true,
  async make(draft, fit, load, { fileSystem, mode, total }) {
    const part = new PartFile(draft, fileSystem.open(draft, 'wx', mode), { total });
    try {
      await load(parquetDestination(part, fit));
      const { bytes, sha256 } = await part.commit();
      await fileSystem.syncFolder(dirname(draft)); // later, the name tells our file from somebody else's
      return { bytes, sha256 };
    } finally {
      await part.close();
    }
  },
  load: { duckdb: ({ path, table }) => `CREATE TABLE ${table} AS FROM ${sqlString(path)};\n` },
};
