import type { DestinationTable } from '../destination/RowDestination.ts';
import type { ColumnKind } from './TableColumn.ts';

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

/** Names that differ in more than capitals, as databases want them, from each other and from those that are `reserved`. */
export function uniqueNames(names: readonly string[], reserved: readonly string[] = []): readonly string[] {
  const taken = new Set(reserved);
  return names.map((name) => {
    const plain = name.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD') || '_';
    let unique = plain;
    for (let count = 2; taken.has(unique.toLowerCase()); count += 1) unique = `${plain}_${count}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
