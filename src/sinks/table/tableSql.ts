import type { DestinationTable } from '../destination/RowDestination.ts';
import type { ColumnKind } from './ColumnType.ts';
import { sqlName, uniqueNames } from './sqlNames.ts';

/** The SQL that makes a table of a new database, and an index on its key. `types`: the database's type for each kind of column. */
export function tableSql(
  { name, columns, key }: DestinationTable,
  types: { readonly [kind in ColumnKind]: string },
): { readonly create: string; /** undefined: no column is indexed. */ readonly createIndex: string | undefined } {
  const names = uniqueNames(columns.map(({ header }) => header));
  const declared = columns.map(({ type }, nth) => `${sqlName(names[nth]!)} ${types[type]}`);
  const indexed = key.map((header) => names[columns.findIndex((column) => column.header === header)]).filter((one) => one !== undefined);
  const createIndex = `CREATE INDEX ${sqlName(`${name}_${indexed.join('_')}`)} ON ${sqlName(name)} (${indexed.map(sqlName).join(', ')})`;
  return {
    create: `CREATE TABLE ${sqlName(name)} (${declared.join(', ')})`,
    createIndex: indexed.length === 0 ? undefined : createIndex,
  };
}
