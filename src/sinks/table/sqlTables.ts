import type { ColumnKind } from './ColumnType.ts';
import type { NamedTable } from './readTable.ts';
import { sqlName, uniqueNames } from './sqlNames.ts';

/** A table of a database, with the SQL that makes it. */
interface SqlTable extends Pick<NamedTable, 'columns' | 'batches'> {
  readonly name: string;
  readonly create: string;
  /** undefined: no column is indexed. */
  readonly createIndex: string | undefined;
}

/** The tables as a database makes them, with unique names. `types`: the database's type for each kind of column. */
export function sqlTables(tables: readonly NamedTable[], types: { readonly [kind in ColumnKind]: string }): readonly SqlTable[] {
  const tableNames = uniqueNames(tables.map((table) => table.name));
  return tables.map(({ columns, index, batches }, nth) => {
    const name = tableNames[nth]!;
    const names = uniqueNames(columns.map(({ header }) => header));
    const declared = columns.map(({ kind }, column) => `${sqlName(names[column]!)} ${types[kind]}`);
    const indexed = index
      .map((header) => names[columns.findIndex((column) => column.header === header)])
      .filter((one) => one !== undefined);
    const createIndex = `CREATE INDEX ${sqlName(`${name}_${indexed.join('_')}`)} ON ${sqlName(name)} (${indexed.map(sqlName).join(', ')})`;
    return {
      name,
      columns,
      batches,
      create: `CREATE TABLE ${sqlName(name)} (${declared.join(', ')})`,
      createIndex: indexed.length === 0 ? undefined : createIndex,
    };
  });
}
