import { dialectOf, fileKindOf, type CsvWriting } from '../formats/fileFormats.ts';
import type { ColumnKind } from '../table/TableColumn.ts';
import { postgresNames } from '../postgres/postgresTable.ts';
import { sqlName, uniqueNames } from './sqlText.ts';
import type { CsvDialect, Database } from '../formats/FileFormat.ts';

const noDialect: CsvDialect = { delimiter: ',', quote: '"', null: '', escaped: false };

/** A file that trawler wrote, and what is known about its columns. */
export interface FileToLoad {
  readonly path: string;
  readonly table: string;
  readonly columns: readonly { readonly header: string; readonly keys: readonly string[]; readonly type: ColumnKind }[];
  /** How a CSV file was written, if not with the defaults. */
  readonly csv?: CsvWriting | undefined;
}

/**
 * Returns the SQL that loads a file into a table with the right types. It works for psql, DuckDB and the sqlite3 shell. Values, nulls
 * and empty texts come back as they were, except that an empty text in a column of dates or times becomes null. Relative paths start
 * from the folder where that program runs.
 */
export function loadStatement(database: Database, file: FileToLoad): string {
  const kind = fileKindOf(file.path);
  if (kind === undefined) throw new RangeError(`loadStatement: the ending of ${file.path} names no format`);
  const headers = file.columns.map(({ header }) => header);
  const names = database === 'postgres' ? postgresNames(headers) : uniqueNames(headers);
  const load = kind.load[database];
  if (load === undefined) return `-- ${database} doesn't read ${kind.endings[0]} files by itself; let the flow write .csv or .jsonl too.\n`;
  return load({
    path: file.path,
    table: sqlName(file.table),
    columns: file.columns.map(({ keys, type }, index) => ({ name: sqlName(names[index]!), keys, type })),
    ...(dialectOf(kind, file.csv) ?? noDialect),
    compression: kind.compression,
  });
}
